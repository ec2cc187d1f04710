"""What mends a mistake, where that is known: the name that was meant, or a declaration."""

import re
from dataclasses import dataclass

from progtf.notation.diagnostics import Diagnostic, Source, Span

_PLAIN_NAME = re.compile(r"[^\W\d][\w.]*")
_SUGGESTED = re.compile(r"did you mean `([^`]+)`")
_SEMES = re.compile(r"(semes:)([^#]*?)\s*(?:#.*)?")
_BELOW = re.compile(r"(\s+)\S.*")
_BEGINS = re.compile(r"[^\s#].*")


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text that is put where a span begins, which is empty."""

    span: Span
    text: str


def meant(diagnostic: Diagnostic) -> str | None:
    """What was probably meant in the place of what is wrong."""
    suggested = _SUGGESTED.search(diagnostic.help)
    return suggested and suggested.group(1)


def undeclared(diagnostic: Diagnostic) -> str | None:
    """The name that a program would have to declare; None where that would mend nothing."""
    span = diagnostic.span
    lines = span.source.lines
    name = lines[span.line - 1][span.start : span.end] if span.line <= len(lines) else ""
    plain = diagnostic.code == "unknown-seme" and _PLAIN_NAME.fullmatch(name)
    return name if plain else None


def declaration(source: Source, name: str) -> Insertion:
    """What declares a flag in a text: with the semes that are declared, or before all else."""
    for number, line in enumerate(source.lines, start=1):
        if found := _SEMES.fullmatch(line):
            return _beside(source, number, name, *found.groups())
    lines = enumerate(source.lines, start=1)
    first = next((n for n, line in lines if _BEGINS.fullmatch(line)), len(source.lines))
    return _put(source, first, 0, f"semes: {name}\n\n")


def _beside(source: Source, number: int, name: str, head: str, listed: str) -> Insertion:
    """At the end of a line of semes, or of the lines below it; before all that has a range."""
    if listed.strip():
        column = len(head) if ".." in listed else len(head + listed)
        return _put(source, number, column, f" {name}")
    last, indent = number, ""
    for line in source.lines[number:]:
        below = _BELOW.fullmatch(line)
        if not below:
            break
        last, indent = last + 1, indent or below[1]
    return _put(source, last, len(source.lines[last - 1]), f"\n{indent or '  '}{name}")


def _put(source: Source, line: int, column: int, text: str) -> Insertion:
    return Insertion(Span(source, line, column, column), text)
