"""Diagnostics as text: headline, place, the source line with a caret, help."""

from collections.abc import Iterable

from progtf.notation.diagnostics import Diagnostic, Note, Span

SHOWN_AT_MOST = 50
WIDEST_LINE = 160


def render(diagnostic: Diagnostic) -> str:
    """One diagnostic, several lines, no colour."""
    head = f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.headline}"
    span = diagnostic.span
    pieces = sorted(
        [(note.span, "-", note.text) for note in _nearby(diagnostic)]
        + [(span, "^", diagnostic.label)],
        key=lambda piece: piece[0].line,
    )
    margin = max(len(str(piece[0].line)) for piece in pieces)
    lines = [head, f"{' ' * margin}--> {span.source.name}:{span.line}:{span.start + 1}"]
    for place, mark, text in pieces:
        lines += _excerpt(place, mark, text, margin)
    lines += [
        f"{' ' * margin} = note: {note.text} at {note.span.source.name}:{note.span.line}"
        for note in diagnostic.notes
        if note.span.source != span.source
    ]
    if diagnostic.help:
        lines.append(f"{' ' * margin} = help: {diagnostic.help}")
    return "\n".join(lines)


def render_all(diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics in the order of their places, separated by empty lines."""
    ordered = sorted(diagnostics, key=lambda d: (d.span.source.name, d.span.line, d.span.start))
    shown = [render(diagnostic) for diagnostic in ordered[:SHOWN_AT_MOST]]
    hidden = len(ordered) - len(shown)
    return "\n\n".join(shown + ([f"and {hidden} more"] if hidden else []))


def _nearby(diagnostic: Diagnostic) -> list[Note]:
    return [note for note in diagnostic.notes if note.span.source == diagnostic.span.source]


def _excerpt(span: Span, mark: str, text: str, margin: int) -> list[str]:
    line = span.source.lines[span.line - 1] if span.line <= len(span.source.lines) else ""
    start, shown = _window(line, span)
    width = max(1, min(span.end, start + len(shown)) - span.start)
    pad = "".join("\t" if c == "\t" else " " for c in shown[: span.start - start])
    under = f"{pad}{mark * width} {text}".rstrip()
    return [f"{span.line:>{margin}} | {shown}", f"{' ' * margin} | {under}"]


def _window(line: str, span: Span) -> tuple[int, str]:
    """The part of a very long line that is worth showing, and where it begins."""
    if len(line) <= WIDEST_LINE:
        return 0, line
    start = max(0, span.start - WIDEST_LINE // 2)
    return start, line[start : start + WIDEST_LINE]
