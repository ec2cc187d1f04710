"""Spellings by flags: ``"belle": lemma["beau"] & fs`` in ``output:``, and a check for homographs.

Scores stay linear: a *cell* of n flags gives 1/n for each of them, so a token whose cell is
complete scores 1 and half a cell 1/2. A flag that several cells of a token share counts once.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from progtf.building import problems
from progtf.building.names import Names
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, Span
from progtf.program.forms import FLAG, Form, Space

MARGIN = 0.1
Cell = frozenset[str]
Placed = tuple[Cell, Span]


def cells(condition: f.Condition, names: Names, span: Span) -> Iterator[Cell]:
    """The cells of a condition: the sets of flags of which one must be up.

    Raises:
        Mistake: for anything but flags joined by ``&`` and ``|``.
    """
    match condition:
        case f.AnyOf(parts=parts):
            for part in parts:
                yield from cells(part, names, span)
        case f.AllOf(parts=parts):
            for chosen in product(*(tuple(cells(part, names, span)) for part in parts)):
                yield frozenset[str]().union(*chosen)
        case f.Truth(form=form) if form[0].name is not None or len(form) > 1:
            read = names.form(form)
            if read.constant or any(value != 1 for value in read.coefficients.values()):
                raise Mistake(problems.names.not_a_cell(span))
            yield from (frozenset({name}) for name in read.coefficients)
        case _:
            raise Mistake(problems.names.not_a_cell(span))


def spelled(token_cells: Sequence[Cell]) -> Form:
    """The score of a token by its cells."""
    weights: dict[str, float] = {}
    for cell in token_cells:
        for name in sorted(cell):
            weights[name] = max(weights.get(name, 0.0), 1 / len(cell))
    return Form(weights)


def check_homographs(
    found: dict[str, list[Placed]], outputs: dict[str, Form], names: Names
) -> None:
    """Reports every cell whose token does not score highest where just its flags are up."""
    table = [(token, cell, span) for token, placed in found.items() for cell, span in placed]
    order = list(outputs)
    used = sorted({name for form in outputs.values() for name in form.coefficients})
    space = Space.of(dict.fromkeys(used, FLAG))
    up = [[float(name in cell) for name in used] for _, cell, _ in table]
    scores = space.read(outputs.values(), np.reshape(up, (len(table), len(used))))
    row = {token: number for number, token in enumerate(order)}
    for number, (token, _, span) in enumerate(table):
        others = scores[number].copy()
        others[row[token]] = -np.inf
        rival = int(others.argmax())
        if others[rival] > scores[number, row[token]] - MARGIN:
            names.report(problems.names.homograph(span, token, order[rival]))
