"""What is measured, and which run learns it."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

FEW = (14, 22, 50, 100, 1000)
ALL = 0
ADDED = ("addprim_jump", "addprim_turn_left")
SPLITS = (
    "simple", "length", "template_around_right", "template_jump_around_right",
    "template_opposite_right", "template_right",
)  # fmt: skip
SCRATCH = (*ADDED, "simple", "length", "template_around_right")
WRITTEN = {"SCAN": "scan.seme", "COGS": "cogs.seme"}
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "words": ("runs/scan_words", {}),
    "words+numbers": ("runs/scan_choices", {}),
    "composition": ("runs/scan_composition", {}),
    "scratch-transformer": ("runs/{}_scratch", {}),
    "scratch-tp": ("runs/{}_scratch", {"model.kind": "tp"}),
    "lemmas": ("runs/cogs_lemmas", {}),
    "classes": ("runs/cogs_classes", {}),
    "roles": ("benchmarks/compositional/cogs_roles", {}),
}
"""The run file of an arm, `{}` being its benchmark, and what it has otherwise."""


class Arm(NamedTuple):
    """One training.

    Attributes:
        rows: how many training rows, drawn at random; 0: all that are not held back.
        cover: in how many rows each word is to occur, where rows are chosen by their words.
    """

    benchmark: str
    split: str
    arm: str
    seed: int
    rows: int = ALL
    cover: int = 0


def arms() -> Iterator[Arm]:
    """All that is measured, the quick first."""
    yield from (Arm("SCAN", split, "written", 0) for split in (*ADDED, *SPLITS))
    yield from (Arm("COGS", split, "written", 0) for split in ("dev", "test", "gen"))
    words = ("words", "words+numbers")
    yield from (Arm("SCAN", *case, seed) for case in product(ADDED, words) for seed in range(1, 6))
    yield from (Arm("SCAN", *case) for case in product(SPLITS, words, (1, 2, 3)))
    jump = (ADDED[0],)
    yield from (Arm("SCAN", *case) for case in product(jump, words, (1, 2, 3), FEW))
    yield from (Arm("SCAN", *case) for case in product(jump, words, (1, 2, 3), (ALL,), (1, 2, 3)))
    learned = ("lemmas", "classes", "roles")
    yield from (Arm("COGS", *case) for case in product(("gen",), learned, (1, 2, 3)))
    yield from (Arm("COGS", *case) for case in product(("gen",), ("roles",), (1, 2, 3), FEW[:4]))
    yield from (Arm("COGS", *case) for case in product(("gen",), ("lemmas",), (1,), (0,), (1, 2)))
    yield from (Arm("COGS", *case) for case in product(("gen",), ("lemmas",), (1,), FEW))
    yield from (Arm("SCAN", *case, 1) for case in product(SCRATCH, ("scratch-transformer",)))
    yield Arm("COGS", "gen", "scratch-transformer", 1)
    yield from (Arm("SCAN", split, "composition", 1) for split in ("addprim_jump", "length"))
    yield from (Arm("SCAN", *case, 1) for case in product(SCRATCH, ("scratch-tp",)))


def told(row: dict[str, Any]) -> Arm:
    """What a row of the file measured."""
    arm = Arm(**{key: row[key] for key in Arm._fields if key in row})
    return arm if arm.rows in FEW and not arm.cover else arm._replace(rows=ALL)
