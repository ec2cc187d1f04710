"""Scores beside those that papers report on the Mathematics Dataset; what was wrong, as a list."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from progtf.analysis.scores import Miss, ModuleScore, by_split, summarise
from progtf.atomic import write
from progtf.data import modules_of
from progtf.terminal import WRITTEN_OUT


class Published(NamedTuple):
    """A row of a paper's table: means over the 56 and the 15 modules, in per cent.

    Attributes:
        model: Its name.
        parameters: In millions.
        steps: Of training, in thousands.
        interpolate: Mean over modules.
        interpolate_above_95: Modules of which more than 95 % was right.
        extrapolate: Mean over modules.
        extrapolate_above_95: Modules of which more than 95 % was right.
        source: The paper.
    """

    model: str
    parameters: float
    steps: int
    interpolate: float
    interpolate_above_95: int
    extrapolate: float
    extrapolate_above_95: int
    source: str


_SAXTON, _SCHLAG = "Saxton et al. 2019", "Schlag et al. 2019, table 1"

PUBLISHED = (
    Published("LSTM", 18, 500, 57.00, 6, 41.00, 1, _SAXTON),
    Published("Transformer", 30, 500, 76.00, 13, 50.00, 1, _SAXTON),
    Published("Transformer", 44.2, 500, 75.33, 12, 52.42, 1, _SCHLAG),
    Published("Transformer", 44.2, 700, 77.42, 14, 52.00, 2, _SCHLAG),
    Published("TP-Transformer", 49.2, 500, 78.30, 16, 52.22, 2, _SCHLAG),
    Published("TP-Transformer", 49.2, 700, 80.67, 18, 52.48, 3, _SCHLAG),
    Published("TP-Transformer", 49.2, 1700, 84.24, 25, 55.40, 3, _SCHLAG),
)


class Reported(NamedTuple):
    """A row of the three-module report's table: accuracy on the test questions, in per cent.

    Attributes:
        model: Its name.
        steps: Of training, in thousands.
        together: Of all questions of the three modules.
        modules: Of each, in the order of `THREE`.
    """

    model: str
    steps: int
    together: float
    modules: tuple[float, float, float]


REPORT = "three-module report, table 2"
THREE = ("algebra__linear_1d", "probability__swr_p_level_set", "numbers__is_prime")
"""The modules of this report."""
REPORTED = (
    Reported("LSTM", 185, 49.8, (38.5, 51.6, 54.9)),
    Reported("Transformer", 140, 53.7, (58.3, 49.8, 54.9)),
    Reported("TP-Transformer", 350, 59.7, (75.1, 50.7, 59.3)),
)


def reported_beside(scores: Iterable[ModuleScore]) -> tuple[Reported, ...]:
    """Returns the report's rows where its modules, and no others, were scored."""
    known = {score.module for score in scores if score.split == "interpolate"}
    return REPORTED if known == {*THREE} else ()


def published_beside(scores: Iterable[ModuleScore]) -> tuple[Published, ...]:
    """Returns the published rows to lay scores beside: none for questions of one's own.

    One module of the dataset among them is enough for all rows.
    """
    known = any(score.module in modules_of(score.split) for score in scores)
    return PUBLISHED if known else ()


def as_json(scores: Sequence[ModuleScore], model: str, steps: int | None = None) -> str:
    """Returns the scores, their summary for each split, published rows beside; in per cent.

    Args:
        scores: Of each module.
        model: Its name.
        steps: Of its training, where they are known.
    """
    splits = by_split(scores)
    return json.dumps(
        {
            "model": model,
            "steps": steps,
            "summary": {split: summarise(some)._asdict() for split, some in splits.items()},
            "modules": [_row(score) for score in scores],
            "published": [row._asdict() for row in published_beside(scores)],
            "reported": [row._asdict() for row in reported_beside(scores)],
        },
        indent=1,
    )


def _row(score: ModuleScore) -> dict[str, str | int | float]:
    names = ("split", "module", "problems", "correct", "refused", "wrong", "percent")
    return {name: getattr(score, name) for name in names}


def write_misses(path: Path, scores: Iterable[ModuleScore]) -> None:
    """Writes what was wrong as tab-separated values, a heading first."""
    lines = ["\t".join(Miss._fields)]
    for score in scores:
        lines += ["\t".join(_plain(str(field)) for field in miss) for miss in score.misses]
    write(path, "\n".join(lines) + "\n", named=True)


def _plain(field: str) -> str:
    """Keeps a model's stray tabs and line ends from breaking the table, and names that are none."""
    field = field.encode(errors=WRITTEN_OUT).decode()
    return (
        field.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    )
