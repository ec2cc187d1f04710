"""Syntax to text: one line per statement, as ``progtf fmt`` writes it."""

from collections.abc import Iterable

from progtf.notation import spell
from progtf.notation import syntax as s
from progtf.notation.fields import field_text
from progtf.notation.unparse import (
    clauses,
    coefficient,
    condition,
    entries,
    expression,
    name,
    plain_names,
    row_tests,
    value,
)


def line_of(node: s.Statement) -> str:  # noqa: C901, PLR0911, PLR0912  one case per statement
    """The line that a statement is written as, without what stands below it."""
    match node:
        case s.Block():
            return _block(node)
        case s.Periods(values=periods):
            return " ".join(f"/{coefficient(period)}" for period in periods)
        case s.Field():
            return field_text(node)
        case s.Fields(items=fields):
            return " ".join(map(field_text, fields))
        case s.ForBlock():
            return f"{clauses(node.clauses)}:"
        case s.Let():
            return f"let {node.name} = {expression(node.value)}"
        case s.Alias():
            return f"{name(node.name)} := {condition(node.value)}"
        case s.NamedValue():
            return _keyed(name(node.name), node.value)
        case s.Declarations():
            return " ".join(declaration(item) for item in node.items)
        case s.LexiconEntry():
            shown = (
                "unknown" if token is None else _token(token, quoted=quoted)
                for token, quoted in node.tokens
            )
            return _keyed(" ".join(shown), node.value)
        case s.LexiconRow():
            return f"{row_tests(node.tests) or 'each'} > {plain_names(node.gives)}"
        case s.SequenceLine():
            never = "never " if node.never else ""
            return f"{condition(node.what)} {never}after {' '.join(map(name, node.before))}"
        case s.SpellingMark():
            return f"{spell.mark(node.test, node.text)} > {plain_names(node.gives)}"
        case s.ReadAs():
            return f"read {spell.read_as(node.text, node.meant, node.where)}"
        case s.Rule():
            return _rule(node)
        case s.Phrase():
            return f"phrase {', '.join(map(spell.quoted, node.phrases))} > {name(node.target)}"
        case s.OutputEntry():
            return f"{_token(node.token, quoted=node.quoted)}: {condition(node.score)}"
        case s.OutputRow():
            spelled = spell.quoted(node.token)
            return f"{row_tests(node.tests)} > {spelled}: {condition(node.score)}"
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
            return f"{node.keyword} from {spell.quoted(path)}{_named(columns)}:"
        case "reading", (what,):
            return f"reading {condition(what)}:"  # type: ignore[arg-type]
        case "loop", (s.Until(most=most, flag=flag, none=none, asked=asked),):
            until = f"until {'no ' if none else ''}{name(flag)}"
            when = f" when {' & '.join(map(name, asked))}" if asked else ""
            return f"{head} up to {expression(most)} {until}{when}:"
        case "sequence", (s.Name() as before, s.Name() as target):
            return f"sequence {name(before)} > {name(target)}:"
        case "semes", items:
            said = [declaration(item) for item in items if isinstance(item, s.Declaration)]
            return " ".join(["semes:", *said])
        case "clocks", periods:
            return " ".join(["clocks:", *(f"/{coefficient(period)}" for period in periods)])  # type: ignore[arg-type]
        case _:
            return f"{head}:"


def _named(columns: Iterable[object]) -> str:
    """What is said of the columns of a table: their names, or which of them have words."""
    named = " ".join(column.value for column in columns if isinstance(column, s.Text))
    forms = " ".join(name for each in columns if isinstance(each, s.Forms) for name in each.columns)
    return f"{named and ' columns ' + named}{forms and ' forms ' + forms}"


def _keyed(key: str, items: s.Entries) -> str:
    return f"{key}: {entries(items)}" if items else f"{key}:"


def declaration(item: s.Declaration) -> str:
    """``place[0..9]: 0..9``, one seme of a line of ``semes:``."""
    match item.values:
        case None:
            return name(item.name)
        case str():
            return f"{name(item.name)}: {item.values}"
        case s.Range():
            step = "" if item.step is None else f" step {expression(item.step)}"
            return f"{name(item.name)}: {expression(item.values)}{step}"


def _token(text: str, *, quoted: bool) -> str:
    return spell.quoted(text) if quoted else text


def _rule(node: s.Rule) -> str:
    when = "" if node.when is None else f" when {condition(node.when)}"
    if isinstance(node.target, s.Name):
        assert node.value is not None
        sets = "set " if node.sets else ""
        return f"{sets}{name(node.target)}: {value(node.value)}{when}"
    if node.when is None:
        return f"{entries(node.target)} otherwise"
    return f"{entries(node.target)}{when}"
