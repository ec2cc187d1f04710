"""Aliases and named values: collected from wherever they stand, and none made of itself."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from progtf.building import problems
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Report, Span
from progtf.notation.messages import too_many_terms

MOST_TERMS = 10_000


@dataclass
class Definitions:
    """What ``:=`` and ``name:`` define."""

    aliases: dict[str, f.Condition] = field(default_factory=dict[str, f.Condition])
    values: dict[str, f.NamedValue[str, f.Entries]] = field(
        default_factory=dict[str, f.NamedValue[str, f.Entries]]
    )


def build_definitions(
    statements: Iterable[f.Statement],
    declared: Mapping[str, Span],
    report: Report,
) -> Definitions:
    """The aliases and values of a program.

    One that contains itself, or that comes to too many terms, is reported and taken as 0.
    """
    found = Definitions()
    spans: dict[str, Span] = {}
    for statement in statements:
        if not isinstance(statement, (f.Alias, f.NamedValue)):
            continue
        name = statement.name
        first = declared.get(name) or spans.get(name)
        if first is not None:
            report(problems.order.twice("duplicate-name", statement.span, f"`{name}`", first))
        spans[name] = statement.span
        found.aliases.pop(name, None)  # a name means one thing, even if it is given twice
        found.values.pop(name, None)
        if isinstance(statement, f.Alias):
            found.aliases[name] = statement.value
        else:
            found.values[name] = statement
    _check(found, spans, report)
    return found


def _check(found: Definitions, spans: Mapping[str, Span], report: Report) -> None:
    """Replaces what cannot be used by 0, so that its uses are no further mistakes."""
    parts = {name: list(_parts(name, found)) for name in spans}
    made_of = {
        name: [p for p in some if p is not None and p in spans] for name, some in parts.items()
    }
    sizes: dict[str | None, int] = {}
    wrong: dict[str, Diagnostic] = {}
    for circle in circles(made_of):
        for name in circle:
            if len(circle) > 1 or name in made_of[name]:
                wrong[name] = problems.names.alias_cycle(spans[name], name)
                sizes[name] = 1
        for name in circle:
            size = sum(sizes.get(part, 1) for part in parts[name])
            if name not in wrong and size > MOST_TERMS:
                wrong[name] = too_many_terms(spans[name], MOST_TERMS)
            sizes[name] = 1 if name in wrong else size
    for name, span in spans.items():
        if name not in wrong:
            continue
        report(wrong[name])
        if name in found.aliases:
            found.aliases[name] = f.Truth((f.Term(0.0, None, span),), span)
        else:
            found.values[name] = replace(found.values[name], value=())


def circles(made_of: Mapping[str, Iterable[str]]) -> Iterator[list[str]]:
    """Names in groups that are made of each other, most of one name; what others are made of first.

    Tarjan's strongly connected components, without recursion.
    """
    number: dict[str, int] = {}
    first: dict[str, int] = {}
    open_names: dict[str, None] = {}
    for root in made_of:
        work = [] if root in number else [(root, iter(made_of[root]))]
        while work:
            name, rest = work[-1]
            if name not in number:
                number[name] = first[name] = len(number)
                open_names[name] = None
            for part in rest:
                if part not in number:
                    work.append((part, iter(made_of[part])))
                    break
                if part in open_names:
                    first[name] = min(first[name], number[part])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    first[above] = min(first[above], first[name])
                if first[name] == number[name]:
                    circle = [open_names.popitem()[0]]
                    while circle[-1] != name:
                        circle.append(open_names.popitem()[0])
                    yield circle


def _parts(name: str, found: Definitions) -> Iterator[str | None]:
    if name in found.aliases:
        yield from (term.name for term in _terms(found.aliases[name]))
        return
    for entry in found.values[name].value:
        yield entry.terms[0].name if entry.kind == "vector" else None


def _terms(condition: f.Condition) -> Iterator[f.Term]:
    match condition:
        case f.Truth(form=form):
            yield from form
        case f.Comparison(left=left, right=right):
            yield from (*left, *right)
        case f.Not(part=part):
            yield from _terms(part)
        case f.AllOf(parts=parts) | f.AnyOf(parts=parts):
            for part in parts:
                yield from _terms(part)
