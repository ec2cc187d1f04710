"""What is measured, and with which settings."""

from collections.abc import Iterator
from typing import Any, NamedTuple

SIZE, SEEDS = 50, (1, 2, 3)
WINDOW = "sliding window"
PROGRAM = "../examples/language/reader_roles.seme"
WRITTEN = ["determiner", "wh", "noun", "verb"]
TPR = {"model.reading.phrase": "tpr"}
ARMS: dict[str, dict[str, Any]] = {
    "LSTM": {"model.reading.phrase": "lstm"},
    "narrow LSTM": {"model.reading.phrase": "lstm", "model.reading.narrow": 32},
    "TPR": TPR,
    "TPR, written roles": {
        **TPR,
        "model.reads": PROGRAM, "model.reading.written": WRITTEN,
        "model.reading.roles": len(WRITTEN) + 15,
    },
    "TPR, no regulariser": {**TPR, "model.reading.sparsity": 0.0},
    "TPRLSTM": {"model.reading.phrase": "tprlstm", "model.reading.d_symbol": 5},
}  # fmt: skip
"""Four have more than one seed; of `TPRLSTM` half of the width is an LSTM's, and half vec(T)."""
OFTEN = tuple(ARMS)[:4]


class Arm(NamedTuple):
    """One training; the sliding window needs none."""

    arm: str
    size: int
    seed: int


def arms() -> Iterator[Arm]:
    """All that is measured, one seed of each first."""
    yield Arm(WINDOW, 0, 0)
    yield from (Arm(name, SIZE, SEEDS[0]) for name in ARMS)
    yield from (Arm(name, SIZE, seed) for seed in SEEDS[1:] for name in OFTEN)


def name_of(arm: Arm) -> str:
    """What the folder of a training is called, such as `TPR-no-regulariser-50-1`."""
    return "-".join(map(str, arm)).replace(", ", "-").replace(" ", "-")


def settings(arm: Arm, steps: int, vectors: str) -> dict[str, Any]:
    """What a training has otherwise than `runs/comprehension.toml`."""
    return {
        "model.reading.vectors": vectors, "train.steps": steps, "seed": arm.seed, **ARMS[arm.arm],
    }  # fmt: skip
