"""A program and an input as one figure: what the front-end draws, in a notebook or on a page."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from progtf.notation.diagnostics import Source, Span
from progtf.notation.highlight import codemirror
from progtf.notation.render import SemeError
from progtf.notation.vocabulary import for_editors
from progtf.program.answers import EndlessError
from progtf.program.model import Layer, Program
from progtf.program.tokens import InputError
from progtf.running.interpret import answer
from progtf.views.editor import examine

Data = dict[str, Any]
PANELS = (
    "editor", "input", "residual", "attention", "clocks",
    "steps", "compare", "matrices", "glossary",
)  # fmt: skip


def figure(
    source: Source,
    folder: Path | None,
    text: str | None = None,
    panels: Sequence[str] = PANELS,
    begin: Mapping[str, Any] | None = None,
) -> Data:
    """The state in which a figure begins.

    Args:
        source: the program; it may have errors, which are shown then.
        folder: where files that it uses are looked up; None: library files only.
        text: the input; None: that of the first example.
        panels: what is shown, some of ``PANELS``.
        begin: what a reader may change later: ``only`` (parts of the names of the semes that are
            shown), ``focus`` (the stack, layer or loop in sight), ``head`` (the name of the head
            that is shown large) and ``token`` (the position that is locked).

    Raises:
        ValueError: for a panel that there is not.
    """
    wrong = [panel for panel in panels if panel not in PANELS]
    if wrong:
        raise ValueError(f"panel {wrong[0]!r} is none of {', '.join(PANELS)}")
    found = examine(source.text, source.name, folder, () if text is None else (text,))
    shown = {"text": source.text, "name": source.name, "input": text, "panels": [*panels]}
    return {**found, **shown, **(begin or {}), "highlight": codemirror() | {"means": for_editors()}}


def source_of(program: Program) -> Source:
    """The text that a program was read from.

    Raises:
        ValueError: if nothing of the program stands in its own text.
    """
    for span in _spans(program):
        if span.source.name == program.name:
            return span.source
    raise ValueError(f"the text of {program.name} is not known; give the text itself")


def _spans(program: Program) -> Iterator[Span]:
    for stage in (*program.encoder, *program.decoder):
        yield stage.span
        if isinstance(stage, Layer):
            yield from (head.span for head in (*stage.heads, *stage.cross))
    yield from (example.span for example in program.examples)
    if program.cell is not None:
        yield program.cell.span


def first_input(program: Program) -> str | None:
    """The input of the first example that the program can take; None without one."""
    for example in program.examples:
        text = example.input
        try:
            answer(program, text)
        except EndlessError:
            return text
        except (InputError, SemeError):
            continue
        return text
    return None
