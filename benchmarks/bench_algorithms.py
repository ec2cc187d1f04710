"""The programs of `examples/algorithms/`: size, compile time, speed and errors, beside Tracr's.

Tracr's figures are those measured on 2026-11-21 with its stock programs on the same kind of
machine (two busy cores, so times are good to a factor of two): the largest length that it compiled
within 80 s, its default vocabulary of five tokens unless said otherwise. Ours are of the programs
as they stand, for every length up to 100. A sequence is wrong if any of its tokens is.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import progtf
from benchmarks.figures import ROOT, Figure
from benchmarks.timing import one_thread
from tests.acceptance.algorithms import TASKS

FOLDER = ROOT / "examples/algorithms"
LENGTHS = (10, 20, 50, 100)
COUNT = 100  # random inputs a length
ROUNDS = 5
LONG = True


@dataclass(frozen=True)
class Tracr:
    """What was measured of a program of Tracr's; `wrong` is against its own interpreter."""

    program: str
    length: int
    parameters: str
    compile_s: str
    wrong: str


TRACR = {
    "reverse": Tracr("reverse", 50, "7.0M", "19.8", "7/8"),
    "hist": Tracr("hist", 50, "32k", "2.8", "7/8"),
    "sort": Tracr("sort", 50, "1.7M", "8.3", "7/8"),
    "most_freq": Tracr("sort_freq", 20, "6.6M", "4.4", "6/8"),
    "shuffle_dyck2": Tracr("shuffle_dyck2", 20, "5.3M", "5.0", "0/8"),
    "frac_prevs": Tracr("frac_prevs", 50, "29k", "2.7", "1/8"),
}


def parameters(model) -> tuple[int, int]:
    """How many numbers the weights hold, and how many of them are not zero."""
    weights = list(model.parameters())
    return sum(w.numel() for w in weights), sum(int((w != 0).sum()) for w in weights)


def compiled(name: str, text: str):
    """The model of a program's text, and the median of the seconds from text to model."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        model = progtf.compile(progtf.parse_program(text, name, FOLDER), "float32")
        times.append(perf_counter() - start)
    return model, median(times)


def errors(name: str, model) -> tuple[int, int, float]:
    """Of random and all-equal inputs: how many are wrong, how many there are, the smallest gap."""
    task, wrong, count, gap = TASKS[name], 0, 0, float("inf")
    for length in LENGTHS:
        rng = random.Random(length)
        asked = [task.ask(length, rng) for _ in range(COUNT)] + list(task.alike(length))
        answers = model.answers(asked)
        wrong += sum(
            said.text != task.answer(text) for text, said in zip(asked, answers, strict=True)
        )
        count, gap = count + len(asked), min(gap, *(said.gap for said in answers))
    return wrong, count, gap


def seconds(name: str, model) -> float:
    """The median of the seconds for one input of length 100."""
    text, times = TASKS[name].ask(100, random.Random(1)), []
    for _ in range(ROUNDS):
        start = perf_counter()
        model.run(text)
        times.append(perf_counter() - start)
    return median(times)


def figures() -> Iterator[Figure]:
    """How long each program takes to compile and to run, how many weights it has, what is wrong."""
    one_thread()
    for name in TASKS:
        model, took = compiled(name, (FOLDER / f"{name}.seme").read_text(encoding="utf-8"))
        total, used = parameters(model)
        wrong, count, gap = errors(name, model)
        peer = TRACR.get(name)
        said = "" if peer is None else f"Tracr's {peer.program}, length {peer.length}: "
        yield Figure(f"{name}, compiled", took, "s", said and f"{said}{peer.compile_s} s")
        yield Figure(f"{name}, run", 1000 * seconds(name, model), "ms", "one input of length 100")
        yield Figure(f"{name}, weights", total, "", said and f"{said}{peer.parameters}")
        yield Figure(f"{name}, weights not zero", used, "", "all weights")
        yield Figure(f"{name}, wrong", wrong, f"of {count}", said and f"{said}{peer.wrong}")
        yield Figure(f"{name}, smallest gap", gap, "logits")
