"""Places and mistakes as the protocol writes them: lines from 0, columns in the client's units."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.workspace import PositionCodec

from progtf.lsp.document import Document
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Diagnostic, Source, Span

_SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
}


def range_of(span: Span, codec: PositionCodec) -> types.Range:
    """A part of a line."""
    return types.Range(*(_position(span, column, codec) for column in (span.start, span.end)))


def lines_range(first: int, last: int) -> types.Range:
    """From the beginning of a line, counted from 1, to the end of another."""
    return types.Range(types.Position(first - 1, 0), types.Position(last, 0))


def _position(span: Span, column: int, codec: PositionCodec) -> types.Position:
    lines = span.source.lines
    line = lines[span.line - 1] if span.line <= len(lines) else ""
    raw = span.source.apart.get(span.line, line)
    at = span.source.written(span.line, column)
    return types.Position(max(0, span.line - 1), codec.client_num_units(raw[:at]))


def place_of(document: Document, at: types.Position, codec: PositionCodec) -> tuple[int, int]:
    """Line from 1 and column in characters of a client's position, within the text."""
    source = document.parsed[0].span.source
    line = min(at.line, len(source.lines) - 1)
    raw = source.apart.get(line + 1, source.lines[line])
    inside = codec.position_from_client_units([raw], types.Position(0, at.character))
    return line + 1, source.read(line + 1, inside.character)


def diagnostics(
    document: Document, found: tuple[Diagnostic, ...], codec: PositionCodec
) -> Iterator[types.Diagnostic]:
    """Mistakes at their places; those of used files stand where these are used."""
    for each in found:
        own = each.span.source.name == document.name
        span = each.span if own else _where_used(document, each.span.source)
        where = "" if own else f"{each.span.source.name}:{each.span.line}: "
        notes = (f"line {note.span.line}: {note.text}" for note in each.places if own)
        said = [where + each.headline, each.label, each.help and f"help: {each.help}", *notes]
        yield types.Diagnostic(
            range_of(span, codec),
            "\n".join(filter(None, said)),
            severity=_SEVERITY[each.severity],
            code=each.code,
            source="progtf",
        )


def _where_used(document: Document, source: Source) -> Span:
    """The line that uses a text, or the first."""
    file = document.parsed[0]
    for statement in file.statements:
        if isinstance(statement, s.UseFile):
            used = document.files.of(statement)
            if used is not None and used.name == source.name:
                return statement.span
    return file.span


def location(document: Document, span: Span, codec: PositionCodec) -> types.Location | None:
    """Where a span lies; None if that is no file."""
    path = document.path(span.source)
    if path is None:
        return None
    return types.Location(Path(path).resolve().as_uri(), range_of(span, codec))


def columns_range(
    document: Document, line: int, start: int, end: int, codec: PositionCodec
) -> types.Range:
    """Part of a line of a document, by columns in characters."""
    return range_of(Span(document.parsed[0].span.source, line, start, end), codec)


def judged(
    document: Document, judgement: dict[str, Any], codec: PositionCodec
) -> Iterator[types.Diagnostic]:
    """What a proof found, and the examples that fail."""
    source = document.parsed[0].span.source
    for each in judgement.get("problems", ()):
        span = Span(source, each["line"], each["start"], each["end"])
        said = "\n".join(filter(None, [each["text"], each["help"] and f"help: {each['help']}"]))
        yield _problem(span, said, each["code"], codec)
    for each in judgement.get("wrong", ()):
        text = source.lines[each["line"] - 1]
        span = Span(source, each["line"], len(text) - len(text.lstrip()), len(text))
        yield _problem(span, f"this example fails: {each['found']}", "example-fails", codec)


def _problem(span: Span, said: str, code: str, codec: PositionCodec) -> types.Diagnostic:
    warning = types.DiagnosticSeverity.Warning
    return types.Diagnostic(
        range_of(span, codec), said, severity=warning, code=code, source="progtf"
    )


def lenses(document: Document, judgement: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """What is said above a line: whether a program is exact, how many examples are right."""
    if outcome := judgement.get("outcome"):
        yield 1, f"check: {outcome}"
    if failed := judgement.get("failed"):
        yield 1, f"check failed, which is a fault of progtf: {failed}"
    for block in document.parsed[0].statements:
        examples = isinstance(block, s.Block) and block.keyword == "examples"
        if examples and "count" in judgement:
            right = judgement["count"] - len(judgement["wrong"])
            yield block.span.line, f"examples: {right} of {judgement['count']}"
