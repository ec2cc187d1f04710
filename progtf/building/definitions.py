"""Aliases and named values: collected from wherever they stand, and none made of itself."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from progtf.building import problems
from progtf.notation import flat as f
from progtf.notation.diagnostics import Report, Span
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
        if isinstance(statement, f.Alias):
            found.aliases[name] = statement.value
        else:
            found.values[name] = statement
    _check(found, spans, report)
    return found


def _check(found: Definitions, spans: Mapping[str, Span], report: Report) -> None:
    """Replaces what cannot be used by 0, so that its uses are no further mistakes."""
    sizes: dict[str, float] = {}
    for name, span in spans.items():
        size = _size(name, found, sizes, frozenset())
        if size <= MOST_TERMS:
            continue
        endless = size == float("inf")
        told, word = (problems.names.alias_cycle, name) if endless else (too_many_terms, MOST_TERMS)
        report(told(span, word))
        sizes[name] = 1
        if name in found.aliases:
            found.aliases[name] = f.Truth((f.Term(0.0, None, span),), span)
        else:
            found.values[name] = replace(found.values[name], value=())


def _size(name: str, found: Definitions, sizes: dict[str, float], above: frozenset[str]) -> float:
    """How many terms a definition comes to; infinity for one that contains itself."""
    if name in above:
        return float("inf")
    if name not in sizes:
        parts = list(_parts(name, found))
        defined = [part for part in parts if part in found.aliases or part in found.values]
        inside = (_size(part, found, sizes, above | {name}) for part in defined)
        sizes[name] = len(parts) - len(defined) + sum(inside)
    return sizes[name]


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
