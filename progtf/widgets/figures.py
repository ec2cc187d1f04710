"""Programs as widgets: the whole playground, or some of its panels."""

from pathlib import Path

from progtf.building.load import analyse, parse_program
from progtf.notation.diagnostics import Source
from progtf.notation.files import read_text
from progtf.program.model import Program
from progtf.views.figure import PANELS, figure, first_input, source_of
from progtf.views.still import figure_html
from progtf.widgets.base import Data, Widget
from progtf.widgets.worker import queue

What = Program | Path | str


class Playground(Widget):
    """A program to edit, an input to change, and all that follows from them.

    Args:
        program: a program, the path of a ``.seme`` file, or the text of a program.
        input: what it reads; without it the first example.
        panels: what is shown: editor, input, residual, attention, clocks, matrices.
        only: parts of the names of the semes to show at first, separated by blanks.
        head: the name of the head to show large at first.

    Raises:
        OSError: if the file cannot be read.
        ValueError: for a panel that there is not.

    A text may have errors: they are shown, as they are while one types.
    """

    panels = PANELS

    def __init__(
        self,
        program: What,
        input: str | None = None,  # noqa: A002  it is the input
        panels: tuple[str, ...] | None = None,
        *,
        only: str = "",
        head: str = "",
    ) -> None:
        source, self.folder = _read(program)
        self.name = source.name
        self.text = source.text
        if input is None:
            found, _ = analyse(source.text, source.name, self.folder)
            input = None if found is None else first_input(found)  # noqa: A001
        self.input = input
        shown = self.panels if panels is None else panels
        begin = {"only": only, "head": head}
        super().__init__("playground", figure(source, self.folder, input, shown, begin))

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
        """Examines an edited text; the answer carries the number of the request."""
        match message:
            case {"type": "soon"}:
                queue().prepare()
            case {
                "type": "examine",
                "text": str(text),
                "input": str() | None as given,
                "id": number,
            }:
                self.text, self.input = text, given or ""
                self._examine(number)
            case _:
                pass

    def _examine(self, number: object) -> None:
        request = {
            "text": self.text,
            "name": self.name,
            "folder": None if self.folder is None else str(self.folder),
            "inputs": [self.input],
        }
        queue().submit(
            self, request, lambda data: self.send({"type": "examined", "id": number, "data": data})
        )


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
