"""What is measured, and with which settings."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

SEEDS = 1, 2, 3
FOLDS = {"ALG514": 5, "MAWPS": 5, "DRAW-1K": 1}
SETS = {"ALG514": "alg514_fold{}", "MAWPS": "mawps_fold{}", "DRAW-1K": "draw"}
"""What the files of a set are called, up to `_train` and `_test`."""
STEPS = {"ALG514": 800, "DRAW-1K": 1200, "MAWPS": 4800}
PROGRAM = "../examples/language/word_problems.seme"
ENCODERS: dict[str, dict[str, Any]] = {"bert": {"model.tuned": 0}}
"""What is set for an encoder: BERT stays as it is."""
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


PLAN = (
    *(("ALG514", "lstm", arm, 100, SEEDS) for arm in ("off", "hybrid", "random", "rules")),
    *(("ALG514", "lstm", arm, 50, SEEDS) for arm in ("hybrid", "off")),
    *(
        (data, "lstm", arm, 100, SEEDS)
        for data in ("DRAW-1K", "MAWPS")
        for arm in ("off", "hybrid")
    ),
    *((data, "transformer", "off", 100, SEEDS[:1]) for data in SETS),
    *((data, "bert", "off", 100, SEEDS[:1]) for data in SETS),
    ("ALG514", "bert", "hybrid", 100, SEEDS[:1]),
)
"""Set, encoder, arm, percent of the training rows, seeds."""


def arms() -> Iterator[Arm]:
    """All that is measured: every fold, seed and line of the plan, the most telling first."""
    for data, encoder, arm, part, seeds in PLAN:
        for seed, fold in product(seeds, range(FOLDS[data])):
            yield Arm(data, encoder, arm, part, fold, seed)


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
        **ENCODERS.get(arm.encoder, {}),
    }  # fmt: skip
