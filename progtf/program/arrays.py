"""Arrays of numpy: what runs a program needs them; what only reads its text does without."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from progtf.program.forms import Form, Space

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Reading:
    """What forms read of the few columns of a residual that they need.

    Attributes:
        columns: of the residual; weights: shape (columns, forms); bias: shape (forms,).
    """

    columns: Ints
    weights: Array
    bias: Array

    @staticmethod
    def of(forms: Sequence[Form], space: Space) -> "Reading":
        """The arrays of some forms."""
        names = sorted({space.index[name] for form in forms for name in form.coefficients})
        row = {column: place for place, column in enumerate(names)}
        weights = np.zeros((len(names), len(forms)))
        for number, form in enumerate(forms):
            for name, value in form.coefficients.items():
                weights[row[space.index[name]], number] = value
        bias = np.array([form.constant for form in forms], dtype=np.float64)
        return Reading(np.array(names, dtype=np.intp), weights, bias)

    def __call__(self, residual: Array) -> Array:
        """What the forms read at each position: shape (positions, forms)."""
        return residual[:, self.columns] @ self.weights + self.bias


def encode(periods: Sequence[float], length: int, first: int = 0) -> Array:
    """The hands at positions first, first + 1 ...: shape (length, 2 * periods), cos before sin."""
    steps = np.arange(first, first + length)[:, None] * (
        2 * np.pi / np.array(periods, dtype=np.float64)
    )
    return np.stack([np.cos(steps), np.sin(steps)], axis=2).reshape(length, -1)
