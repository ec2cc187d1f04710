"""Answers of the engine in C, and where it is not there or leaves a text aside, none.

What it gives is exact: whatever it cannot tell for certain, and whatever breaks a promise of the
program, it leaves aside. Calls do not hold the interpreter's lock, and threads may share an engine.
"""

import ctypes
from array import array
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from progtf.notation.sought import Sought
from progtf.once import once
from progtf.program.arrays import Array
from progtf.program.interface import interface_of
from progtf.program.model import BOS, EOS, Program
from progtf.program.spelling import Token
from progtf.program.vectors import token_vector
from progtf.running.native.library import library
from progtf.running.native.packed import number, packed
from progtf.running.stop import STOP

STOPPED = 3
MOST_TOKENS = 65_536
"""Tokens whose vectors are kept."""
FIRST_WRITTEN, MOST_WRITTEN = 64, 16_384
"""Tokens that are written at a time, at first and at most."""


class _Text(ctypes.Structure):
    _fields_ = (
        ("tokens", ctypes.c_int64), ("vectors", ctypes.c_void_p), ("inner", ctypes.c_void_p),
    )  # fmt: skip


class _Answer(ctypes.Structure):
    _fields_ = (
        ("residual", ctypes.c_void_p), ("scores", ctypes.c_void_p), ("gap", ctypes.c_double),
        ("up", ctypes.c_void_p), ("best", ctypes.c_void_p), ("written", ctypes.c_void_p),
        ("writes", ctypes.c_int64), ("unfinished", ctypes.c_int64), ("strange", ctypes.c_int64),
        ("width", ctypes.c_int64), ("outputs", ctypes.c_int64), ("rows", ctypes.c_int64),
        ("longest", ctypes.c_int64),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Told:
    """What the engine found.

    Attributes:
        residual: the encoder's last one, shape (tokens, width); None where nobody looks at it.
        up: of 64 columns at a time a bit each: whether it is not 0 at some token.
        scores: shape (tokens or 1, outputs).
        best: of each row of scores the number of the greatest.
        written: the numbers of the outputs that a decoder wrote.
        gap: the smallest distance between the two best scores.
        unfinished: the number of the loop of a decoder, among those unheard, that did not end; -1.
        strange: whether the encoder left something outside its range, or a loop without an end.
    """

    residual: Array | None
    up: list[int]
    scores: Array | None
    best: list[int]
    written: list[int]
    gap: float
    unfinished: int
    strange: bool

    def is_up(self, column: int) -> bool:
        """Whether a column of the encoder's last residual is not 0 at some token."""
        return bool(self.up[column // 64] >> column % 64 & 1)


class _Host(ctypes.Structure):
    """What the engine asks of Python: to give up its lock, to have it, and to hear signals."""

    _fields_ = (
        ("pause", ctypes.c_void_p), ("resume", ctypes.c_void_p), ("signals", ctypes.c_void_p),
        ("stop", ctypes.c_void_p),
    )  # fmt: skip


_PYTHON = tuple(
    ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    for name in ("PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_CheckSignals")
)


@dataclass(frozen=True, eq=False)
class _Vector:
    """What a token has, as the engine reads it: how much, in which columns, and the numbers."""

    given: NDArray[np.int64]
    address: int

    @classmethod
    def of(cls, program: Program, token: str) -> "_Vector":
        """That of a token of a program."""
        index, vector = program.space.index, token_vector(program, token)
        columns = [index[name] for name in vector]
        numbers = [part for value in vector.values() for part in number(value)]
        given = np.array([len(columns), *columns, *numbers], dtype=np.int64)
        return cls(given, given.ctypes.data)


class _Given:
    """A text, and all that it points at."""

    def __init__(self, vectors: Sequence["_Vector"], inner: Any) -> None:
        addresses = array("Q", [each.address for each in vectors])
        self._kept = vectors, addresses, inner
        self._text = _Text(
            len(vectors), addresses.buffer_info()[0],
            None if inner is None else ctypes.addressof(inner),
        )  # fmt: skip

    @property
    def address(self) -> int:
        """Where it lies."""
        return ctypes.addressof(self._text)


@contextmanager
def _hosted() -> Generator[int]:
    """Where it lies what the engine asks of Python."""
    stop = STOP.wanted
    host = _Host(*_PYTHON, None if stop is None else ctypes.addressof(stop))
    yield ctypes.addressof(host)


class Engine:
    """A program in the engine; ``program``: its words, a layer of it is not looked at."""

    def __init__(self, program: Program, code: NDArray[np.int64], native: ctypes.PyDLL) -> None:
        self._words = program
        self._native = native
        self._width, self._longest = program.width, program.lengths[1]
        self._loaded = native.progtf_load(code.ctypes.data, len(code))
        self._rooms: deque[int] = deque()
        self._vectors: dict[object, _Vector] = {}
        self._writes = interface_of(program).writes
        self._scores = [*program.outputs]
        self._pool = None if program.classify is None else program.classify.pool
        if program.classify is not None:
            self._scores = [*program.classify.forms]

    def __del__(self) -> None:
        self._native.progtf_free(self._loaded)
        for room in self._rooms:
            self._native.progtf_leave(room)

    @property
    def works(self) -> bool:
        """Whether it could read the program."""
        return self._loaded is not None

    def told(self, tokens: Sequence[str]) -> Told | None:
        """What a text comes to; None if numpy must tell."""
        return self._looked_at_if_strange(tokens) if self._writes else self._told(tokens)

    def touched(self, tokens: Sequence[str]) -> Told | None:
        """The same, of which one asks which columns are not 0; the residual only if strange."""
        return self._looked_at_if_strange(tokens)

    def _looked_at_if_strange(self, tokens: Sequence[str]) -> Told | None:
        found = self._told(tokens, looked=False)
        return self._told(tokens) if found is not None and found.strange else found

    def _told(self, tokens: Sequence[str], *, looked: bool = True) -> Told | None:
        """The same; ``looked``: with the encoder's residual."""
        count = len(tokens)
        text = self._text(tokens)
        rows = 0 if self._writes else count if self._pool is None else 1
        residual = np.empty((count, self._width)) if looked else None
        scores = np.empty((rows, len(self._scores))) if self._scores and not self._writes else None
        up = (ctypes.c_uint64 * ((self._width + 63) // 64))()
        best = (ctypes.c_int64 * max(rows, 1))()
        written = np.empty(self._longest + 2 if self._writes else 1, dtype=np.int64)
        answer = _Answer(
            residual=None if residual is None else residual.ctypes.data,
            scores=None if scores is None else scores.ctypes.data,
            up=ctypes.addressof(up),
            best=ctypes.addressof(best), written=written.ctypes.data, width=self._width,
            outputs=len(self._scores), rows=rows, longest=self._longest + 2 if self._writes else 0,
        )  # fmt: skip
        room = self._room()
        if room is None:
            return None
        try:
            with _hosted() as host:
                status = self._native.progtf_answer(
                    self._loaded, room, text.address, ctypes.addressof(answer), host
                )
        finally:
            self._rooms.append(room)
        if status == STOPPED:
            raise KeyboardInterrupt
        if status != 0:
            return None
        return Told(
            residual, up[:], scores, best[:rows], written[: answer.writes].tolist(), answer.gap,
            answer.unfinished, strange=bool(answer.strange),
        )  # fmt: skip

    def writing(self, tokens: Sequence[str]) -> Generator[list[int], None, bool]:
        """The numbers of the outputs that a decoder writes, some at a time.

        Returns:
            Whether that is all; else numpy must tell what follows.

        Raises:
            KeyboardInterrupt: where a signal or `STOP` asks for it; what was written came before.
        """
        text, room = self._text(tokens), FIRST_WRITTEN
        writer = self._native.progtf_begin(self._loaded)
        if writer is None:
            return False
        try:
            while True:
                written = np.empty(room, dtype=np.int64)
                answer = _Answer(
                    written=written.ctypes.data, width=self._width,
                    outputs=len(self._scores), longest=room,
                )  # fmt: skip
                try:
                    with _hosted() as host:
                        status = self._native.progtf_write(
                            writer, text.address, ctypes.addressof(answer), host
                        )
                except KeyboardInterrupt:
                    status = STOPPED
                if answer.writes:
                    yield written[: answer.writes].tolist()
                if status == STOPPED:
                    raise KeyboardInterrupt
                if status != 0 or self._native.progtf_written(writer):
                    return status == 0
                room = min(2 * room, MOST_WRITTEN)
        finally:
            self._native.progtf_end(writer)

    def _text(self, tokens: Sequence[str]) -> "_Given":
        scored = self._scores and not self._writes
        inner = (ctypes.c_int32 * len(tokens))(*self._inner(tokens)) if scored else None
        return _Given([self._vector(token) for token in tokens], inner)

    def _inner(self, tokens: Sequence[str]) -> list[int]:
        """Which tokens the answer is read off: 1, all others 0."""
        count = len(tokens)
        if self._pool is None:
            return [int(count == 1 or each not in (BOS, EOS)) for each in tokens]
        if self._pool not in ("first", "last"):
            return [1] * count
        place = 0 if self._pool == "first" else count - 1
        return [int(each == place) for each in range(count)]

    def _room(self) -> int | None:
        try:
            return self._rooms.pop()
        except IndexError:
            return self._native.progtf_room()

    def _vector(self, token: str) -> _Vector:
        key = (token, token.marks) if isinstance(token, Token) else token
        found = self._vectors.get(key)
        if found is None:
            found = _Vector.of(self._words, token)
            if len(self._vectors) < MOST_TOKENS:
                self._vectors[key] = found
        return found


@dataclass(frozen=True, eq=False)
class Coded:
    """A program as the engine takes it.

    Attributes:
        words: the program without a layer.
        code: all of it, as `packed.py` writes it; None: it must be left to numpy.
    """

    words: Program
    code: bytes | None

    @cached_property
    def engine(self) -> Engine | None:
        """The engine that has read it; None where there is none."""
        native = library()
        if native is None or self.code is None:
            return None
        made = Engine(self.words, np.frombuffer(self.code, dtype="<i8").astype(np.int64), native)
        return made if made.works else None


@once
def coded(program: Program) -> Coded:
    """A program for the engine, as long as it lives."""
    code = packed(program)
    return Coded(stripped(program), None if code is None else code.astype("<i8").tobytes())


def stripped(program: Program) -> Program:
    """A program without its layers and without what people wrote beside them."""
    return replace(
        program, encoder=(), decoder=(), examples=(), places={}, marks={}, learn=None, answers=(),
        sought=Sought(),
    )  # fmt: skip


def engine_of(program: Program) -> Engine | None:
    """The engine of a program; None where there is none."""
    return None if library() is None else coded(program).engine
