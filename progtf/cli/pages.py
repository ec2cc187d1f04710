"""``progtf export`` and ``progtf notebook``: programs to look at and to play with."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from progtf.atomic import write
from progtf.cli.messages import UserError, say, warn
from progtf.extras import needed


def export(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="A `.seme` program or an `.ipynb` notebook; with --edit, several programs, "
            "texts in Markdown with figures in them, and tasks."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="The page to write.")] = None,
    text: Annotated[
        str | None, typer.Option("--input", help="The input shown first; else the first example.")
    ] = None,
    *,
    edit: Annotated[
        bool, typer.Option("--edit", help="A folder whose pages read changed programs as well.")
    ] = False,
    site: Annotated[
        Path | None, typer.Option("--site", help="A folder for the essay of progtf, with Python.")
    ] = None,
) -> None:
    """Write one self-contained interactive page: no Python, no network, opens anywhere.

    Readers can change the input, drag clocks and switch heads off. With --edit they change the
    program too: -o names a folder then, for any server of files, with Python for the browser in
    it, and a page for each program. A notebook is run from clean first.

    Examples:
        progtf export examples/article/attention_with_positions.seme -o page.html

        progtf export --edit examples/article/attention_with_positions.seme -o folder

        progtf export --edit examples/article/*.seme -o site

        progtf export --site folder
    """
    if site is not None:
        _essay(site, files or (), text)
        return
    if not files or out is None:
        raise UserError("say what to export and, after -o, where to; or --site FOLDER")
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
    write(out, page, named=True)
    say(f"wrote {out}, {out.stat().st_size / 1000:.0f} kB")


def _essay(folder: Path, files: Sequence[Path], text: str | None) -> None:
    from progtf.cli.site import write_site  # noqa: PLC0415  quick start of other commands
    from progtf.widgets.examples import essay  # noqa: PLC0415

    if files or text is not None:
        raise UserError("--site writes the essay: files go with --edit, and -o FOLDER")
    write_site(essay(), folder)


def _program(file: Path, text: str | None) -> str:
    from progtf.cli.page_body import about, body  # noqa: PLC0415  quick start of other commands
    from progtf.cli.texts import read_text  # noqa: PLC0415
    from progtf.views.page import page  # noqa: PLC0415

    title, shown = body(file, text)
    return page(title, shown, about=about(read_text(file)), closed=True)


def _notebook(file: Path) -> str:
    needed("nbclient", "nbconvert")
    from nbclient.exceptions import CellExecutionError  # noqa: PLC0415  not everyone has notebooks

    from progtf.widgets.export import NotebookError, notebook_page  # noqa: PLC0415

    if not file.is_file():
        raise UserError(f"there is no file {file}")
    try:
        return notebook_page(file)
    except NotebookError as error:
        raise UserError(f"{file}: {error}") from None
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
