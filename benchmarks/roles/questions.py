"""Questions about fractions of one-digit numbers, with answers that are not reduced."""

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from progtf.atomic import write

DIGITS = range(2, 10)
SPLITS = {"interpolate": 10, "extrapolate": 10}  # percent; the rest is trained on


def questions() -> Iterator[tuple[str, str]]:
    """All of them: a question and its answer."""
    for a, b, c, d in product(DIGITS, repeat=4):
        yield f"({a}/{b})/({c}/{d})", f"{a * d}/{b * c}"
        yield f"({a}/{b})*({c}/{d})", f"{a * c}/{b * d}"
    for a, b, c in product(DIGITS, repeat=3):
        yield f"({a}/{b})/{c}", f"{a}/{b * c}"
        yield f"{a}/({b}/{c})", f"{a * c}/{b}"
        yield f"({a}/{b})*{c}", f"{a * c}/{b}"
        yield f"{a}*({b}/{c})", f"{a * b}/{c}"


def write_questions(folder: Path) -> None:
    """Writes them as ``SPLIT/fractions.txt``, each in one split; always the same."""
    found = list(questions())
    random.Random(1).shuffle(found)
    start = 0
    for split, percent in SPLITS.items():
        end = start + len(found) * percent // 100
        _write(folder, split, found[start:end])
        start = end
    _write(folder, "train", found[start:])


def _write(folder: Path, split: str, part: list[tuple[str, str]]) -> None:
    text = "".join(f"{question}\n{answer}\n" for question, answer in part)
    (folder / split).mkdir(parents=True, exist_ok=True)
    write(folder / split / "fractions.txt", text)
