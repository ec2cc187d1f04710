"""A vector or matrix as numbers and as notation: change either, the other follows."""

from collections.abc import Sequence

import numpy as np

from progtf.api import matrix, to_text, vector
from progtf.building.names import LARGEST_COEFFICIENT
from progtf.notation.diagnostics import Diagnostic
from progtf.notation.render import SemeError
from progtf.program.arrays import Array
from progtf.views.draw import matrix_svg
from progtf.views.editor import problem
from progtf.widgets.base import Data, Widget

VECTOR = ""  # the only row of a vector has no name


class MatrixView(Widget):
    """A matrix or vector over named semes.

    Args:
        value: in the notation, or an array of shape (semes,) or (semes, semes).
        semes: the names of the dimensions, as a list or separated by blanks.

    Raises:
        SemeError: for a text that is neither vector nor matrix over these semes.
        ValueError: for an array of another shape.
    """

    def __init__(self, value: str | np.ndarray, semes: str | Sequence[str]) -> None:
        self.semes = semes.split() if isinstance(semes, str) else list(semes)
        is_matrix = (">" in value or "→" in value) if isinstance(value, str) else value.ndim == 2
        self.rows = self.semes if is_matrix else [VECTOR]
        text = value if isinstance(value, str) else to_text(value, self.semes)
        self.array = self._array(text)
        super().__init__("matrix", self._data(text))

    @property
    def text(self) -> str:
        """The matrix in the notation."""
        return to_text(self.array, self.semes)

    def still(self) -> str:
        """A picture of the numbers."""
        return matrix_svg(self.rows, self.semes, self._data(self.text)["entries"])

    def hear(self, message: Data) -> None:
        """Takes over a changed text or a changed number."""
        match message:
            case {"type": "text", "text": str(text)}:
                self._answer(text)
            case {"type": "cell", "source": str(source), "target": str(target), "value": value}:
                known = source in self.rows and target in self.semes
                if known and isinstance(value, int | float) and abs(value) <= LARGEST_COEFFICIENT:
                    self._put(source, target, float(value))
            case _:
                pass

    def _put(self, source: str, target: str, value: float) -> None:
        place = self.semes.index(target)
        self.array[(self.rows.index(source), place) if self.array.ndim == 2 else (place,)] = value
        self._answer(self.text)

    def _answer(self, text: str) -> None:
        try:
            self.array = self._array(text)
        except SemeError as error:
            self.data = {**self.data, "text": text, "problem": _problem(error.diagnostics[0])}
            return
        self.data = self._data(text)

    def _array(self, text: str) -> Array:
        return (matrix if self.rows is self.semes else vector)(text, self.semes)

    def _data(self, text: str) -> Data:
        table = np.atleast_2d(self.array)
        entries = [
            [self.rows[row], self.semes[column], float(table[row, column])]
            for row, column in np.argwhere(table != 0)
        ]
        return {
            "rows": list(self.rows),
            "columns": list(self.semes),
            "entries": entries,
            "text": text,
            "problem": None,
            "vector": self.array.ndim == 1,
        }


def _problem(found: Diagnostic) -> Data:
    """What is wrong with a notation, as an editor marks it: columns count in ``text``."""
    line = found.span.source.lines[found.span.line - 1]
    named = line.index(":") + len(": ")  # `map: `, which nobody wrote
    told = problem(found, found.span.source.name)
    return {
        **told,
        "text": line[named:],
        "start": told["start"] - named,
        "end": told["end"] - named,
    }
