"""``progtf export`` and ``progtf notebook``: programs to look at and to play with."""

import os
import sys
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from progtf.atomic import write
from progtf.cli.messages import UserError, say, warn
from progtf.cli.sources import read_program
from progtf.cli.texts import read_text
from progtf.extras import needed

if TYPE_CHECKING:
    from progtf.program.model import Program


def export(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="A `.seme` program or an `.ipynb` notebook; with --edit, several programs."
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The page to write.")],
    text: Annotated[
        str | None, typer.Option("--input", help="The input shown first; else the first example.")
    ] = None,
    *,
    edit: Annotated[
        bool, typer.Option("--edit", help="A folder whose pages read changed programs as well.")
    ] = False,
) -> None:
    """Write one self-contained interactive page: no Python, no network, opens anywhere.

    Readers can change the input, drag clocks and switch heads off. With --edit they change the
    program too: -o names a folder then, for any server of files, with Python for the browser in
    it, and a page for each program. A notebook is run from clean first.

    Examples:
        progtf export examples/article/attention_with_positions.seme -o page.html
        progtf export --edit examples/article/attention_with_positions.seme -o folder

        progtf export --edit examples/article/*.seme -o site
    """
    if edit:
        from progtf.cli.site import write_site  # noqa: PLC0415  quick start of other commands

        write_site(files, out, text)
        return
    file, *others = files
    if others:
        raise UserError(
            f"{others[0]}: one page shows one program; --edit writes a folder of several"
        )
    page = _notebook(file) if file.suffix == ".ipynb" else _program(file, text)
    write(out, page)
    say(f"wrote {out}, {out.stat().st_size / 1000:.0f} kB")


def _program(file: Path, text: str | None) -> str:
    from progtf.views.page import page  # noqa: PLC0415  quick start of other commands

    return page(*body(file, text))


def body(file: Path, text: str | None, python: str | None = None) -> tuple[str, str]:
    """The title of a page about a program, and what it says."""
    from progtf.notation.diagnostics import Source  # noqa: PLC0415  quick start of other commands
    from progtf.views.figure import figure, first_input  # noqa: PLC0415
    from progtf.views.page import program_body  # noqa: PLC0415
    from progtf.views.site import carried  # noqa: PLC0415
    from progtf.views.still import figure_html  # noqa: PLC0415

    program = read_program(file, warnings=True)
    source = Source(str(file), read_text(file))
    text = first_input(program) if text is None else _readable(program, text)
    data = figure(source, file.parent, text)
    if python is not None:
        try:
            data["files"] = carried(source, file.parent)
        except ValueError as error:
            raise UserError(f"{file}: {error}") from None
    elif data["program"]["cut"] is not None:
        warn("words are cut or looked up by Python: the page takes the examples and the input only")
    title, still = file.stem.replace("_", " "), figure_html(source.text, program, text)
    return title, program_body(title, about(source.text), data, still, python)


def _readable(program: "Program", text: str) -> str:
    """An input that the program takes, given as ``--input``."""
    from progtf.program.interface import interface_of  # noqa: PLC0415  numpy takes its time
    from progtf.program.tokens import InputError, Reader  # noqa: PLC0415

    try:
        if program.kind != "dense":  # which reads vectors
            Reader.of(interface_of(program)).read(text)
    except InputError as error:
        raise UserError(f"--input: {error}") from None
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


def _notebook(file: Path) -> str:
    needed("nbclient", "nbconvert")
    from nbclient.exceptions import CellExecutionError  # noqa: PLC0415  not everyone has notebooks

    from progtf.widgets.export import notebook_page  # noqa: PLC0415

    if not file.is_file():
        raise UserError(f"there is no file {file}")
    try:
        return notebook_page(file)
    except CellExecutionError as error:
        raise UserError(f"{file}: a cell fails\n{error}") from None


def notebook(
    folder: Annotated[Path, typer.Argument(help="Where your copy of the tour lies.")] = Path(
        "progtf-tour"
    ),
    *,
    only_copy: Annotated[
        bool, typer.Option("--only-copy", help="Copy the notebooks and do not open JupyterLab.")
    ] = False,
) -> None:
    """Open the tour in JupyterLab: the article's figures, to edit in place.

    The notebooks are copied to a folder of your own; what is there already is left as it is.
    """
    needed("anywidget", "jupyterlab")
    from progtf.widgets.examples import tour  # noqa: PLC0415  not everyone has notebooks

    folder.mkdir(parents=True, exist_ok=True)
    for path in tour():
        if not (folder / path.name).exists():
            write(folder / path.name, path.read_text(encoding="utf-8"))
    say(f"the tour lies in {folder}; it begins with {tour()[0].name}")
    if not only_copy:
        command = [sys.executable, "-m", "jupyterlab", str(folder / tour()[0].name)]
        if os.geteuid() == 0:  # as in containers, where JupyterLab would end at once
            warn("you are root, and so is whatever runs in the notebooks: JupyterLab is told so")
            command.append("--allow-root")
        sys.stdout.flush()
        os.execv(sys.executable, command)  # noqa: S606
