"""Programs of the documentation that run in it: figures in its pages, and a page for each program.

A figure stands in a page as a place that is filled when the page is made, for what is in figures is
neither Markdown nor searched.
"""

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import progtf
from progtf.cli.page_body import drawn
from progtf.cli.task import as_task, read_task
from progtf.views.page import live

ROOT = Path(__file__).parents[1]
FOLDER = "figures/"
"""Where the pages of programs lie, from the site's home."""
PYTHON = f"{FOLDER}python/"
FIRST = ROOT / "docs" / "first.seme"
"""The program that home opens with."""
SENTENCE = "black dog white dog"
TRIED = ROOT / "examples" / "class" / "01_behind.toml"
"""The task that home asks to try."""
TRY = (
    "*Each noun takes the colour of the word before it.*"
    '<span class="progtf-served"> *Try: change the program so that it takes that of the word '
    "behind it.*</span>"
)
PLAY = f'<p><a href="{FOLDER}index.html">Programs that you change in your browser</a></p>'
HOME, ILLUSTRATED = "index.md", ("tutorial.md",)
"""The page that opens with a program, and those whose programs are figures."""
BLOCK = re.compile(r"^(#+) ([^\n]+)$|^```(\S*)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = re.compile(r'^\$ progtf run \S+(?: --trace \S+)? "([^"]+)"', re.MULTILINE)
PLACE = '<div class="progtf-place" id="progtf-place-{}"></div>'


@dataclass
class Shelf:
    """The programs that pages show, as files with names of their own.

    Attributes:
        programs: file -> where it stands, from the site's home.
        figures: page -> the figures of its places, in their order, as HTML.
    """

    programs: dict[Path, str] = field(default_factory=dict)
    figures: dict[str, list[str]] = field(default_factory=dict)
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="progtf-docs-")))

    def with_figures(self, page: str, markdown: str) -> str:
        """Markdown with a link behind every complete program, and places for figures."""
        made = self.figures[page] = []
        up = "../" * page.count("/")
        behind: list[tuple[int, str]] = []
        for end, file, place, given in self._programs(page, markdown):
            program = progtf.load(file)
            if program.again:  # a page shows one step of an answer
                continue
            self.programs[file] = place
            at = f"{up}{FOLDER}{file.stem}.html"
            link = f'<p class="progtf-open"><a href="{at}">open and change</a></p>'
            figure = ""
            if page in ILLUSTRATED:
                figure = PLACE.format(len(made)) + "\n\n"
                heads = any(getattr(stage, "heads", ()) for stage in program.encoder)
                panels = ("input", "residual", "attention") if heads else ("input", "residual")
                data, still = drawn(file, None if program.examples else given, None, panels)
                made.append(live("playground", data, still))
            behind.append((end, f"\n\n{figure}{link}\n"))
        for end, said in reversed(behind):
            markdown = markdown[:end] + said + markdown[end:]
        return self._opened(markdown) if page == HOME else markdown

    def _opened(self, markdown: str) -> str:
        """Home with a program behind its first paragraph."""
        panels = ("editor", "input", "residual", "attention")
        data, still = drawn(FIRST, SENTENCE, PYTHON, panels)
        data["task"] = as_task("", progtf.parse_program(read_task(TRIED).solution).examples)
        self.figures[HOME].append(live("playground", data, still, PYTHON))
        title, first, rest = markdown.split("\n\n", 2)
        place = PLACE.format(len(self.figures[HOME]) - 1)
        return f"{title}\n\n{first}\n\n{TRY}\n\n{place}\n\n{PLAY}\n\n{rest}"

    def _programs(self, page: str, markdown: str) -> Iterator[tuple[int, Path, str, str | None]]:
        """Where each complete program ends, its file, its place, and a text for it."""
        stem = page.removesuffix(".md").replace("/", "_")
        names, heading = set[str](), stem
        for found in BLOCK.finditer(markdown):
            level, title, kind, info, text = found.groups()
            if level:
                heading = _anchor(title)
            if kind == "seme-file":
                (self.folder / info).write_text(text, encoding="utf-8")
            if kind != "seme" or info:
                continue
            called = name = f"{stem}_{heading}".replace("-", "_")
            for number in range(2, 100):
                if called not in names:
                    break
                called = f"{name}_{number}"
            names.add(called)
            file = self.folder / f"{called}.seme"
            file.write_text(text, encoding="utf-8")
            given = RUN.search(markdown, found.end())
            yield (
                found.end(),
                file,
                f"{page.removesuffix('.md')}.html#{heading}",
                given and given[1],
            )


def _anchor(title: str) -> str:
    """The place of a heading, as the site's table of contents calls it."""
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())
