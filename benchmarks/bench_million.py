"""A million lines through ``progtf run FILE -``: minutes."""

from collections.abc import Iterator

from benchmarks.bench_memory import peak
from benchmarks.figures import Figure

LONG = True


def figures() -> Iterator[Figure]:
    """The most memory that the process holds."""
    yield Figure("run - of 1,000,000 lines", peak(1_000_000), "MB", "aim: under 500")
