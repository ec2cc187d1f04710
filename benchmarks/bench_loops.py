"""What a loop costs that ends text by text, or place by place, beside the same loop without an end.

Questions have the wording of the Mathematics Dataset, and operands of all sizes; those of a decoder
are pairs of numbers, of which it writes one remainder after another.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import torch

import progtf
from benchmarks.figures import ROOT, Figure
from benchmarks.timing import one_thread
from progtf.network.model import Model
from progtf.nn.loops import Loop

PROGRAMS = {
    "div_remainder": ROOT / "examples/math/div_remainder.seme",
    "remainders": ROOT / "examples/remainders.seme",
}
COUNT, BATCH, ROUNDS = 512, 256, 3
QUICK, SLOW = "34 21", "99 1"  # a subtraction or two at each place, or 99 at the first
LONG = False


def divisions() -> list[str]:
    """Divisions like those of the dataset: dividends of up to ten digits, divisors of up to six."""
    rng = random.Random(1)
    asked: list[str] = []
    for _ in range(COUNT):
        divisor = rng.randrange(1, 10 ** rng.randint(1, 6))
        number = divisor * rng.randrange(1, 10 ** rng.randint(1, 4)) + rng.randrange(divisor)
        asked.append(f"What is the remainder when {number} is divided by {divisor}?")
    return asked


def pairs() -> list[str]:
    """Two numbers below 100."""
    rng = random.Random(1)
    return [f"{rng.randint(1, 99)} {rng.randint(1, 99)}" for _ in range(COUNT)]


def seconds(model: Model, asked: list[str]) -> float:
    """The processor's seconds for all questions."""
    start = process_time()
    for first in range(0, len(asked), BATCH):
        model.answers(asked[first : first + BATCH])
    return process_time() - start


class Endless:
    """Whether texts or places of a loop go on: until its last round, and then as they really do."""

    def __init__(self, loop: Loop) -> None:
        self.really, self.most, self.rounds = loop._going, loop.most, 0  # noqa: SLF001
        self.begun = torch.zeros(0)

    def __call__(self, residual: Any, present: Any, *, first: bool) -> torch.Tensor:
        """As ``Loop._going``."""
        found = self.really(residual, present, first=first)
        self.rounds, self.begun = (0, found) if first else (self.rounds + 1, self.begun)
        return found if self.rounds == self.most else self.begun


def without_end(model: Model) -> Model:
    """The same network, all texts of which take all rounds, and come to the same."""
    for loop in (module for module in model.modules() if isinstance(module, Loop)):
        vars(loop)["_going"] = Endless(loop)
    return model


def figures() -> Iterator[Figure]:
    """Questions a second in batches, and how much of it the end of loops is; the price of one."""
    one_thread()
    for (name, path), asked in zip(PROGRAMS.items(), (divisions(), pairs()), strict=True):
        yield from _of(name, path, asked)


def _of(name: str, path: Path, asked: list[str]) -> Iterator[Figure]:
    program = progtf.load(path)
    ends, never = progtf.compile(program), without_end(progtf.compile(program))
    assert ends.run(asked[:8]) == never.run(asked[:8])
    seconds(ends, asked[:BATCH])
    took = [(seconds(ends, asked), seconds(never, asked)) for _ in range(ROUNDS)]
    note = f"batches of {BATCH}, one core, processor time"
    yield Figure(f"{name}, questions", len(asked) / median(one for one, _ in took), "/s", note)
    ratio = median(other / one for one, other in took)
    yield Figure(f"{name}, without an early end", ratio, "times as long", "turn by turn")
    if program.decoder and not program.encoder:
        yield _of_one(name, ends)


def _of_one(name: str, model: Model) -> Figure:
    """In a batch a step of a decoder takes as long as its slowest place."""
    quick, slow = [QUICK] * BATCH, [SLOW, *[QUICK] * (BATCH - 1)]
    ratio = median(seconds(model, slow) / seconds(model, quick) for _ in range(ROUNDS))
    times = _rounds(model, slow) / _rounds(model, quick)
    note = f"than without it; {times:.1f} times as many rounds"
    return Figure(f"{name}, one text of 99 rounds in {BATCH}", ratio, "times as long", note)


def _rounds(model: Model, asked: list[str]) -> int:
    """How many rounds loops run in a batch."""
    turns: list[object] = []
    loops = [module for module in model.modules() if isinstance(module, Loop)]
    for loop in loops:
        turn = loop.round.turn
        vars(loop.round)["turn"] = lambda *given, turn=turn: turns.append(0) or turn(*given)
    model.answers(asked)
    for loop in loops:
        del vars(loop.round)["turn"]
    return len(turns)
