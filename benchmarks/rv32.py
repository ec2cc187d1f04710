"""The nests of `subleq.py` for the RISC-V computer of firebrand, a compiler of programs to weights.

It is https://pypi.org/project/firebrand/0.0.1, and imported where it is used.
"""

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

WIDTH = 10
"""Tokens of an instruction: where it goes on (3), the number that it writes (4), and where (3)."""
_RAM = 256  # bytes that it has at least
_END = -1  # the token behind the last instruction
_EXIT, _EXIT_IN, _CALL = (
    93,
    17,
    0x73,
)  # what ends a program, in which register, and what asks for it


@dataclass(frozen=True)
class Add:
    """The instruction ``addi``: a register is another one, or 0, and a number."""

    target: int
    source: int
    number: int

    @property
    def word(self) -> int:
        """As it stands in memory."""
        return (self.number & 0xFFF) << 20 | self.source << 15 | self.target << 7 | 0x13


@dataclass(frozen=True)
class Back:
    """The instruction ``bge x0, source``: so many words on where a register is not above 0."""

    source: int
    words: int

    @property
    def word(self) -> int:
        """As it stands in memory."""
        way = 4 * self.words
        sign, high, low, odd = way >> 12 & 1, way >> 5 & 0x3F, way >> 1 & 0xF, way >> 11 & 1
        return sign << 31 | high << 25 | self.source << 20 | 5 << 12 | low << 8 | odd << 7 | 0x63


def nest(turns: Sequence[int]) -> list[Add | Back]:
    """Loops that run as often as those of `subleq.nest`, and then what names the end.

    Counters are in registers, which costs least: a turn of the innermost loop is two instructions.
    """
    code: list[Add | Back] = [
        Add(level + 1, 0, 1 - turns[level]) for level in reversed(range(len(turns)))
    ]
    for level in range(1, len(turns) + 1):
        begins = len(turns) + 1 - level  # where the loops within begin anew
        code += Add(level, level, 1), Back(level, begins - len(code) - 1)
    return [*code, Add(_EXIT_IN, 0, _EXIT)]


def trace(turns: Sequence[int]) -> Iterator[int]:
    """The tokens that are right, one after the other."""
    code, registers, at = nest(turns), [0] * 32, 0
    while at < len(code):
        match code[at]:
            case Add(target, source, number):
                registers[target] = registers[source] + number
                at, key, value = at + 1, target, registers[target]
            case Back(source, words):
                at, key, value = at + (words if registers[source] <= 0 else 1), 0, 0
        yield from (at, 0, 0, *struct.pack("<i", value), key, 0, 0)
    yield _END


def turned(turns: Sequence[int], tokens: Sequence[int]) -> int:
    """How often the innermost loop of a nest has run when so much is written."""
    counted = len(turns) + 1, 1  # goes on behind what counts, and has written the first register
    return [*zip(tokens[::WIDTH], tokens[7::WIDTH], strict=False)].count(counted)


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
        spec_of: Any = import_module("firebrand.machines.rv32").RV32Spec
        code = [*(each.word for each in nest(turns)), _CALL]
        image = [*code, *(rng.getrandbits(32) for _ in range(words - len(code)))]
        size = 4 * len(image)
        begun = spec_of(max(_RAM, size), size).protocol.prefix_length
        spec = spec_of(max(_RAM, size), size, max_context=begun + tokens + 1)
        self._given: list[int] = spec.encode(struct.pack(f"<{len(image)}I", *image), 0)
        self._model = firebrand.compile_machine(spec.machine())

    def write(self, tokens: int) -> list[int]:
        """What it writes, by its decoder in C: so many tokens, or fewer where it halts."""
        return self._model.generate(self._given, tokens, backend="c")[len(self._given) :]
