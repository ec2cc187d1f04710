"""What is measured, and with which settings."""

from collections.abc import Iterator
from typing import Any, NamedTuple

FOLDS, SEEDS = 5, (1, 2, 3)
SETS = {"ALG514": "alg514_fold{}", "MAWPS": "mawps_fold{}", "DRAW-1K": "draw"}
"""What the files of a set are called, up to `_train` and `_test`."""
STEPS = {"ALG514": 800, "DRAW-1K": 1200, "MAWPS": 1200}
PROGRAM = "../examples/language/word_problems.seme"
ARMS: dict[str, dict[str, Any]] = {
    "off": {},
    "rules": {"model.rules": True},
    "hybrid": {"model.reads": PROGRAM, "model.rules": True},
    "random": {"model.reads": PROGRAM, "model.rules": True, "control": "random"},
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
    for seed in SEEDS:
        for arm in ("off", "hybrid", "random", "rules"):
            yield from _folds("ALG514", "lstm", arm, 100, seed)
    for seed in SEEDS:
        for arm in ("hybrid", "off"):
            yield from _folds("ALG514", "lstm", arm, 50, seed)
    for data in ("DRAW-1K", "MAWPS"):
        for seed in SEEDS:
            for arm in ("off", "hybrid"):
                yield from _folds(data, "lstm", arm, 100, seed)
    for encoder, arm in (("transformer", "off"), ("bert", "off"), ("bert", "hybrid")):
        for data in ("ALG514", "DRAW-1K", "MAWPS") if arm == "off" else ("ALG514",):
            yield from _folds(data, encoder, arm, 100, 1)


def _folds(data: str, encoder: str, arm: str, part: int, seed: int) -> Iterator[Arm]:
    """DRAW-1K has one split."""
    folds = 1 if data == "DRAW-1K" else FOLDS
    yield from (Arm(data, encoder, arm, part, fold, seed) for fold in range(folds))


def settings(arm: Arm, rows: int) -> dict[str, Any]:
    """What a training has otherwise than `runs/ept_alg514.toml`; ``rows``: to train on, of all."""
    name = SETS[arm.data].format(arm.fold)
    kept = {"data.pairs.rows": round(rows * arm.part / 100)} if arm.part < 100 else {}
    return {
        "model.encoder": arm.encoder,
        "data.pairs.train": f"{name}_train.jsonl",
        "data.pairs.extrapolate": f"{name}_test.jsonl",
        "train.steps": STEPS[arm.data],
        "evaluate.every": STEPS[arm.data] // 2,
        "seed": arm.seed, "data.seed": arm.seed, **kept, **ARMS[arm.arm],
    }  # fmt: skip
