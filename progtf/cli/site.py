"""``progtf export --edit``: a folder of programs that readers change in their browser."""

import shlex
from collections.abc import Sequence
from html import escape
from pathlib import Path

from progtf.atomic import write
from progtf.cli.messages import UserError, say
from progtf.cli.pages import about, body
from progtf.cli.texts import read_text
from progtf.views.page import site_page
from progtf.views.site import GET, PYODIDE, write_python

ASSETS = "python/"
"""Where front-end and Python lie, as the pages see it."""


def write_site(files: Sequence[Path], out: Path, text: str | None = None) -> None:
    """Writes a page for each program, and for several of them one that lists them.

    Args:
        files: programs. Of one the page is ``index.html``, of several they are called as these.
        out: the folder.
        text: the input that is shown first; of several programs each has its first example.

    Raises:
        UserError: for a notebook, two programs of one name, an input for several programs, and
            without Python for browsers.
    """
    _checked(files, text)
    alone = len(files) == 1
    made = {"index" if alone else file.stem: (file, *body(file, text, ASSETS)) for file in files}
    try:
        write_python(out / ASSETS)
    except FileNotFoundError as error:
        raise UserError(
            f"Python for browsers cannot be found: {error}\n"
            f"get it once: {GET}\nand say where: {PYODIDE}=FOLDER/node_modules/pyodide"
        ) from None
    for name, (_, title, shown) in made.items():
        back = "" if alone else '<p class="about"><a href="index.html">all programs</a></p>'
        write(out / f"{name}.html", site_page(title, back + shown, ASSETS))
    if not alone:
        listed = {name: (title, file) for name, (file, title, _) in made.items()}
        write(out / "index.html", site_page("Programs", _list(listed), ASSETS))
    _told(out)


def _checked(files: Sequence[Path], text: str | None) -> None:
    """Refuses what makes no page; raises UserError."""
    names: dict[str, Path] = {}
    for file in files:
        if file.suffix == ".ipynb":
            raise UserError(
                f"{file}: --edit takes `.seme` programs; notebooks are edited in Jupyter"
            )
        if file.stem in (*names, "index") and len(files) > 1:
            other = names.get(file.stem, "the list of them")
            raise UserError(f"{file}: its page would be called as that of {other}")
        names[file.stem] = file
    if text is not None and len(files) > 1:
        raise UserError("--input: several programs have no input in common")


def _list(listed: dict[str, tuple[str, Path]]) -> str:
    """A list of pages with what the programs say of themselves."""
    items = "".join(
        f'<li><a href="{escape(name)}.html">{escape(title)}</a>: '
        f"{escape(about(read_text(file)))}</li>"
        for name, (title, file) in listed.items()
    )
    return f"<h1>Programs</h1><p>Change them, and see which example breaks.</p><ul>{items}</ul>"


def _told(out: Path) -> None:
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    say(f"wrote {out}/index.html, {size / 1e6:.1f} MB with Python; to look at it:")
    say(f"  python -m http.server --directory {shlex.quote(str(out))}")
