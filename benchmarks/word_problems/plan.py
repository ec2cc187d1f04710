"""What is measured, and with which settings."""

from collections.abc import Iterator
from typing import Any, NamedTuple

FOLDS = range(5)
SETS = {"ALG514": "alg514_fold{}", "MAWPS": "mawps_fold{}", "DRAW-1K": "draw"}
"""What the files of a set are called, up to `_train` and `_test`."""
STEPS = {"ALG514": 800, "DRAW-1K": 1200, "MAWPS": 1200}
PROGRAM = "../examples/language/word_problems.seme"
ARMS: dict[str, dict[str, Any]] = {
    "off": {},
    "rules": {"model.rules": True},
    "hybrid": {"model.reads": PROGRAM, "model.rules": True},
    "random": {"model.reads": PROGRAM, "model.rules": True, "control": "random"},
    "semes": {"model.reads": PROGRAM},
}
"""``hybrid`` reads what is written of words, and keeps the rules; others lack one or both."""


class Arm(NamedTuple):
    """One training.

    Attributes:
        part: percent of the training rows that it has.
    """

    data: str
    encoder: str
    arm: str
    part: int
    fold: int
    seed: int


def arms() -> Iterator[Arm]:
    """All that is measured, the most telling first."""
    for arm in ("off", "hybrid", "random", "rules"):
        yield from (Arm("ALG514", "lstm", arm, 100, fold, 1) for fold in FOLDS)
    yield from (Arm("DRAW-1K", "lstm", arm, 100, 0, 1) for arm in ("off", "hybrid"))
    yield from (Arm("ALG514", "lstm", arm, 50, f, 1) for arm in ("hybrid", "off") for f in FOLDS)
    yield Arm("ALG514", "transformer", "off", 100, 0, 1)
    yield from (Arm("MAWPS", "lstm", arm, 100, 0, 1) for arm in ("off", "hybrid"))
    yield from (Arm("ALG514", "bert", arm, 100, 0, 1) for arm in ("off", "hybrid"))
    for seed in (2, 3):
        for arm in ("off", "hybrid", "random"):
            yield from (Arm("ALG514", "lstm", arm, 100, fold, seed) for fold in FOLDS)


def settings(arm: Arm, rows: int) -> dict[str, Any]:
    """What a training has otherwise than `runs/ept_alg514.toml`; ``rows``: to train on, of all."""
    name = SETS[arm.data].format(arm.fold)
    kept = {"data.pairs.rows": round(rows * arm.part / 100)} if arm.part < 100 else {}
    return {
        "model.encoder": arm.encoder,
        "data.pairs.train": f"{name}_train.jsonl",
        "data.pairs.extrapolate": f"{name}_test.jsonl",
        "train.steps": STEPS[arm.data],
        "seed": arm.seed, "data.seed": arm.seed, **kept, **ARMS[arm.arm],
    }  # fmt: skip
