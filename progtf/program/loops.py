"""Layers that run again and again: which of them stand together."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Protocol, TypeVar


class _Part(Protocol):
    @property
    def loop(self) -> Any: ...


Part = TypeVar("Part", bound=_Part)


def by_loop(parts: Iterable[Part]) -> Iterator[tuple[Part, ...]]:
    """Layers, or blocks of them, as they run: those of one loop together, any other by itself."""
    for _, together in groupby(enumerate(parts), key=_run):
        yield tuple(part for _, part in together)


def _run(numbered: tuple[int, _Part]) -> object:
    number, part = numbered
    return number if part.loop is None else part.loop.name
