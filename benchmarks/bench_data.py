"""Figures of the Mathematics Dataset's pipeline, those that `docs/data.md` reports."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.figures import ROOT, Figure
from benchmarks.timing import Times, ratio
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

LONG = True
SIZES = 1_000_000, 4_000_000, 16_000_000
REAL = ROOT / "tests/data/math/interpolate"


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
    build_cache(folder / "x.cache", open_layout(folder / "text"))
    return folder / "x.cache"


def batches(path: Path) -> Iterator[Figure]:
    """Questions a second of one process, median of five epochs, and the padding."""
    for batching in (Batching(), Batching(65536), Batching(tokens=10**9)):
        seconds, counts = [], Counter[str]()
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
        name = f"{batching.tokens:,} symbols or {batching.problems} questions a batch"
        yield Figure(name, rate, "questions a second")
        yield Figure(f"{name}, padding", 100 * counts["padding"] / counts["symbols"], "%")


EPOCH = """
import json, sys, time
from pathlib import Path
from benchmarks.timing import peak_kib
from progtf.data import Batching, Mixture, open_cache, stream_batches

cache = open_cache(Path(sys.argv[1]))
read = 0
begun = time.perf_counter()
for batch in stream_batches(Mixture(cache), Batching(), epochs=1):
    read += len(batch.source)
seconds = time.perf_counter() - begun
peak = peak_kib() / 1024
assert read == len(cache)
print(json.dumps({"rate": read / seconds, "peak": peak}))
"""


def memory(folder: Path, questions: int) -> dict[str, float]:
    """What a fresh process holds, while it reads an epoch, and the questions a second."""
    words = [sys.executable, "-c", EPOCH, str(build(folder, questions))]
    return json.loads(subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


def cores(folder: Path) -> float:
    """How much faster two cores make files; only a quiet machine tells."""
    modules = ("algebra__linear_1d", "numbers__gcd", "arithmetic__mul", "polynomials__evaluate")
    seconds: Times[int] = {}
    for count in (1, 2, 1, 2, 1, 2):
        out = folder / f"{count}-{len(seconds.get(count, ()))}"
        begun = time.perf_counter()
        make(Order(out, ("interpolate",), modules, count=4000), count)
        seconds.setdefault(count, []).append(time.perf_counter() - begun)
    return ratio(seconds[1], seconds[2])


def characters(folder: Path) -> int:
    """How many characters 84 questions of each of 239 files have; the reader refuses others."""
    make(Order(folder / "out", SPLITS, count=84), len(os.sched_getaffinity(0)))
    problems = (problem for file in open_layout(folder / "out") for problem in file.problems())
    return len({character for problem in problems for character in "".join(problem)})


def figures() -> Iterator[Figure]:
    """Batches from a cache, memory by the size of an epoch, two cores, and what is made."""
    with tempfile.TemporaryDirectory() as folder:
        yield from batches(build(Path(folder), SIZES[0]))
    peaks = list[float]()
    for questions in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            held = memory(Path(folder), questions)
        peaks.append(held["peak"])
        yield Figure(f"an epoch of {questions:,}, memory", held["peak"], "MB", "resident, at most")
        yield Figure(f"an epoch of {questions:,}", held["rate"], "questions a second")
    yield Figure("memory of an epoch, growth", peaks[-1] / peaks[0], "x", f"{SIZES[0]:,} questions")
    with tempfile.TemporaryDirectory() as folder:
        yield Figure("files made by two cores", cores(Path(folder)), "x", "the speed of one")
        yield Figure("characters of 20,000 questions", characters(Path(folder)), "")
