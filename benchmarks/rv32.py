"""The nests of `subleq.py` for the RISC-V computer of firebrand, a compiler of programs to weights.

It is https://pypi.org/project/firebrand/0.0.1, and imported where it is used.
"""

import random
import struct
from collections.abc import Sequence
from importlib import import_module
from typing import Any

WIDTH = 10
"""Tokens of an instruction: where it goes on, the number that it writes, and where."""
RAM = 256
"""Bytes that it has at least."""
_EXIT, _EXIT_IN = 93, 17  # the call that ends a program, and the register that names it


def nest(turns: Sequence[int]) -> list[int]:
    """The words of a program whose loops run as often as those of `subleq.nest`.

    Counters are in registers, which costs least: a turn of the innermost loop is two instructions.
    """
    code = [_add(level + 1, 0, 1 - turns[level]) for level in reversed(range(len(turns)))]
    for level in range(1, len(turns) + 1):
        code.append(_add(level, level, 1))
        back = len(turns) + 1 - level - len(code)  # to where the loops within begin anew
        code.append(_unless_above_0(level, 4 * back))
    return [*code, _add(_EXIT_IN, 0, _EXIT), 0x73]


def _add(target: int, source: int, number: int) -> int:
    """The instruction ``addi``."""
    return (number & 0xFFF) << 20 | source << 15 | target << 7 | 0x13


def _unless_above_0(source: int, way: int) -> int:
    """The instruction ``bge x0, source``: so many bytes on, or back, where source is 0 or less."""
    first, middle, last = way >> 5 & 0x3F, way >> 1 & 0xF, way >> 11 & 1
    sign = way >> 12 & 1
    return sign << 31 | first << 25 | source << 20 | 5 << 12 | middle << 8 | last << 7 | 0x63


class Computer:
    """A nest in the memory of firebrand's computer, compiled for so many tokens.

    Args:
        turns: of the nest.
        tokens: as many are written at most.
        words: how many the memory has; those behind the nest are random.
        rng: what they are drawn from.

    Raises:
        ModuleNotFoundError: where firebrand is not installed.
    """

    def __init__(self, turns: Sequence[int], tokens: int, words: int, rng: random.Random) -> None:
        firebrand: Any = import_module("firebrand")
        rv32: Any = import_module("firebrand.machines.rv32")
        code = nest(turns)
        image = [*code, *(rng.getrandbits(32) for _ in range(words - len(code)))]
        size, self._loop = 4 * len(image), len(turns)
        spec = rv32.RV32Spec(ram_bytes=max(RAM, size), image_bytes=size)
        room = spec.protocol.prefix_length + tokens + 1
        self._spec = rv32.RV32Spec(spec.ram_bytes, size, max_context=room)
        self._given = self._spec.encode(struct.pack(f"<{len(image)}I", *image), 0)
        self._model = firebrand.compile_machine(self._spec.machine())

    def write(self, tokens: int) -> list[int]:
        """What it has been given and then writes, by its decoder in C."""
        return self._model.generate(self._given, tokens, backend="c")

    def turned(self, said: Sequence[int]) -> int:
        """How often the innermost loop has run: it goes on behind the instruction that counts."""
        records = self._spec.records(said)
        return sum((place, key) == (self._loop + 1, 1) for place, key, _ in records)
