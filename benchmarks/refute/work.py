"""One program after another, in processes of their own."""

import multiprocessing
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import torch

import progtf
from benchmarks.refute.attack import Outcome, attack
from benchmarks.refute.chance import Chance
from benchmarks.refute.constructs import constructs
from benchmarks.refute.programs import written
from benchmarks.refute.shrink import Case, shrunk
from progtf import SemeError

CHUNK = 64


@dataclass(frozen=True)
class Tried:
    """One program: its text, what is in it, what became of its certificates.

    ``smallest``: what is left of it if one of them is false.
    """

    seed: int
    place: int
    text: str
    constructs: frozenset[str]
    outcomes: tuple[Outcome, ...]
    smallest: Case | None


def tried(task: tuple[int, int], *, small: bool = True) -> Tried | None:
    """The program with this place among those of a seed, attacked; None if it is none.

    ``small``: whether what is found is made small.
    """
    seed, place = task
    text = written(seed, place)
    try:
        program = progtf.parse_program(text)
    except SemeError:
        return None
    outcomes = tuple(attack(program, Chance(f"{seed} {place} inputs")))
    found = [outcome.found for outcome in outcomes if outcome.found is not None]
    chosen = next((each for each in found if each.dtype == "float32"), found[0] if found else None)
    smallest = None if chosen is None or not small else shrunk(Case(text, chosen))
    return Tried(seed, place, text, constructs(program), outcomes, smallest)


def results(seed: int, processes: int) -> Iterator[Tried]:
    """Programs without end; the same ones for the same seed."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        for start in count(step=CHUNK):
            tasks = [(seed, place) for place in range(start, start + CHUNK)]
            yield from filter(None, pool.imap_unordered(tried, tasks, chunksize=4))
