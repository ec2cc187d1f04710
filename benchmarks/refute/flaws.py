"""Old mistakes of the checker, put back one by one: each must be found.

A flaw is a name and what it replaces. While it is there, programs are written and attacked until a
certificate is false that the checker, as it is, does not give.
"""

import importlib
import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any
from unittest.mock import patch

import torch
from rich.console import Console

import progtf
from benchmarks.refute.attack import attack
from benchmarks.refute.chance import Chance
from benchmarks.refute.work import Tried, tried
from progtf.program.model import Program

Change = Callable[[Any], Any]
"""What was there -> what stands in its place."""
SECONDS, CHUNK = 300.0, 16


@dataclass(frozen=True)
class Flaw:
    """A mistake: what the checker believes, and what is changed for it to believe that.

    Attributes:
        belief: in words.
        changes: `module.name` or `module.Class.name`, below ``progtf.exact`` -> what it becomes.
    """

    belief: str
    changes: Mapping[str, Change]

    @contextmanager
    def there(self) -> Iterator[None]:
        """Meanwhile the checker makes this mistake.

        Raises:
            AttributeError: if it has no such name any longer: the flaw must be written anew.
        """
        with ExitStack() as stack:
            for place, change in self.changes.items():
                owner, name = _owner(place)
                was = owner.__dict__[name] if isinstance(owner, type) else getattr(owner, name)
                stack.enter_context(patch.object(owner, name, change(was)))
            yield


def _owner(place: str) -> tuple[Any, str]:
    module, *path, name = place.split(".")
    owner: Any = importlib.import_module(f"progtf.exact.{module}")
    for part in path:
        owner = getattr(owner, part)
    return owner, name


def always(value: object) -> Change:
    """A function that gives the same whatever it is given."""
    return lambda _was: lambda *_given, **_named: value


# ------------------------------------------------------------------ showing that each is found


def show_flaws(seed: int, chosen: Sequence[str], processes: int) -> int:
    """Puts flaws back in turn and looks for each; how many were not found in five minutes."""
    from benchmarks.refute.known_flaws import FLAWS  # noqa: PLC0415  the list needs `Flaw`

    console, missed = Console(), 0
    for name, flaw in FLAWS.items():
        if name not in chosen and "all" not in chosen:
            continue
        seconds, found = look_for(name, seed, processes)
        missed += found is None
        shown = "NOT FOUND" if found is None else f"found, {_shown(found)},"
        console.print(f"{name}: {flaw.belief}: {shown} in {seconds:.0f} s")
    return missed


def _shown(tried_: Tried) -> str:
    one = next(o.found for o in tried_.outcomes if o.found is not None)
    return f"program {tried_.place}: {one.dtype}, {one.promise}"


def look_for(name: str, seed: int, processes: int) -> tuple[float, Tried | None]:
    """The first program whose certificate is false because of a flaw, and the time that it took.

    Time is that of the processors: others may be using them.
    """
    context, seconds = multiprocessing.get_context("spawn"), 0.0
    with context.Pool(processes, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        for start in count(step=CHUNK):
            tasks = [(name, seed, place) for place in range(start, start + CHUNK)]
            for took, each in pool.imap_unordered(_timed, tasks):
                seconds += took / processes
                if each is not None or seconds > SECONDS:
                    return seconds, each
    return seconds, None


def _timed(task: tuple[str, int, int]) -> tuple[float, Tried | None]:
    start = time.process_time()
    each = _tried(task)
    return time.process_time() - start, each


def _tried(task: tuple[str, int, int]) -> Tried | None:
    """One program under a flaw, if it is refuted and would not have been certified without it."""
    from benchmarks.refute.known_flaws import FLAWS  # noqa: PLC0415

    name, seed, place = task
    with FLAWS[name].there():
        each = tried((seed, place), small=False)
    if each is None or all(outcome.found is None for outcome in each.outcomes):
        return None
    if any(o.found is not None and o.found.promise == "checks" for o in each.outcomes):
        raise RuntimeError(f"{name} does not fit the checker any longer\n{each.text}")
    program = progtf.parse_program(each.text)
    due = [
        outcome
        for outcome in each.outcomes
        if outcome.found is not None and _is_due_to_the_flaw(each, program, outcome.dtype)
    ]
    return replace(each, outcomes=tuple(due)) if due else None


def _is_due_to_the_flaw(each: Tried, program: Program, dtype: str) -> bool:
    """Whether the checker as it is gives no certificate, or one that the same attack leaves."""
    if not progtf.check(program, dtype).exact:
        return True
    again = attack(program, Chance(f"{each.seed} {each.place} inputs"))
    return all(outcome.found is None for outcome in again if outcome.dtype == dtype)
