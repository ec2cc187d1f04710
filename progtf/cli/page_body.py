"""What a page about a program shows: its figure, and what its first comment says."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from progtf.cli.messages import UserError, warn
from progtf.cli.sources import read_program
from progtf.cli.texts import as_text, read_text
from progtf.notation.diagnostics import Source
from progtf.program.interface import interface_of
from progtf.program.model import Program
from progtf.program.tokens import InputError, Reader
from progtf.program.vectors import read_vectors
from progtf.views.figure import PANELS, figure, first_input
from progtf.views.page import program_body
from progtf.views.site import carried
from progtf.views.still import figure_html

Data = dict[str, Any]


def body(file: Path, text: str | None, python: str | None = None) -> tuple[str, str]:
    """The title of a page about a program, and what it says."""
    try:
        data, still = drawn(file, text, python)
    except InputError as error:
        raise UserError(f"--input: {error}") from None
    if python is None and data["program"]["cut"] is not None:
        warn("words are cut or looked up by Python: the page takes the examples and the input only")
    title = as_text(file.stem).replace("_", " ")
    return title, program_body(title, about(data["text"]), data, still, python)


def drawn(
    file: Path,
    text: str | None,
    python: str | None,
    panels: Sequence[str] = PANELS,
    begin: Mapping[str, Any] | None = None,
) -> tuple[Data, str]:
    """What a figure of a program shows at first, and that as a still picture.

    Args:
        file: the program.
        text: the input; None: the first example's.
        python: the folder of Python for browsers; None where the program is only looked at.
        panels: what is shown, as in ``figure``.
        begin: what is in sight at first, as in ``figure``.

    Raises:
        UserError: for a program that cannot be read, or a file that lies elsewhere.
        InputError: for an input that the program does not take.
    """
    program = read_program(file, warnings=True)
    source = Source(as_text(file.name), read_text(file))  # whoever reads the page has other folders
    return as_figure(source, program, file, text, python, panels, begin)


def as_figure(
    source: Source,
    program: Program,
    file: Path,
    text: str | None,
    python: str | None,
    panels: Sequence[str] = PANELS,
    begin: Mapping[str, Any] | None = None,
) -> tuple[Data, str]:
    """The same of a program that was read already; ``file``: where it stands.

    Raises:
        UserError: for a program that is asked again, or a file that lies elsewhere.
        InputError: as ``drawn``.
    """
    if program.again:
        why = "`again:`: a page shows one step, and this program's answers take several"
        raise UserError(f"{file}: {why}; `progtf run --steps` shows every step")
    text = first_input(program) if text is None else _readable(program, text)
    data = figure(source, file.parent, text, panels, begin)
    if python is not None:
        try:
            data["files"] = carried(source, file.parent)
        except ValueError as error:
            raise UserError(f"{file}: {error}") from None
    return data, figure_html(source.text, program, text, panels)


def _readable(program: Program, text: str) -> str:
    """An input that the program takes; raises InputError for any other."""
    shape = interface_of(program)
    if shape.takes_vectors:
        read_vectors(text, program.space.names[: program.semes], shape.vectors)
    else:
        Reader.of(shape).read(text)
    return text


def about(text: str) -> str:
    """The first sentence of a program's first comment."""
    lines = takewhile(lambda line: line.startswith("#"), text.lstrip("\ufeff").split("\n"))
    said = ""
    for line in lines:
        said = f"{said} {line.removeprefix('#').strip()}".strip()
        if said.endswith((".", "?", "!", ":")) or line == "#":
            break
    name, colon, rest = said.partition(": ")
    if not colon or not name.endswith(".seme"):
        return said
    return rest if "." in rest.partition(" ")[0] else rest[:1].upper() + rest[1:]
