"""Memories for `examples/machines/subleq.seme`, and what it writes of them, by a loop in Python."""

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate

WIDTH = 3
"""Tokens of an instruction: its address, the address that it writes at, and the number there."""


def nest(turns: Sequence[int]) -> list[int]:
    """Loops within loops, each an instruction that counts up until its number is above 0.

    Args:
        turns: how often each runs, the innermost first, from 1 to 999.
    """
    inner = len(turns) - 1
    one = WIDTH * (inner + len(turns) + 1)
    counters = range(one + 1, one + 1 + len(turns))
    again = range(counters.stop, counters.stop + inner)
    memory: list[int] = []
    for level in reversed(range(inner)):  # a loop within another begins anew
        memory += again[level], counters[level], len(memory) + WIDTH
    loop = len(memory)
    for level in range(len(turns)):
        memory += one, counters[level], loop - WIDTH * level
    memory += one, one, -1  # below 0 there is nothing: it halts
    return [*memory, -1, *[1] * inner, 1 - turns[-1], *turns[:-1]]


def instructions(turns: Sequence[int]) -> int:
    """How many a nest takes until it halts."""
    *_, whole = accumulate(turns[1:], lambda within, count: count * (within + 2), initial=turns[0])
    return whole + 1


def turned(turns: Sequence[int], tokens: Sequence[str]) -> int:
    """How often the innermost loop of a nest has run when so much is written."""
    return tokens[::WIDTH].count(str(WIDTH * (len(turns) - 1)))


def filled(memory: Sequence[int], words: int, rng: random.Random) -> list[int]:
    """A memory, and random words behind it, until it has so many."""
    return [*memory, *(rng.randint(-999, 999) for _ in range(words - len(memory)))]


def text(memory: Sequence[int]) -> str:
    """What the network is given."""
    return " ".join([*map(str, memory), "run"])


def trace(memory: Sequence[int]) -> Iterator[str]:
    """The tokens that are right, one after the other, for a memory that leads to no fault."""
    words, at = [*memory], 0
    while at >= 0 and at + 2 < len(words):
        a, b, c = words[at : at + WIDTH]
        words[b] -= words[a]
        yield from (str(at), str(b), str(words[b]))
        at = c if words[b] <= 0 else at + WIDTH
    yield "end"
