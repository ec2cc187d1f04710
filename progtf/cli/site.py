"""``progtf export --edit``: a folder of programs that readers change in their browser."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from urllib.parse import quote

from progtf.atomic import write
from progtf.cli.chapter import chapter
from progtf.cli.messages import UserError, say
from progtf.cli.page_body import about, body
from progtf.cli.task import TASK, task_body
from progtf.cli.texts import read_text
from progtf.views.page import site_page
from progtf.views.site import brings_pyodide, pyodide_folder, write_python

ASSETS = "python/"
"""Where front-end and Python lie, as the pages see it."""
CHAPTER = ".md"
TASKS = "Tasks"
"""The title of a list of nothing else."""


@dataclass(frozen=True)
class Docs:
    """Documentation around a site: every page leads back to it, and has the theme chosen there.

    Attributes:
        home: its address, as the pages see it, with ``/`` at its end.
        language: the address of what explains the notation, from there.
        programs: programs of its pages, and where each stands, from there. They get pages that
            are not listed.
    """

    home: str
    language: str
    programs: Mapping[Path, str] = field(default_factory=dict)

    def ways(self) -> list[str]:
        """Links to what explains the pages."""
        named = {"": "documentation", self.language: "the notation"}
        return [self.link(at, said) for at, said in named.items()]

    def link(self, at: str, said: str) -> str:
        """A link to a place in the documentation."""
        return f'<a href="{escape(self.home + (at or "index.html"))}">{escape(said)}</a>'


@dataclass(frozen=True)
class _Page:
    title: str
    about: str
    shown: str


def write_site(
    files: Sequence[Path], out: Path, text: str | None = None, docs: Docs | None = None
) -> None:
    """Writes a page for each program or chapter, and for several of them one that lists them.

    Args:
        files: programs, texts in Markdown with figures in them (see ``chapter``), and tasks (see
            ``task_body``). Of one the page is ``index.html``, of several they are called as these.
        out: the folder.
        text: the input that is shown first; of several programs each has its first example.
        docs: documentation around the site, where there is some.

    Raises:
        UserError: for a notebook, two files of one name, an input for several programs, and
            without Python for browsers.
    """
    _checked(files, text)
    alone = len(files) == 1
    made = {"index" if alone else file.stem: _page(file, text) for file in files}
    try:
        pyodide_folder()
    except FileNotFoundError as error:
        raise UserError(
            f"Python for browsers cannot be found: {error}\n  help: {brings_pyodide()}"
        ) from None
    write_python(out / ASSETS)
    around = docs.ways() if docs else []
    for name, page in made.items():
        ways = around if alone else [*around, *_ways(made, name)]
        _write(out / f"{name}.html", page, ways, docs)
    if not alone:
        kinds = {file.suffix for file in files}
        title = TASKS if kinds == {TASK} else "Contents" if CHAPTER in kinds else "Programs"
        page = _Page(title, "Programs to change in your browser.", _list(title, made))
        _write(out / "index.html", page, around, docs)
    if docs:
        for file, at in docs.programs.items():
            ways = [*around, docs.link(at, "the page that it is from"), _link("index", "all pages")]
            _write(out / f"{file.stem}.html", _page(file, text), ways, docs)
    _told(out)


def _write(file: Path, page: _Page, ways: Sequence[str], docs: Docs | None) -> None:
    said = f'<p class="about">{" · ".join(ways)}</p>' if ways else ""
    home = docs.home if docs else None
    shown = site_page(page.title, page.shown, ASSETS, about=page.about, ways=said, docs=home)
    write(file, shown)


def _page(file: Path, text: str | None) -> _Page:
    if file.suffix == CHAPTER:
        made = chapter(file, ASSETS)
        return _Page(made.title, made.about, made.body)
    if file.suffix == TASK:
        task, shown = task_body(file, ASSETS)
        return _Page(task.title, task.wanted.replace("`", ""), shown)
    title, shown = body(file, text, ASSETS)
    return _Page(title, about(read_text(file)), shown)


def _ways(made: dict[str, _Page], name: str) -> list[str]:
    """Where to go from a page: back, on, and to the list of them all."""
    names = [*made]
    place = names.index(name)
    around = ((place - 1, "← "), (place + 1, "→ "))
    links = [
        _link(names[at], sign + made[names[at]].title)
        for at, sign in around
        if 0 <= at < len(names)
    ]
    return [_link("index", "all pages"), *links]


def _link(name: str, said: str) -> str:
    return f'<a href="{quote(os.fsencode(name))}.html">{escape(said)}</a>'


def _checked(files: Sequence[Path], text: str | None) -> None:
    """Refuses what makes no page; raises UserError."""
    names: dict[str, Path] = {}
    for file in files:
        if file.suffix == ".ipynb":
            raise UserError(f"{file}: --edit takes programs; notebooks are edited in Jupyter")
        if file.stem in (*names, "index") and len(files) > 1:
            other = names.get(file.stem, "the list of them")
            raise UserError(f"{file}: its page would be called as that of {other}")
        names[file.stem] = file
    if text is not None and (len(files) > 1 or files[0].suffix in (CHAPTER, TASK)):
        raise UserError("--input is for one program: of several each has its own")


def _list(title: str, made: dict[str, _Page]) -> str:
    """A list of pages with what they say of themselves."""
    items = "".join(
        f"<li>{_link(name, page.title)}: {escape(page.about)}</li>" for name, page in made.items()
    )
    hint = "Change the programs, and see which example breaks."
    if title == TASKS:
        hint = "Change each program until it meets all examples, those that are hidden, too."
    return f"<h1>{title}</h1><p>{hint}</p><ol>{items}</ol>"


def _told(out: Path) -> None:
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    say(f"wrote {out}/index.html, {size / 1e6:.1f} MB with Python; to look at it:")
    say(f"  python -m http.server --directory {shlex.quote(str(out))}")
