"""Programs: import the package, read and compile place_value, run a small example."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from statistics import median

import torch
from torch import nn

import progtf
from benchmarks.figures import ROOT, Figure
from benchmarks.timing import interleaved, one_thread, ratio

PLACE_VALUE = ROOT / "examples/math/place_value.seme"
SMALL = ROOT / "examples/article/attention_with_positions.seme"
IMPORT = "import time; t = time.perf_counter(); import progtf; print(time.perf_counter() - t)"
PEER = "torch.nn.TransformerEncoderLayer"


def import_ms(rounds: int = 7) -> float:
    """The median time of `import progtf` in a new process, in milliseconds."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", IMPORT], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for _ in range(rounds)
    ]
    return 1000 * median(float(run.stdout) for run in runs)


def small_example() -> Iterator[Figure]:
    """From text to text, beside the smallest layer that torch has, on the same tokens."""
    model = progtf.compile(progtf.load(SMALL))
    layer = nn.TransformerEncoderLayer(8, 1, 16, batch_first=True).eval()
    ways = {
        PEER: partial(layer, torch.zeros(1, 4, 8)),
        "words": partial(model.run, "black dog white cat"),
    }
    with torch.no_grad():
        times = interleaved(ways, 200)
    yield Figure("a small example", 1000 * median(times["words"]), "ms", "aim: under 3")
    yield Figure("a small example, ratio", ratio(times["words"], times[PEER]), "x", PEER)


def figures() -> Iterator[Figure]:
    """The import, one program from text to model, and a small one."""
    one_thread()
    text = PLACE_VALUE.read_text(encoding="utf-8")
    compiling = {"": lambda: progtf.compile(progtf.parse_program(text), "float32")}
    yield Figure("import progtf", import_ms(), "ms", "aim: under 300")
    whole = median(interleaved(compiling, 9)[""])
    yield Figure("place_value, parsed and compiled", 1000 * whole, "ms", "aim: under 500")
    yield from small_example()
