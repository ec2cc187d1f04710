"""Questions drawn from the generator of the Mathematics Dataset: a seed, the same questions."""

import importlib
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from typing import Any

from progtf.data.modules import TRAIN_SPLITS
from progtf.data.problem import MAX_ANSWER, MAX_QUESTION, Problem
from progtf.data.repairs import mathematics_dataset

CHUNK = 32
"""Questions drawn from one seeding. Another number would give other questions."""


def generate(split: str, module: str, seed: int, chunk: int) -> list[Problem]:
    """Returns chunk `chunk` of a module's endless sequence: `CHUNK` problems, repeats among them.

    The answer depends on the arguments alone, not on what was drawn before, on the process or on
    the Python version. The state of the global random generators is left as it was.
    """
    sampler = _samplers(split)[module]
    with _seeded(f"{seed}/{split}/{module}/{chunk}"):
        return [_draw(sampler) for _ in range(CHUNK)]


def _draw(sampler: Callable[[], Any]) -> Problem:
    while True:
        drawn = sampler()
        problem = Problem(str(drawn.question), str(drawn.answer))
        if len(problem.question) <= MAX_QUESTION and len(problem.answer) <= MAX_ANSWER:
            return problem


@cache
def _samplers(split: str) -> dict[str, Callable[[], Any]]:
    modules = mathematics_dataset()
    match split:
        case "interpolate":
            return dict(_flat(modules.test()))
        case "extrapolate":
            return dict(_flat(modules.test_extra()))
        case _:
            return dict(_flat(modules.train(_third(TRAIN_SPLITS.index(split)))))


def _flat(areas: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Callable[[], Any]]]:
    for area, modules in areas.items():
        for name, sampler in modules.items():
            yield f"{area}__{name}", sampler


def _third(level: int) -> Callable[[tuple[float, float]], tuple[float, float]]:
    """Returns what narrows a range of difficulty to its easy, medium or hard third."""

    def narrow(range_: tuple[float, float]) -> tuple[float, float]:
        low, high = range_
        return low + level / 3 * (high - low), low + (level + 1) / 3 * (high - low)

    return narrow


@contextmanager
def _seeded(key: str) -> Iterator[None]:
    """Seeds the three generators that the package draws from, and puts them back afterwards."""
    shared = importlib.import_module("numpy.random")  # the old global one is what it draws from
    sympy_random = importlib.import_module("sympy.core.random")
    importlib.import_module("sympy.core.cache").clear_cache()
    number = int.from_bytes(blake2b(key.encode(), digest_size=16).digest(), "big")
    before = random.getstate(), shared.get_state(), sympy_random.rng.getstate()
    try:
        random.seed(number)
        shared.seed([number >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)])
        sympy_random.seed(number)
        yield
    finally:
        random.setstate(before[0])
        shared.set_state(before[1])
        sympy_random.rng.setstate(before[2])
