"""Syntax to text: one line per statement, as ``progtf fmt`` writes it."""

from collections.abc import Iterable

from progtf.notation import spell
from progtf.notation import syntax as s

_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "**": 4}


def phrase_of(node: s.Statement) -> str:  # noqa: C901, PLR0911, PLR0912, PLR0915  one case per statement
    """The line that a statement is written as, without what stands below it."""
    match node:
        case s.Block():
            return _block(node)
        case s.Field():
            return _field(node)
        case s.ForBlock():
            return f"{_clauses(node.clauses)}:"
        case s.Let():
            return f"let {node.name} = {expression(node.value)}"
        case s.Alias():
            return f"{name(node.name)} := {condition(node.value)}"
        case s.NamedValue():
            return _keyed(name(node.name), node.value)
        case s.Declarations():
            return " ".join(_declaration(item) for item in node.items)
        case s.LexiconEntry():
            shown = (
                "unknown" if token is None else _token(token, quoted=quoted)
                for token, quoted in node.tokens
            )
            return _keyed(" ".join(shown), node.value)
        case s.LexiconRow():
            return f"{_tests(node.tests) or 'each'} > {_plain_names(node.gives)}"
        case s.SequenceLine():
            never = "never " if node.never else ""
            return f"{condition(node.what)} {never}after {' '.join(map(name, node.before))}"
        case s.SpellingMark():
            text = "" if node.test == "capitals" else f" {spell.quoted(node.text)}"
            return f"{node.test}{text} > {_plain_names(node.gives)}"
        case s.Rule():
            return _rule(node)
        case s.Phrase():
            return f"phrase {', '.join(map(spell.quoted, node.phrases))} > {name(node.target)}"
        case s.OutputEntry():
            return f"{_token(node.token, quoted=node.quoted)}: {condition(node.score)}"
        case s.OutputRow():
            spelled = spell.quoted(node.token)
            return f"{_tests(node.tests)} > {spelled}: {condition(node.score)}"
        case s.OutputClassify():
            return f"classify {name(node.name)} in {expression(node.domain)}"
        case s.ClassEntry():
            label = node.label if spell.is_name(node.label) else spell.quoted(node.label)
            return (
                f"otherwise: {label}" if node.when is None else f"{label}: {condition(node.when)}"
            )
        case s.Example():
            return f"{node.raw[0]} -> {node.raw[1]}"
        case s.UseFile():
            return _use(node)
        case s.UseCircuit():
            return f"use {node.name}({', '.join(map(expression, node.arguments))})"
        case s.ListLine():
            return entries(node.value)


def _use(node: s.UseFile) -> str:
    prefix = "" if node.prefix is None else f" as {node.prefix}"
    when = "" if node.when is None else f" when {condition(node.when)}"
    return f"use {spell.quoted(node.path)}{prefix}{when}"


def _block(node: s.Block) -> str:  # noqa: PLR0911  one case per kind of block
    head = node.keyword if node.name is None else f"{node.keyword} {name(node.name)}"
    match node.keyword, node.arguments:
        case "circuit", parameters:
            return f"{head}({', '.join(map(str, parameters))}):"
        case (("lexicon" | "output"), (str(path), *columns)):
            named = " ".join(column.value for column in columns if isinstance(column, s.Text))
            return f"{node.keyword} from {spell.quoted(path)}{named and ' columns ' + named}:"
        case "reading", (what,):
            return f"reading {condition(what)}:"  # type: ignore[arg-type]
        case "sequence", (s.Name() as before, s.Name() as target):
            return f"sequence {name(before)} > {name(target)}:"
        case "semes", items:
            said = [_declaration(item) for item in items if isinstance(item, s.Declaration)]
            return " ".join(["semes:", *said])
        case "clocks", periods:
            return " ".join(["clocks:", *(f"/{_coefficient(period)}" for period in periods)])  # type: ignore[arg-type]
        case _:
            return f"{head}:"


def _field(node: s.Field[s.FieldValue]) -> str:  # noqa: C901, PLR0911, PLR0912  one per kind of value
    match node.key, node.value:
        case "periods", s.Items(items=periods):
            return " ".join(f"/{_coefficient(period)}" for period in periods)
        case "reads", tuple(items):
            return f"reads: {_plain_names(items)}" if items else "reads:"
        case "tokens", ("chars -> words" | "words -> chars") as both:
            return f"tokens: {both}"
        case "tokens", str(text):
            return f"tokens: {spell.quoted(text)}"
        case stack, s.LearnedLayers() as layers:
            return f"{stack}: {_layers(layers)}"
        case "separate", s.Items(items=parts):
            return f"separate: {' '.join(map(expression, parts))}"
        case "trim", s.Number(value=leaving):
            return "trim: punctuation" + ("" if leaving == 1 else f" leaving {leaving}")
        case "length", s.Items(items=parts):
            return f"length: {' -> '.join(map(expression, parts))}"
        case key, s.Extreme(form=ranked, where=where):
            condition_text = "" if where is None else f" where {condition(where)}"
            return f"{key}: {form(ranked)}{condition_text}"
        case _, s.Copy(names=names, prefix=prefix):
            return f"copy: {' '.join(map(name, names))} as {name(prefix)}"
        case _, s.Rest(filler=rest, below=below):
            limit = "" if below is None else f" below {_signed(below)}"
            return f"else: {entries(rest)}{limit}"
        case key, tuple(items):
            return _keyed(key, items)
        case ("kind" | "tokens" | "binding" | "norm" | "layers") as key, s.Variable(name=word):
            return f"{key}: {word}"
        case "phrases", _:
            return "join: phrases"
        case "join", str(end):
            return f"join: {spell.quoted(end)}"
        case key, str(word):
            return f"{key}: {word}"
        case key, s.Name() as target:
            return f"{key}: {name(target)}"
        case key, (
            s.Truth() | s.Comparison() | s.Quantified() | s.Not() | s.AllOf() | s.AnyOf()
        ) as c:
            return f"{key}: {condition(c)}"
        case ("at" | "querypos" | "keypos") as key, value:
            text = _signed(value)  # type: ignore[arg-type]
            return f"{key}: {text if text.startswith('-') else '+' + text}"
        case "repeat", value:
            return f"repeat: {expression(value)}"  # type: ignore[arg-type]
        case key, value:
            return f"{key}: {_signed(value)}"  # type: ignore[arg-type]


def _layers(layers: s.LearnedLayers) -> str:
    heads = "" if layers.heads is None else f" heads {expression(layers.heads)}"
    units = "" if layers.filter is None else f" filter {expression(layers.filter)}"
    return f"layers {expression(layers.which)}{heads}{units}"


def _keyed(key: str, items: s.Entries) -> str:
    return f"{key}: {entries(items)}" if items else f"{key}:"


def _declaration(item: s.Declaration) -> str:
    match item.values:
        case None:
            return name(item.name)
        case str():
            return f"{name(item.name)}: {item.values}"
        case s.Range():
            step = "" if item.step is None else f" step {expression(item.step)}"
            return f"{name(item.name)}: {expression(item.values)}{step}"


def _tests(tests: Iterable[s.RowTest]) -> str:
    return " & ".join(map(_test, tests))


def _test(test: s.RowTest) -> str:
    values = " ".join(v if v.isalnum() else spell.quoted(v) for v in test.values)
    how = "=" if test.test == "=" else f" {test.test} "
    return f"{'!' if test.negated else ''}{test.column}{how}{values}"


def _token(text: str, *, quoted: bool) -> str:
    return spell.quoted(text) if quoted else text


def _rule(node: s.Rule) -> str:
    when = "" if node.when is None else f" when {condition(node.when)}"
    if isinstance(node.target, s.Name):
        assert node.value is not None
        return f"{name(node.target)}: {value(node.value)}{when}"
    if node.when is None:
        return f"{entries(node.target)} otherwise"
    return f"{entries(node.target)}{when}"


# ------------------------------------------------------------------ entries


def entries(items: s.Entries) -> str:
    """A list: a pure vector with blanks between its terms, anything else with commas."""
    if all(isinstance(item, s.Entry) and item.kind == "vector" and not item.mark for item in items):
        return " ".join(entry(item) for item in items if isinstance(item, s.Entry))
    return ", ".join(_loop(item) if isinstance(item, s.Loop) else entry(item) for item in items)


def _loop(item: s.Loop) -> str:
    return f"{_clauses(item.clauses)}: {', '.join(map(entry, item.body))}"


def _clauses(clauses: Iterable[s.Clause]) -> str:
    return " ".join(_clause(clause) for clause in clauses)


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
    amount = "" if part.coefficient is None else _coefficient(part.coefficient)
    if part.name is None:
        return amount
    gap = " " if "e" in amount.lower() and not amount.startswith("{") else ""
    return f"{amount}{gap}{name(part.name)}"


def _coefficient(node: s.Expression) -> str:
    return node.text if isinstance(node, s.Number) else f"{{{expression(node)}}}"


def _signed(node: s.Expression) -> str:
    match node:
        case s.Operation(operator="neg", operands=(s.Number(text=text),)):
            return f"-{text}"
        case s.Operation(operator="neg", operands=(operand,)):
            return f"-{_coefficient(operand)}"
        case s.Number(text=text):
            return text
        case _:
            return f"{{{expression(node)}}}"


def _plain_names(items: s.Entries) -> str:
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
        return f"{form(node.form)} {node.function} {expression(node.arguments[0])}"
    return f"{node.function}({', '.join([form(node.form), *map(_signed, node.arguments)])})"


def form(parts: s.Form) -> str:
    """``2say - 4``."""
    first, *rest = parts
    text = term(first, plus=False)
    for part in rest:
        text += f" {'-' if part.sign < 0 else '+'} {_unsigned(part)}"
    return text


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
            where = f" where {_tests(node.tests)}" if node.tests else ""
            return f"column {node.column} of {spell.quoted(node.path)}{where}"
        case s.Operation():
            return _operation(node, strength)


def _operation(node: s.Operation, strength: int) -> str:
    if node.operator == "neg":
        text = f"-{expression(node.operands[0], 3)}"
        return f"({text})" if strength > 3 else text
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
