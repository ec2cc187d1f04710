"""The logit gap: by how much the best answer outscores the second best, at least."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from progtf.exact.search import common, lattice
from progtf.numbers import plain
from progtf.program.forms import Form, Space, Values
from progtf.rational import fraction_of

MOST_STATES = 20_000
LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of all answers at their worst.

    Attributes:
        gap: the smallest difference between the best and the second best where they differ, less
            what both lie off; None where nothing is known.
        raw: the same before that.
        error: how far one score lies off at most.
        tie: semes for which the best score is shared, in words; empty if there are none, None if
            they were too many to look.
        families: those taken to be one-hot.
    """

    gap: float | None
    raw: float | None
    error: float
    tie: str | None
    families: tuple[str, ...]


def scores_of(
    outputs: Mapping[str, Form], space: Space, error: float, *, pooled: bool, summed: bool = False
) -> Scores:
    """The gap between outputs, by trying everything that the semes they read can be.

    ``error``: how far one score lies off at most; ``summed``: semes are sums over tokens.
    """
    forms = list(outputs.values())
    semes = list(dict.fromkeys(name for form in forms for name in form.coefficients))
    columns = _alternatives(semes, space, pooled=pooled)
    if len(forms) < 2:
        return Scores(math.inf, math.inf, error, "", ())
    if (
        summed
        or columns is None
        or math.prod(len(column) for column in columns.values()) > MOST_STATES
    ):
        known = _apart(forms, space)
        return Scores(None if known is None else known - 2 * error, known, error, None, ())
    step, scores, chosen = _all_scores(forms, list(columns.values()))
    ordered = np.sort(scores, axis=1)
    gaps = ordered[:, -1] - ordered[:, -2]
    apart, tied = gaps[gaps > 0], np.flatnonzero(gaps == 0)
    raw = float(int(apart.min()) * step) if apart.size else None
    families = tuple(stem for stem in columns if stem not in space.index)
    tie = _spelled(list(columns.values()), chosen[tied[0]].tolist()) if tied.size else ""
    known = _apart(forms, space) if families else None
    if known is not None and known > 2 * error:  # whatever holds beside what
        return Scores(known - 2 * error, known, error, tie or None, ())
    return Scores(None if raw is None else raw - 2 * error, raw, error, tie, families)


def _apart(forms: Sequence[Form], space: Space) -> float | None:
    """A number that all scores are multiples of, so that they differ by it; None: there is none."""
    steps = [lattice(form, space) for form in forms]
    grid = None if 0 in steps else common(each for each in steps if each)
    return None if grid is None else float(grid)


Column = list[dict[str, float]]


def _alternatives(semes: Sequence[str], space: Space, *, pooled: bool) -> dict[str, Column] | None:
    """What families and other semes can be; a family of flags has one member or none."""
    columns: dict[str, Column] = {}
    for name in semes:
        values = space.ranges[name]
        if values.grain == 0 and values.low != values.high or values.count > MOST_STATES:
            return None
        stem = name.partition("[")[0]
        if "[" in name and not pooled and values == Values(0.0, 1.0, 1.0):
            columns.setdefault(stem, [{}]).append({name: 1.0})
        else:
            columns[name] = [{name: values.at(k)} for k in range(int(values.count))]
    return columns


def _all_scores(
    forms: Sequence[Form], columns: Sequence[Column]
) -> tuple[Fraction, NDArray[Any], NDArray[np.int64]]:
    """A step, the scores of all answers for all combinations, as whole multiples of it, and which
    choices these are.

    Shapes: (combinations, answers) and (combinations, columns).
    """
    choices = [len(column) for column in columns]
    chosen = np.indices(choices).reshape(len(columns), math.prod(choices)).T
    parts = [[[_value(form, choice) for form in forms] for choice in column] for column in columns]
    begin = [fraction_of(form.constant) for form in forms]
    each = [begin, *(row for part in parts for row in part)]
    step = common(chain.from_iterable(each)) or Fraction(1)
    most = sum(max(abs(x) for row in part for x in row) for part in [[begin], *parts]) / step
    kind = np.int64 if most < LARGEST else object
    scores = np.array([[int(x / step) for x in begin]], dtype=kind)
    for place, part in enumerate(parts):
        whole = np.array([[int(x / step) for x in row] for row in part], dtype=kind)
        scores = scores + whole[chosen[:, place]]
    return step, scores, chosen


def _value(form: Form, choice: Mapping[str, float]) -> Fraction:
    given = ((form.coefficients.get(name, 0.0), value) for name, value in choice.items())
    return sum((fraction_of(c) * fraction_of(value) for c, value in given), Fraction(0))


def _spelled(columns: Sequence[Column], row: Sequence[int]) -> str:
    choices = [column[place] for column, place in zip(columns, row, strict=True)]
    shown = [f"{plain(v)} {name}" for choice in choices for name, v in choice.items() if v]
    return " + ".join(shown[:4]) or "nothing at all"


def identical(outputs: Mapping[str, Form]) -> tuple[str, str] | None:
    """Two answers that read the same, if there are any."""
    seen: dict[object, str] = {}
    for token, form in outputs.items():
        kept = {name: value for name, value in form.coefficients.items() if value}
        key = Form(kept, form.constant).key()
        if key in seen:
            return seen[key], token
        seen[key] = token
    return None
