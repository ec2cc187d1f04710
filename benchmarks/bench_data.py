"""Figures of the Mathematics Dataset's pipeline, those that `docs/data.md` reports.

    python -m benchmarks.bench_data batches      questions a second and padding, from a cache
    python -m benchmarks.bench_data memory       resident memory while an epoch is read
    python -m benchmarks.bench_data cores        one core and two
    python -m benchmarks.bench_data characters   20,000 questions of all modules, checked

Sizes in millions of questions can be given to `memory`: 112 needs 12 GB of disk.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from statistics import median

from progtf.data import (
    MODULES,
    SPLITS,
    TRAIN_SPLITS,
    Batching,
    Mixture,
    Order,
    build_cache,
    make,
    open_cache,
    open_layout,
    stream_batches,
)
from progtf.data.tokens import PAD

REAL = Path(__file__).parents[1] / "tests" / "data" / "math" / "interpolate"


def lay_out(folder: Path, questions: int) -> None:
    """Writes real questions over and over, as many as asked for, in three training splits."""
    each = -(-questions // (len(MODULES) * len(TRAIN_SPLITS)))
    for module in MODULES:
        text = (REAL / f"{module}.txt").read_bytes()
        first, *others = (folder / split / f"{module}.txt" for split in TRAIN_SPLITS)
        first.parent.mkdir(parents=True, exist_ok=True)
        with first.open("wb") as file:
            for _ in range(each // 15):
                file.write(text)
            file.writelines(text.splitlines(keepends=True)[: 2 * (each % 15)])
        for other in others:
            other.parent.mkdir(exist_ok=True)
            os.link(first, other)


def build(folder: Path, questions: int) -> Path:
    lay_out(folder / "text", questions)
    begun = time.perf_counter()
    build_cache(folder / "x.cache", open_layout(folder / "text"))
    rate = questions / (time.perf_counter() - begun)
    print(f"build: {questions:,} questions, {rate:,.0f} a second", flush=True)
    return folder / "x.cache"


def batches(path: Path) -> None:
    """Prints questions a second of one process, median of five epochs, and the padding."""
    for batching in (Batching(), Batching(65536), Batching(tokens=10**9)):
        seconds, counts = [], Counter()
        for epoch in range(5):
            begun = time.process_time()
            mixture = Mixture(open_cache(path), seed=epoch)
            epoch_batches = list(stream_batches(mixture, batching, epochs=1))
            seconds.append(time.process_time() - begun)
            for batch in epoch_batches:
                counts["questions"] += len(batch.source)
                counts["symbols"] += batch.question.size + batch.answer.size
                counts["padding"] += int(
                    (batch.question == PAD).sum() + (batch.answer == PAD).sum()
                )
        rate = counts["questions"] / 5 / median(seconds)
        padding = counts["padding"] / counts["symbols"]
        print(f"{batching.tokens} symbols or {batching.problems} questions a batch:", end=" ")
        print(
            f"{rate:,.0f} questions a second of processor time, padding {padding:.1%}", flush=True
        )


EPOCH = """
import resource, sys, time
from pathlib import Path
from progtf.data import Batching, Mixture, open_cache, stream_batches

def resident(kind):
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(kind)).split()[1]) / 1024

before = resident("VmRSS")
cache = open_cache(Path(sys.argv[1]))
read = files = 0
begun = time.perf_counter()
for batch in stream_batches(Mixture(cache), Batching(), epochs=1):
    read += len(batch.source)
    files = max(files, resident("RssFile")) if batch.after.batch % 50 == 1 else files
seconds = time.perf_counter() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
assert read == len(cache)
print(f"epoch: {read:,} questions, {len(cache.data) / 1e9:.2f} GB, {read / seconds:,.0f} a second;"
      f" resident: {before:.0f} MB before, {peak:.0f} MB at most, {files:.0f} MB of it mapped")
"""


def memory(folder: Path, millions: float) -> None:
    """Prints the most memory that a fresh process holds while it reads an epoch."""
    path = build(folder, round(millions * 1e6))
    subprocess.run([sys.executable, "-c", EPOCH, str(path)], check=True)


def cores(folder: Path) -> None:
    """Prints how much faster two cores make files; only a quiet machine tells."""
    modules = ("algebra__linear_1d", "numbers__gcd", "arithmetic__mul", "polynomials__evaluate")
    seconds = {}
    for count in (1, 2, 1, 2, 1, 2):
        out = folder / f"{count}-{len(seconds.get(count, ()))}"
        begun = time.perf_counter()
        make(Order(out, ("interpolate",), modules, count=4000), count)
        seconds.setdefault(count, []).append(time.perf_counter() - begun)
    ratio = median(seconds[1]) / median(seconds[2])
    print({count: [round(s, 1) for s in some] for count, some in seconds.items()})
    print(f"two cores are {ratio:.2f} times as fast as one")


def characters(folder: Path) -> None:
    """Makes 84 questions of each of 239 files; the reader refuses what the dataset has not."""
    begun = time.perf_counter()
    make(Order(folder / "out", SPLITS, count=84), len(os.sched_getaffinity(0)))
    made = time.perf_counter() - begun
    problems = [problem for file in open_layout(folder / "out") for problem in file.problems()]
    used = {character for problem in problems for character in "".join(problem)}
    longest = [max(map(len, lines)) for lines in zip(*problems, strict=True)]
    print(f"{len(problems):,} questions in {made:.0f} s, {len(used)} characters, longest {longest}")


def main(part: str = "batches", *sizes: str) -> None:
    """Runs one part; see above."""
    for size in islice(sizes or ("1", "4", "16"), None if part == "memory" else 1):
        with tempfile.TemporaryDirectory() as folder:
            match part:
                case "batches":
                    batches(build(Path(folder), 1_000_000))
                case "memory":
                    memory(Path(folder), float(size))
                case "cores":
                    cores(Path(folder))
                case "characters":
                    characters(Path(folder))
                case _:
                    sys.exit(__doc__)


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["help"]))
