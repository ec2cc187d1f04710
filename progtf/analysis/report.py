"""Scores as JSON and as a list of what was wrong."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from progtf.analysis.published import published_beside
from progtf.analysis.scores import Miss, ModuleScore, by_split, summarise
from progtf.atomic import write


def as_json(scores: Sequence[ModuleScore], model: str) -> str:
    """Returns the scores, their summary for each split, published rows beside; in per cent."""
    splits = by_split(scores)
    return json.dumps(
        {
            "model": model,
            "summary": {split: summarise(some)._asdict() for split, some in splits.items()},
            "modules": [_row(score) for score in scores],
            "published": [row._asdict() for row in published_beside(scores)],
        },
        indent=1,
    )


def _row(score: ModuleScore) -> dict[str, str | int | float]:
    names = ("split", "module", "problems", "correct", "refused", "percent")
    return {name: getattr(score, name) for name in names}


def write_misses(path: Path, scores: Iterable[ModuleScore]) -> None:
    """Writes what was wrong as tab-separated values, a heading first."""
    lines = ["\t".join(Miss._fields)]
    for score in scores:
        lines += ["\t".join(_plain(str(field)) for field in miss) for miss in score.misses]
    write(path, "\n".join(lines) + "\n")


def _plain(field: str) -> str:
    """Keeps a model's stray tabs and line ends from breaking the table."""
    return (
        field.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    )
