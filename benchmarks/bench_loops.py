"""What a loop costs that ends text by text, beside the same loop without an end.

Questions have the wording of the Mathematics Dataset, and operands of all sizes.
"""

import random
from collections.abc import Iterator
from statistics import median
from time import process_time

import torch

import progtf
from benchmarks.figures import ROOT, Figure
from benchmarks.timing import one_thread
from progtf.network.model import Model
from progtf.nn.loops import Loop

PROGRAM = ROOT / "examples/math/div_remainder.seme"
COUNT, BATCH, ROUNDS = 512, 256, 3
LONG = False


def questions() -> list[str]:
    """Divisions like those of the dataset: dividends of up to ten digits, divisors of up to six."""
    rng = random.Random(1)
    asked: list[str] = []
    for _ in range(COUNT):
        divisor = rng.randrange(1, 10 ** rng.randint(1, 6))
        number = divisor * rng.randrange(1, 10 ** rng.randint(1, 4)) + rng.randrange(divisor)
        asked.append(f"What is the remainder when {number} is divided by {divisor}?")
    return asked


def seconds(model: Model, asked: list[str]) -> float:
    """The processor's seconds for all questions."""
    start = process_time()
    for first in range(0, len(asked), BATCH):
        model.answers(asked[first : first + BATCH])
    return process_time() - start


def without_end(model: Model) -> Model:
    """The same network, all texts of which take all rounds."""
    for loop in (module for module in model.modules() if isinstance(module, Loop)):
        vars(loop)["_ends"] = _never
    return model


def _never(residual: torch.Tensor, _present: torch.Tensor | None) -> torch.Tensor:
    return torch.zeros(len(residual), dtype=torch.bool)


def figures() -> Iterator[Figure]:
    """Questions a second of `div_remainder` in batches, and how much of it the end of loops is."""
    one_thread()
    program, asked = progtf.load(PROGRAM), questions()
    ends = progtf.compile(program, "float32")
    never = without_end(progtf.compile(program, "float32"))
    seconds(ends, asked[:BATCH])
    pairs = [(seconds(ends, asked), seconds(never, asked)) for _ in range(ROUNDS)]
    took = median(one for one, _ in pairs)
    note = f"batches of {BATCH}, one core, processor time"
    yield Figure("div_remainder, questions", len(asked) / took, "/s", note)
    ratio = median(other / one for one, other in pairs)
    yield Figure("div_remainder, without an early end", ratio, "times as long", "turn by turn")
