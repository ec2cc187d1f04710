"""How a training step's time and memory grow with width, length and batch.

Each size runs in a process of its own, so that its peak memory is its own.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.figures import Figure

LONG = True
BASE = "TP-Transformer, 3 + 3 layers, width 256, source 60, batch 16"
SIZES = {
    "base": {},
    "width 128": {"width": 128},
    "width 512": {"width": 512},
    "source 30": {"length": 30},
    "source 120": {"length": 120},
    "batch 8": {"batch": 8},
    "batch 32": {"batch": 32},
}
ROUNDS = 5


def measure(width=256, length=60, batch=16):
    """CPU milliseconds of a step, and mebibytes that it adds at its peak."""
    from functools import partial  # noqa: PLC0415  the parent needs none of these
    from statistics import median  # noqa: PLC0415

    from benchmarks.reference import ragged, train_step  # noqa: PLC0415
    from benchmarks.timing import interleaved, one_thread, peak_kib  # noqa: PLC0415
    from progtf.nn import PUBLISHED_RECIPE, Shape, TPTransformer  # noqa: PLC0415

    one_thread()
    model = TPTransformer(Shape(73, width, 4 * width, 8, 3, 3))
    source, target = ragged(batch, length), ragged(batch, 16, seed=1)
    before = peak_kib()
    step = partial(train_step, model, PUBLISHED_RECIPE.optimiser(model), source, target)
    seconds = interleaved({"step": step}, ROUNDS)["step"]
    peak = peak_kib() - before
    return {"ms": median(seconds) * 1e3, "mib": peak / 1024}


def figures() -> Iterator[Figure]:
    """Time and memory of each size, beside those of the first."""
    base: dict[str, float] = {}
    for name, size in SIZES.items():
        code = f"from benchmarks.bench_growth import measure; print(measure(**{size}))"
        child = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        row = ast.literal_eval(child.stdout)
        base = base or row
        if row is base:
            yield Figure("step of the base", row["ms"], "ms", BASE)
            yield Figure("memory of the base", row["mib"], "MiB", BASE)
        else:
            yield Figure(f"step, {name}", row["ms"] / base["ms"], "x", "the base")
            yield Figure(f"memory, {name}", row["mib"] / base["mib"], "x", "the base")
