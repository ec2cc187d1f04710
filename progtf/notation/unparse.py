"""Syntax to text: entries, conditions and expressions, with no more brackets than they need."""

from collections.abc import Iterable
from itertools import groupby

from progtf.notation import spell
from progtf.notation import syntax as s

_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "**": 4}

# ------------------------------------------------------------------ entries


def entries(items: s.Entries) -> str:
    """A list: a pure vector with blanks between its terms, anything else with commas."""
    if all(isinstance(item, s.Entry) and item.kind == "vector" and not item.mark for item in items):
        return " ".join(entry(item) for item in items if isinstance(item, s.Entry))
    parts = (
        " ".join(["one of", *map(_unsigned_entry, some)]) if chosen else ", ".join(map(_item, some))
        for chosen, some in groupby(items, _is_choice)
    )
    return ", ".join(parts)


def _is_choice(item: s.Entry[s.Term] | s.Loop) -> bool:
    return isinstance(item, s.Entry) and item.mark == "one of"


def _item(item: s.Entry[s.Term] | s.Loop) -> str:
    return _loop(item) if isinstance(item, s.Loop) else entry(item)


def _unsigned_entry(item: s.Entry[s.Term] | s.Loop) -> str:
    assert isinstance(item, s.Entry)
    return _unmarked(item).removeprefix("+")


def _loop(item: s.Loop) -> str:
    return f"{clauses(item.clauses)}: {', '.join(map(entry, item.body))}"


def clauses(parts: Iterable[s.Clause]) -> str:
    """``for k in 1..3 for c in "abc"``."""
    return " ".join(map(_clause, parts))


def _clause(clause: s.Clause) -> str:
    at = "" if clause.position is None else f" at {clause.position}"
    text = f"for {clause.variable}{at} in {expression(clause.domain)}"
    for left, operator, right in clause.guards:
        text += f" if {expression(left)} {operator} {expression(right)}"
    return text


def entry(item: s.Entry[s.Term]) -> str:
    """One entry; its mark and a sign stand in front of it."""
    text = _unmarked(item)
    return f"{item.mark}{text.removeprefix('+')}" if item.mark else text


def _unmarked(item: s.Entry[s.Term]) -> str:
    match item.kind, item.terms:
        case "vector", (only,):
            return term(only, plus=only.name is not None)
        case "map", (source, target):
            sign = "-" if source.sign * target.sign < 0 else ""
            return f"{sign}{_unsigned(source)}>{_unsigned(target)}"
        case "relation", terms:
            return " ~ ".join(term(part, plus=False) for part in terms)
        case "product", (filler, role, target):
            return (
                f"{term(filler, plus=False)}*{term(role, plus=False)} > {term(target, plus=False)}"
            )
        case _:
            raise AssertionError(item)


def term(part: s.Term, *, plus: bool) -> str:
    """``+2pig``."""
    sign = "-" if part.sign < 0 else "+" if plus else ""
    return sign + _unsigned(part)


def _unsigned(part: s.Term) -> str:
    amount = "" if part.coefficient is None else coefficient(part.coefficient)
    if part.name is None:
        return amount
    gap = " " if "e" in amount.lower() and not amount.startswith("{") else ""
    return f"{amount}{gap}{name(part.name)}"


def coefficient(node: s.Expression) -> str:
    """A number, or an expression in braces."""
    return node.text if isinstance(node, s.Number) else f"{{{expression(node)}}}"


def signed(node: s.Expression) -> str:
    """A coefficient that may have a minus."""
    match node:
        case s.Operation(operator="neg", operands=(s.Number(text=text),)):
            return f"-{text}"
        case s.Operation(operator="neg", operands=(operand,)):
            return f"-{coefficient(operand)}"
        case s.Number(text=text):
            return text
        case _:
            return f"{{{expression(node)}}}"


def plain_names(items: s.Entries) -> str:
    """``noun unit third``: what a table row gives, without the pluses."""
    parts = [item for item in items if isinstance(item, s.Entry)]
    simple = all(part.kind == "vector" and part.terms[0].sign > 0 for part in parts)
    if simple and len(parts) == len(items):
        return " ".join(term(part.terms[0], plus=False) for part in parts)
    return entries(items)


# ------------------------------------------------------------------ conditions, forms, expressions


def condition(node: s.Condition, strength: int = 0) -> str:
    """A condition with no more brackets than it needs."""
    match node:
        case s.AnyOf():
            text = " | ".join(condition(part, 1) for part in node.parts)
            return f"({text})" if strength > 0 else text
        case s.AllOf():
            text = " & ".join(condition(part, 2) for part in node.parts)
            return f"({text})" if strength > 1 else text
        case s.Not():
            return f"!{condition(node.part, 3)}"
        case s.Comparison():
            text = f"{form(node.left)} {node.operator} {form(node.right)}"
            return f"({text})" if strength > 2 else text
        case s.Quantified():
            text = f"{node.quantifier} {name(node.name)}"
            return f"({text})" if strength > 2 else text
        case s.Truth():
            text = form(node.form)
            return f"({text})" if strength > 2 and len(node.form) > 1 else text


def value(node: s.Value) -> str:
    """What a rule gives."""
    if not isinstance(node, s.Function):
        return condition(node)
    if node.function in ("mod", "div"):
        return f"{form(node.form)} {node.function} {expression(node.arguments[0], 2)}"
    if node.more:
        return f"{node.function}({node.function}({form(node.form)}){_further(node.more)})"
    return f"{node.function}({', '.join([form(node.form), *map(signed, node.arguments)])})"


def form(parts: s.Form) -> str:
    """``2say - 4``."""
    first, *rest = parts
    return term(first, plus=False) + _further(rest)


def _further(parts: Iterable[s.Term]) -> str:
    return "".join(f" {'-' if part.sign < 0 else '+'} {_unsigned(part)}" for part in parts)


def name(node: s.Name) -> str:
    """``place[k+1]``."""
    if not node.indices:
        return node.base
    return f"{node.base}[{', '.join(_compact(index) for index in node.indices)}]"


def _compact(node: s.Expression) -> str:
    """``k+1`` without blanks where there is one operation only, as in indices and ranges."""
    match node:
        case s.Operation(operator="+" | "-", operands=(s.Operation(), _) | (_, s.Operation())):
            return expression(node)
        case s.Operation(operator="+" | "-", operands=(left, right)):
            return f"{expression(left)}{node.operator}{expression(right)}"
        case s.Range():
            return f"{_compact(node.low)}..{_compact(node.high)}"
        case _:
            return expression(node)


def expression(node: s.Expression, strength: int = 0) -> str:  # noqa: PLR0911  one per node
    """Index arithmetic with no more brackets than it needs."""
    match node:
        case s.Number():
            return node.text
        case s.Text():
            return spell.quoted(node.value)
        case s.Variable():
            return node.name
        case s.Range():
            return _compact(node)
        case s.Items():
            return f"[{', '.join(map(expression, node.items))}]"
        case s.ColumnOf():
            where = f" where {row_tests(node.tests)}" if node.tests else ""
            return f"column {node.column} of {spell.quoted(node.path)}{where}"
        case s.Operation():
            return _operation(node, strength)


def _operation(node: s.Operation, strength: int) -> str:
    if node.operator == "neg":
        text = f"-{expression(node.operands[0], 3)}"
        return f"({text})" if strength > 3 else text
    if node.operator == s.ITEM:
        items, place = node.operands
        return f"{expression(items)}[{_compact(place)}]"
    if node.operator not in _STRENGTH:
        return f"{node.operator}({', '.join(map(expression, node.operands))})"
    mine = _STRENGTH[node.operator]
    left, right = node.operands
    blank = " " if mine == 1 else ""
    power = node.operator == "**"  # groups from the right; its left side binds tightest
    a = expression(left, 5 if power else mine)
    b = expression(right, 3 if power else mine + 1)
    text = f"{a}{blank}{node.operator}{blank}{b}"
    return f"({text})" if strength > mine else text


# ------------------------------------------------------------------ values of fields


def word(node: s.Expression) -> str:
    """A word of the language, a quoted text or a number."""
    return expression(node) if isinstance(node, s.Text | s.Variable) else signed(node)


def words(node: s.Words) -> str:
    """``"n't" "'s"``, or ``quotes ","``."""
    return " ".join((*node.kinds, *map(spell.quoted, node.values)))


def close(node: s.Close) -> str:
    """``"?" after "What" "Is"``."""
    return spell.close(node.mark, node.after)


def offset(node: s.Expression) -> str:
    """``+3``."""
    text = signed(node)
    return text if text.startswith("-") else f"+{text}"


def lengths(node: s.Items) -> str:
    """``20 -> 8``."""
    return " -> ".join(map(expression, node.items))


def steps(most: s.Expression) -> str:
    """``up to 40``."""
    return f"up to {expression(most)}"


def trim(leaving: s.Expression) -> str:
    """``punctuation``, of which one mark is left if nothing else is said."""
    usual = isinstance(leaving, s.Number) and leaving.value == 1
    return "punctuation" if usual else f"punctuation leaving {expression(leaving)}"


def extreme(node: s.Extreme[s.Term, s.Condition]) -> str:
    """``place where nonzero``."""
    return form(node.form) + ("" if node.where is None else f" where {condition(node.where)}")


def rest(node: s.Rest[s.Entries, s.Expression]) -> str:
    """``+stop below 1.5``."""
    return entries(node.filler) + ("" if node.below is None else f" below {signed(node.below)}")


def copy(node: s.Copy) -> str:
    """``adj noun as next``."""
    return f"{' '.join(map(name, node.names))} as {name(node.prefix)}"


def layers(node: s.LearnedLayers) -> str:
    """``layers 3..4 heads 6 filter 256``."""
    parts = (("layers", node.which), ("heads", node.heads), ("filter", node.filter))
    return " ".join(f"{what} {expression(size)}" for what, size in parts if size is not None)


# ------------------------------------------------------------------ tests of rows


def row_tests(tests: Iterable[s.RowTest]) -> str:
    """``number=sg & !word has "x"``."""
    return " & ".join(map(_test, tests))


def _test(test: s.RowTest) -> str:
    values = " ".join(v if v.isalnum() else spell.quoted(v) for v in test.values)
    how = "=" if test.test == "=" else f" {test.test} "
    return f"{'!' if test.negated else ''}{test.column}{how}{values}"
