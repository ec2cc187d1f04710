"""What a network is said to be is held against its weights before anything is built."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from safetensors import safe_open
from torch import nn
from torch.nn.modules.module import register_module_parameter_registration_hook

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
    here, built, most = threading.get_ident(), 0, ROOM[0] * numbers + ROOM[1]

    def count(_module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        nonlocal built
        if parameter is None or threading.get_ident() != here:
            return
        built += max(parameter.numel(), 1)
        if built > most:
            raise ValueError(
                f"the network that is described has far more numbers than the {numbers:,} of"
                f" {path.name}, as of `{name}`"
            )

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
