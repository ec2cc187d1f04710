"""Programs as widgets: the whole playground, or some of its panels."""

import asyncio
import uuid
from itertools import count
from pathlib import Path
from typing import Any, TypedDict, Unpack

import traitlets

from progtf.atomic import write
from progtf.building.load import analyse, parse_program
from progtf.notation.diagnostics import Source
from progtf.notation.files import read_text
from progtf.program.model import Program
from progtf.views.figure import PANELS, figure, first_input, source_of
from progtf.views.serve import joined, parts_of
from progtf.views.still import figure_html
from progtf.widgets.base import Data, Widget
from progtf.widgets.worker import queue

What = Program | Path | str
_NUMBERS = count(1)  # of figures
IDLE = 1.5
"""Seconds without an answer before all that was found is sent, to be saved with the notebook."""


class Begin(TypedDict, total=False):
    """What is in sight at first; readers may look at something else.

    Attributes:
        only: parts of the names of the semes that are shown, separated by blanks.
        focus: the stack, layer or loop to which the figure scrolls.
        head: the name of the head that is shown large.
        token: the position of the token that is locked.
    """

    only: str
    focus: str
    head: str
    token: int


class Playground(Widget):
    """A program to edit, an input to change, and all that follows from them.

    Args:
        program: a program, the path of a ``.seme`` file, or the text of a program.
        input: what it reads; without it the first example.
        panels: what is shown, some of ``PANELS``: steps walks a token through the layers, compare
            sets another input beside the first, glossary says who writes and reads each seme.
        begin: what is in sight at first (see ``Begin``): only, focus, head, token.

    Attributes:
        edited: the ``text`` and the ``input`` as they stand in the front-end, ``at`` which of its
            milliseconds, and the ``id`` of the last text that was to be examined.
        mark: what no other widget has, be it of another kernel.

    Raises:
        OSError: if the file cannot be read.
        ValueError: for a panel that there is not.

    A text may have errors: they are shown, as they are while one types.
    """

    panels = PANELS
    edited = traitlets.Dict().tag(sync=True)
    mark = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        program: What,
        input: str | None = None,  # noqa: A002  it is the input
        panels: tuple[str, ...] | None = None,
        **begin: Unpack[Begin],
    ) -> None:
        source, self.folder = _read(program)
        self.name = source.name
        if input is None:
            found, _ = analyse(source.text, source.name, self.folder)
            input = None if found is None else first_input(found)  # noqa: A001
        shown = self.panels if panels is None else panels
        data = figure(source, self.folder, input, shown, begin)
        super().__init__("playground", {**data, "first": source.text, "asked": 0})
        self._parts: Data = dict(parts_of(data))
        self._now: Data = {"asked": 0}
        self._number = str(next(_NUMBERS))
        self._timer: asyncio.TimerHandle | None = None
        self.mark = uuid.uuid4().hex
        self.edited = {"id": 0, "at": 0, "text": source.text, "input": input}
        self.observe(self._asked, "edited")

    @property
    def text(self) -> str:
        """The text as it stands in the editor."""
        return self.edited["text"]

    @property
    def input(self) -> str | None:
        """The input as it stands in its field; None if no example says one."""
        return self.edited["input"]

    def save(self, path: Path | str | None = None) -> Path:
        """Writes the text to a file; without a path to the one that it was read from.

        Raises:
            OSError: if the file cannot be written.
            ValueError: if the program was read from no file, and no path is given.
        """
        if path is None and self.folder is None:
            raise ValueError("the program has no file yet: say .save('name.seme')")
        place = Path(self.name if path is None else path)
        write(place, self.text, named=True)
        return place

    @property
    def program(self) -> Program:
        """The program as it stands in the editor now.

        Raises:
            SemeError: while it has errors.
        """
        return parse_program(self.text, self.name, self.folder)

    def still(self) -> str:
        """HTML with pictures of the program and its input."""
        found, _ = analyse(self.text, self.name, self.folder)
        if found is None:
            return ""
        return figure_html(self.text, found, self.input, self.data["panels"])

    def hear(self, message: Data) -> None:
        """Makes ready for the first edit, or tells everything to who has missed something."""
        if message == {"type": "soon"}:
            queue().prepare()
        if message == {"type": "all"}:
            self._settle()

    @traitlets.validate("edited")
    def _valid(self, proposal: Any) -> Data:
        match proposal["value"]:
            case {"id": int(), "at": int(), "text": str(), "input": str() | None}:
                return {key: proposal["value"][key] for key in ("id", "at", "text", "input")}
        raise traitlets.TraitError("edited has the numbers `id` and `at`, a `text` and an `input`")

    def _asked(self, change: Any) -> None:
        """Examines an edited text; what is found has the number of the request."""
        if change["new"]["id"] == change["old"]["id"]:
            return
        asked = change["new"]
        request = {
            "figure": self._number,
            "text": asked["text"],
            "name": self.name,
            "folder": None if self.folder is None else str(self.folder),
            "inputs": [asked["input"] or ""],
        }
        queue().submit(self, request, lambda found: self._found(asked, found))

    def _found(self, asked: Data, found: Data) -> None:
        """Tells figures what changed; all of it stands in the data when nobody types any more."""
        before = self._now["asked"]
        self._now = {"text": asked["text"], "input": asked["input"], "asked": asked["id"]}
        self._parts |= found["changed"]
        self.send({"type": "found", "base": before, "changed": found["changed"], **self._now})
        if self._timer is not None:
            self._timer.cancel()
        try:
            self._timer = asyncio.get_running_loop().call_later(IDLE, self._settle)
        except RuntimeError:  # nothing is there that could wait
            self._settle()

    def _settle(self) -> None:
        """Puts into the data what was found last."""
        self.data = dict(self.data) | joined(self._parts) | self._now


class SemeEditor(Playground):
    """The text of a program with its mistakes, completion and declarations."""

    panels = ("editor",)


class ResidualView(Playground):
    """The residual stream: tokens, layers, and what each part adds."""

    panels = ("input", "residual")


class AttentionView(Playground):
    """All heads of a program, one of them large, with the arithmetic of every score."""

    panels = ("input", "attention")


class ClockView(Playground):
    """Clocks whose hands can be dragged, and the attention that follows them."""

    panels = ("input", "clocks", "attention", "residual")


def _read(program: What) -> tuple[Source, Path | None]:
    """The text of a program, and where files that it uses are looked up."""
    if isinstance(program, Program):
        path = Path(program.name)
        return source_of(program), path.parent if path.is_file() else None
    if isinstance(program, Path) or (program.endswith(".seme") and "\n" not in program):
        path = Path(program)
        return Source(str(path), read_text(path)), path.parent
    return Source("<notebook>", program), None
