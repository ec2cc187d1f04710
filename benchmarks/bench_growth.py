"""How a training step's time and memory grow with width, length and batch.

Each size runs in a process of its own, so that its peak memory is its own.
"""

import ast
import subprocess
import sys
from pathlib import Path

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
    """CPU milliseconds of a step, mebibytes it adds at its peak, and megabytes of parameters."""
    from functools import partial  # noqa: PLC0415  the parent needs none of these
    from statistics import median  # noqa: PLC0415

    from benchmarks.reference import ragged, train_step  # noqa: PLC0415
    from benchmarks.timing import interleaved, one_thread  # noqa: PLC0415
    from progtf.nn import PUBLISHED_RECIPE, Shape, TPTransformer  # noqa: PLC0415

    one_thread()
    model = TPTransformer(Shape(73, width, 4 * width, 8, 3, 3))
    source, target = ragged(batch, length), ragged(batch, 16, seed=1)
    before = peak_kib()
    step = partial(train_step, model, PUBLISHED_RECIPE.optimiser(model), source, target)
    seconds = interleaved({"step": step}, ROUNDS)["step"]
    peak = peak_kib() - before
    n_parameters = sum(parameter.numel() for parameter in model.parameters())
    return {"ms": median(seconds) * 1e3, "mib": peak / 1024, "millions": n_parameters / 1e6}


def peak_kib():
    """The peak of this process alone: `resource` would start from its parent's."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def main() -> None:
    print("TP-Transformer, 3 + 3 layers, filter 4 x width; base: width 256, source 60, batch 16")
    base = None
    for name, size in SIZES.items():
        code = f"from benchmarks.bench_growth import measure; print(measure(**{size}))"
        child = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        row = ast.literal_eval(child.stdout)
        base = base or row
        times, memory = row["ms"] / base["ms"], row["mib"] / base["mib"]
        print(
            f"  {name:12} {row['millions']:6.2f} M parameters {row['ms']:8.1f} ms (x{times:.2f})"
            f" {row['mib']:8.1f} MiB (x{memory:.2f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
