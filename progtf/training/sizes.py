"""What a network is said to be is held against its weights, or memory, before it is built."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf, prod
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from safetensors import safe_open
from torch import nn
from torch.nn.modules.module import register_module_parameter_registration_hook

from progtf.nn.making import weightless

SMALL = 4096
"""Settings up to here are taken as they are said: some mean nothing to a kind of network."""
ROOM = 4, 2**20
"""A network may have so many times the numbers of its file, and so many more, while it is built."""


def shapes_in(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of the tensors in a file, which are not read.

    Raises:
        SafetensorError: if it is damaged.
        OSError: if it is not there.
    """
    with safe_open(path, "numpy") as file:
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118


@contextmanager
def within(settings: BaseModel, path: Path) -> Iterator[None]:
    """Refuses, while a network is built in this thread, what its weights could never fill.

    Raises:
        ValueError: if a size that is said is beyond all that the file has, or the network comes to
            have far more numbers than it.
    """
    shapes = shapes_in(path)
    numbers = sum(map(prod, shapes.values()))
    largest = max((max(shape, default=1) for shape in shapes.values() if prod(shape)), default=0)
    for name, size in _sizes(settings.model_dump()):
        if size > max(largest, SMALL):
            raise ValueError(f"`{name}` is {size:,}; no weight of {path.name} is so large")
    most = ROOM[0] * numbers + ROOM[1]
    told = f"the network that is described has far more numbers than the {numbers:,} of {path.name}"
    with _at_most(most, told):
        yield


def surely_fits(settings: BaseModel, layers: int, symbols: int) -> bool:
    """Whether a network is so small that nobody need count: torch is slow to begin to.

    A layer has fewer than ``_TIMES`` matrices that are as wide and as high as the largest size, and
    so has what is around layers, with a row for each symbol and place.
    """
    largest = max((size for _, size in _sizes(settings.model_dump())), default=1)
    rows = (layers + 1) * largest + symbols + _PLACES
    return _FLOAT * _TIMES * largest * rows <= memory()


_TIMES, _PLACES = 64, 1024


def check_room(build: Callable[[], nn.Module]) -> None:
    """Builds a network of shapes alone, which takes no memory, and refuses it if it has no room.

    Raises:
        ValueError: if this machine's memory cannot hold its numbers, and all that building says.
    """
    room = memory()
    most = room // _FLOAT
    told = f"the network has more than {most:,} numbers; {_gib(room)} of memory here hold no more"
    try:
        with weightless(), _at_most(ROOM[0] * most, told):  # some are counted again: tied ones
            network = build()
    except (RuntimeError, OverflowError) as error:  # sizes that torch cannot even multiply
        if "overflow" not in str(error).lower():
            raise
        raise ValueError(told) from None
    check_numbers(sum(each.numel() for each in (*network.parameters(), *network.buffers())))


def check_numbers(numbers: int) -> None:
    """Raises ValueError if this machine's memory cannot hold so many numbers of a network."""
    if _FLOAT * numbers > (room := memory()):
        raise ValueError(
            f"{numbers:,} numbers take {_gib(_FLOAT * numbers)}; there are {_gib(room)} of memory"
            " here"
        )


def check_batch(questions: int, numbers: int) -> None:
    """Refuses a batch that this machine's memory cannot hold.

    Args:
        questions: that are computed together.
        numbers: that each of them has at the least, on the way.

    Raises:
        ValueError: if it has no room.
    """
    if (bytes_due := _FLOAT * questions * numbers) > (room := memory()):
        raise ValueError(
            f"{questions:,} questions together take {_gib(bytes_due)} or more; there are"
            f" {_gib(room)} of memory here"
        )


def memory() -> int:
    """Bytes of memory that a process may have: those of this machine, fewer where a container says
    so. Where nobody can tell, those of the largest machines.
    """
    try:
        most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        most = 2**46
    return int(min(most, *map(_said_by, _CONTAINERS)))


_CONTAINERS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Where Linux says how much memory a container may have: control groups of version 2, and 1."""


def _said_by(limit: Path) -> float:
    """Bytes; infinite where the file is not there, or says ``max``."""
    try:
        return int(limit.read_text("ascii"))
    except (OSError, ValueError):
        return inf


ADAM = 4
"""Numbers of a trained weight: its own, its gradient, and two moments."""
_FLOAT = 4
"""Bytes of a number."""


def _gib(size: int) -> str:
    return f"{size / 2**30:,.0f} GiB"


@contextmanager
def _at_most(most: int, told: str) -> Iterator[None]:
    """Refuses, while a network is built in this thread, parameters of more numbers."""
    here, built = threading.get_ident(), 0

    def count(_module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        nonlocal built
        if parameter is None or threading.get_ident() != here:
            return
        built += max(parameter.numel(), 1)
        if built > most:
            raise ValueError(f"{told}, as of `{name}`")

    handle: Any = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        handle.remove()


def _sizes(settings: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The whole numbers among settings, by name; those of inner tables, too."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _sizes(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield name, value
