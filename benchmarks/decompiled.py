"""Programs that come back from a residual that was turned: ``python -m benchmarks.decompiled``.

The residual of a compiled program is multiplied with a random orthonormal matrix, into a space as
wide, or wider; its maps are turned with it, so that the network computes the same, and no column
is a seme. From residuals and semes at the same positions its maps are brought back, and
held against those that were written: an entry counts as found if its number is right to 1e-6.
What was found is written to ``docs/experiments/decompiled.json``.
"""

import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import progtf
from benchmarks.circuits.trained import trained
from progtf.analysis.coordinates import Coordinates
from progtf.network.model import Model
from progtf.weights import turned

Array = NDArray[np.float64]
ROOT = Path(__file__).parents[1]
FOUND = ROOT / "docs" / "experiments" / "decompiled.json"
WIDTHS = (1.0, 1.5, 2.0)
TEXTS = 100
HYBRID = "hybrid/say_digit, trained"


def main() -> None:
    """Measures programs of these names, or all."""
    torch.set_num_threads(1)
    rows: list[dict[str, Any]] = json.loads(FOUND.read_text()) if FOUND.exists() else []
    for name in sys.argv[1:] or CASES:
        model, texts = _model(name), list(CASES[name]())
        semes = states(model, texts)
        for factor in WIDTHS:
            width = int(factor * semes.shape[1])
            row = {"program": name, "width": width, **comes_back(model, semes, width)}
            rows = [r for r in rows if (r["program"], r["width"]) != (name, width)] + [row]
            print(json.dumps(row), flush=True)
        FOUND.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _model(name: str) -> Model:
    """A program, or a hybrid that is trained first."""
    if name == HYBRID:
        return trained()[0]
    return progtf.compile(progtf.load(ROOT / "examples" / f"{name}.seme"), "float64")


def states(model: Model, texts: list[str]) -> Array:
    """The residual wherever it is seen, each state once, in the order of semes."""
    points = [name for name in model.hooks() if ".blocks." in name and ".hook_resid_" in name]
    _, cache = model.run_with_cache(texts, points)
    rows = [cache[p].double().flatten(0, -2).numpy() for p in points]
    return np.unique(np.concatenate(rows).round(9), axis=0)


def comes_back(model: Model, semes: Array, width: int) -> dict[str, Any]:
    """What of a model's maps is found, where its residual has been turned."""
    draw = np.random.default_rng(1).normal(size=(width, width))
    turn = np.linalg.qr(draw)[0][: semes.shape[1]]
    told = Coordinates.of(semes @ turn, semes, model.layout.columns)
    found = turned.comes_back(model.weights, told, turn)
    return {
        "F1": round(found.f1, 4),
        "found": found.right,
        "wrong": found.wrong,
        "missed": found.missed,
        "entries of rows never seen": found.unseen,
        "semes": len(told.names),
        "never vary": [*told.still],
        "never vary alone": [*told.bound],
    }


def _letters(longest: int, letters: str) -> Callable[[], Iterator[str]]:
    def texts() -> Iterator[str]:
        draw = random.Random(1)
        for _ in range(TEXTS):
            yield "".join(draw.choices(letters, k=draw.randint(1, longest)))

    return texts


def _places() -> Iterator[str]:
    draw = random.Random(1)
    names = ("units", "tens", "hundreds", "thousands", "ten thousands", "millions")
    for _ in range(TEXTS):
        sign, number = draw.choice(["", "", "-"]), draw.randrange(10 ** draw.randint(1, 9))
        yield f"What is the {draw.choice(names)} digit of {sign}{number}?"


ALL = "abcdefghijklmnopqrstuvwxyz"
CASES: dict[str, Callable[[], Iterator[str]]] = {
    "algorithms/reverse": _letters(40, ALL),
    "algorithms/sort": _letters(40, ALL),
    "math/place_value": _places,
    HYBRID: _places,
}

if __name__ == "__main__":
    main()
