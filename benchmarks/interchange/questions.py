"""Short questions about places of numbers.

python -m benchmarks.interchange.questions FOLDER
"""

import random
from pathlib import Path
from typing import Annotated

import typer

from progtf.atomic import write

PLACES = ("units", "tens", "hundreds", "thousands")
SPLITS = {"train": 12_000, "interpolate": 1_000, "extrapolate": 1_000}


def write_questions(folder: Annotated[Path, typer.Argument()]) -> None:
    """Writes ``SPLIT.tsv``, each question in one split; always the same."""
    draw = random.Random(1)
    every = [(place, number) for place in range(len(PLACES)) for number in range(1000, 100_000)]
    chosen = iter(draw.sample(every, sum(SPLITS.values())))
    for split, count in SPLITS.items():
        lines = [_said(*next(chosen)) for _ in range(count)]
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / f"{split}.tsv", "".join(lines))


def _said(place: int, number: int) -> str:
    return f"What is the {PLACES[place]} digit of {number}?\t{str(number)[-1 - place]}\n"


if __name__ == "__main__":
    typer.run(write_questions)
