"""Diagnostics as text: headline, place, source line with a caret, help; the error that has them."""

import unicodedata
from collections.abc import Iterable, Sequence

from progtf.notation.diagnostics import Diagnostic, Span

SHOWN_AT_MOST = 20
WIDEST_LINE = 160
_UNSHOWABLE = ("Cc", "Cs", "Zl", "Zp")  # would break the line, the terminal or the encoding


def render(diagnostic: Diagnostic) -> str:
    """One diagnostic, several lines, no colour."""
    span = diagnostic.span
    own = [note for note in diagnostic.places if note.span.source == span.source]
    pieces = [*((note.span, "-", note.text) for note in own), (span, "^", diagnostic.label)]
    pieces.sort(key=lambda piece: (piece[0].line, piece[0].start))
    margin = max(len(str(piece[0].line)) for piece in pieces)
    indent = " " * margin
    lines = [
        f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.headline}",
        f"{indent}--> {span.source.name}:{span.line}:{columns(_before(span)) + 1}",
    ]
    shown = 0
    for place, mark, text in pieces:
        lines += _excerpt(place, mark, text, margin, again=place.line == shown)
        shown = place.line
    lines += [
        f"{indent} = note: {note.text} at {note.span.source.name}:{note.span.line}"
        for note in diagnostic.places
        if note not in own
    ]
    if diagnostic.help:
        lines.append(f"{indent} = help: {diagnostic.help}")
    return "\n".join(_showable(line) for line in lines)


def render_all(diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics in the order of their places, separated by empty lines."""
    ordered = sorted(diagnostics, key=lambda d: (d.span.source.name, d.span.line, d.span.start))
    shown = [render(diagnostic) for diagnostic in ordered[:SHOWN_AT_MOST]]
    hidden = len(ordered) - len(shown)
    return "\n\n".join(shown + ([f"and {hidden} more"] if hidden else []))


def _excerpt(span: Span, mark: str, text: str, margin: int, *, again: bool) -> list[str]:
    """The source line, unless it was just shown, and what points into it."""
    line = span.source.lines[span.line - 1] if span.line <= len(span.source.lines) else ""
    start, shown = _window(line, span)
    before, marked = shown[: span.start - start], shown[span.start - start : span.end - start]
    pad = "\t".join(" " * columns(part) for part in before.split("\t"))
    width = max(1, columns(before + marked) - columns(before))
    under = f"{pad}{mark * width} {text}".rstrip()
    above = [] if again else [f"{span.line:>{margin}} | {shown}"]
    return [*above, f"{' ' * margin} | {under}"]


def _before(span: Span) -> str:
    """What stands before a span in its line."""
    lines = span.source.lines
    return (lines[span.line - 1] if span.line <= len(lines) else "")[: span.start]


def _window(line: str, span: Span) -> tuple[int, str]:
    """The part of a very long line that is worth showing, and where it begins."""
    if len(line) <= WIDEST_LINE:
        return 0, line
    start = max(0, span.start - WIDEST_LINE // 2)
    return start, line[start : start + WIDEST_LINE]


def columns(text: str) -> int:
    """How many columns a terminal shows a text in: Chinese takes two a character, accents none."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # noqa: PLC0415  most texts need none

    shown = _showable(text).replace("\t", " ")
    width = wcswidth(shown)
    return len(shown) if width < 0 else width


def _showable(line: str) -> str:
    """The line with what cannot be shown replaced; nothing else in it moves."""
    return "".join(
        "\ufffd" if c != "\t" and unicodedata.category(c) in _UNSHOWABLE else c for c in line
    )


class SemeError(Exception):
    """A program that cannot be used; ``diagnostics`` holds everything that was found."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: Sequence[Diagnostic] = tuple(diagnostics)
        super().__init__(render_all(self.diagnostics))
