"""Whether solutions are the answers: the strict judge, and the published lenient one."""

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

from progtf.tasks.word_problems.solver import Solution

RELATIVE = 1e-3
"""Strict: how far a value may lie off, beside the expected one."""
SMALLEST = 1e-6
"""What counts as the size of an expected 0."""
ABSOLUTE = 0.1
"""Lenient, as published: how far a value may lie off."""

Answers = Sequence[Sequence[float]]


def strictly_right(solutions: Iterable[Solution], answers: Answers) -> bool:
    """Whether every expected tuple is a solution, value by value; the unknowns may be swapped."""
    found = [tuple(solution.values()) for solution in solutions]
    return bool(answers) and all(
        any(len(some) == len(due) and _match(due, some, _near) for some in found) for due in answers
    )


def leniently_right(solutions: Iterable[Solution], answers: Answers) -> bool:
    """The same as published: an unknown that is not solved counts as right, and 0.1 as near."""
    found = [tuple(solution.values()) for solution in solutions]
    return bool(answers) and all(
        any(0 < len(some) <= len(due) and _match(some, due, _close) for some in found)
        for due in answers
    )


def _match(
    some: Sequence[float], others: Sequence[float], fits: Callable[[float, float], bool]
) -> bool:
    """Whether each of some fits another one of the others."""
    return any(all(map(fits, some, chosen)) for chosen in permutations(others, len(some)))


def _near(due: float, value: float) -> bool:
    return abs(value - due) <= RELATIVE * max(abs(due), SMALLEST)


def _close(value: float, due: float) -> bool:
    return abs(value - due) <= ABSOLUTE
