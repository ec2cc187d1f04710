"""A program as whole numbers, one after another, as `engine.c` reads them.

The order here is the order of the functions there that read: `program`, `stack`, `head`, `block`.
A fraction is its numerator and its denominator; what has no fraction of 64 bits is a float64 with a
bound. A program with a part of which the engine knows nothing is `None`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import lcm

import numpy as np
from numpy.typing import NDArray

from progtf.program.arrays import hands
from progtf.program.clocks import address_gap
from progtf.program.heard import unheard
from progtf.program.interface import interface_of
from progtf.program.loops import by_loop
from progtf.program.model import BOS, EOS, Classify, FeedForward, Head, Layer, Loop, Program, Stage
from progtf.program.speaking import UP, limits
from progtf.program.vectors import token_vector
from progtf.rational import fraction_of
from progtf.running.attend import address_table
from progtf.running.cells import UNIT
from progtf.running.prepared import Prepared, prepared
from progtf.running.ranges import Numbers, Ranges
from progtf.running.rules import Rules
from progtf.running.sums import Sums, Writing
from progtf.running.walk import anew

MOST_PARTS = 2**30
MOST_WHOLE = 2**62
FARTHEST, NEAR = 20_000, 2_000
"""Tokens of which the tables of clocks and addresses are kept. Longer texts are numpy's, but for
what a decoder writes: of that they tell the beginning."""
KINDS = ("nothing", "class", "tokens", "writes", "rewrites")
POOLS = ("first", "last", "mean", "max", "sum")
LOOKS = ("all", "before", "upto", "after", "self", "notself")

Read = Sequence[tuple[int, float]]
"""What a sum reads: columns and factors."""


def packed(program: Program) -> NDArray[np.int64] | None:
    """A program for the engine; None if it must be left to numpy."""
    stages = (*program.encoder, *program.decoder)
    plain = program.norm in ("none", "split") and program.cell is None and program.lexicon
    if not plain or not all(isinstance(stage, Layer) for stage in stages):
        return None
    longest = sum(program.lengths) + 4
    told = longest
    if longest > FARTHEST and kind_of(program) == "writes":
        told = max(program.lengths[0] + 4, NEAR)
    if told > FARTHEST:
        return None
    return np.array([*_Pack(program, longest, told).program()], dtype=np.int64)


class _Pack:
    """Writes the parts of a program down, each as a run of whole numbers."""

    def __init__(self, program: Program, longest: int, told: int) -> None:
        self.whole, self.longest, self.told = program, longest, told
        self.made: Prepared = prepared(program)
        self.index = program.space.index

    def program(self) -> Iterator[int]:
        """All of it: sizes, clocks, both stacks, scores, and the tokens that may be written."""
        program = self.whole
        yield program.width
        yield program.semes
        kind = kind_of(program)
        yield KINDS.index(kind)
        yield POOLS.index(program.classify.pool if program.classify is not None else "first")
        yield program.lengths[1]
        yield kind not in KINDS[3:] or program.kind == "seq2seq"
        yield from self._ends()
        yield from self._clocks()
        for stages in (program.encoder, program.decoder):
            yield from self._stack(stages)
        classify = program.classify
        read = self.made.outputs if classify is None else self._classes(classify)
        scores = sums(read)
        yield len(scores)
        for score in scores:
            yield from form(*score)
        columns, ranges = self.made.answering
        yield from self._ranges([([(column, 1.0)], 0.0) for column in columns.tolist()], ranges)
        names = [*program.outputs, BOS] if program.outputs else []
        yield len(names)
        for name in names:
            yield from self._vector(token_vector(program, name))
        yield names.index(EOS) if EOS in program.outputs else -1
        unfinished = [loop.unfinished for loop in unheard(program)] if kind == "rewrites" else []
        yield from self._columns(unfinished)

    def _clocks(self) -> Iterator[int]:
        """Both hands of each clock: after how many tokens they begin anew, and what they are."""
        clocks = self.whole.clocks
        yield from (2 * len(clocks), self.told if clocks else 0)
        for period in clocks:
            turn = int(period) if period.is_integer() and period <= self.told else 0
            for hand in hands(period, self.told):
                yield from (turn, *reals(hand.tolist()))

    def _ends(self) -> Iterator[int]:
        """The ends of the ranges of semes; what marks a loop that did not end must be 0."""
        program = self.whole
        shown = interface_of(program)
        ends = [np.full(program.semes, -np.inf), np.full(program.semes, np.inf)]
        for found, told in zip(ends, limits(shown.space[: shown.semes]), strict=True):
            found[: len(told)] = told
        low, high = ends
        for loop in shown.loops:
            high[self.index[loop.unfinished]] = min(high[self.index[loop.unfinished]], UP)
        yield from reals(low.tolist())
        yield from reals(high.tolist())

    def _classes(self, classify: Classify) -> Sums:
        return Sums.of([*classify.forms.values()], self.index)

    def _stack(self, stages: Sequence[Stage]) -> Iterator[int]:
        runs = [*by_loop(stages)]
        loops = [loop for run in runs if (loop := run[0].loop) is not None]
        yield len(loops)
        for loop in loops:
            yield from self._loop(loop)
        yield len(stages)
        number = -1
        for run in runs:
            number += run[0].loop is not None
            for layer in run:
                assert isinstance(layer, Layer)
                yield layer.repeat
                yield -1 if layer.loop is None else number
                yield from (len(layer.heads), len(layer.cross))
                for head in (*layer.heads, *layer.cross):
                    yield from self._head(head)
                yield int(layer.feedforward is not None)
                if layer.feedforward is not None:
                    yield from self._block(layer.feedforward)

    def _loop(self, loop: Loop) -> Iterator[int]:
        yield from (loop.most, self.index[loop.until], loop.none, self.index[loop.unfinished])
        yield from self._columns(loop.resets)
        yield from self._columns(loop.asked)

    def _head(self, head: Head) -> Iterator[int]:
        sight = self.made.sight(head)
        yield from (LOOKS.index(head.look), head.source == "encoder", head.normalize == "queries")
        yield sight.bound
        offered = sums(sight.offered)
        queries, keys, fillers = (
            sums(sight.query), offered[: sight.features], offered[sight.features :],
        )  # fmt: skip
        yield sight.features
        yield from self._ramp(head)
        for each in (*queries, *keys):
            yield from form(*each)
        writes, bias = _inverted(sight.writing, sight.channels)
        distances = {channel: rest for channel, *rest in sight.distances}
        periods = [float(period) for period in self.whole.clocks]
        yield sight.channels
        for channel, (filler, role) in enumerate(zip(fillers, sums(sight.role), strict=True)):
            yield from (*form(*filler), *form(*role), *_writes(writes[channel]))
            if channel in distances:
                period, which, sign = distances[channel]
                yield from (
                    2 * periods.index(float(period)) + int(which),
                    int(which),
                    *reals([sign]),
                )
            else:
                yield from (-1, 0, *reals([0.0]))
        yield len(sight.addresses)
        for periods, offset in sight.addresses:
            size = self.told + abs(offset) + 1
            table, missed = address_table(periods, size)
            beyond = self._beyond(head, periods, size)
            yield from (offset, beyond, size, *reals(table.tolist()), *reals(missed.tolist()))
        level = 0.0 if head.null is None else float(head.null.score)
        yield head.null is not None
        yield from reals([level, UNIT * abs(level) if sight.rough_null else 0.0])
        for filler in sight.null or (0.0,) * sight.channels:
            yield from number(filler)
        for columns in (sight.required, *sight.flags, sight.members):
            yield from (len(columns), *columns.tolist())
        for read, ranges in sight.ranged:
            yield from self._ranges(sums(read), ranges)
        yield from _writes(bias)

    def _ramp(self, head: Head) -> Iterator[int]:
        """Which feature tells how near a key stands, and the period of its clock."""
        place = 0
        for part in (part for part in head.parts if part.offset is None):
            if part.kind == "nearest":
                yield from (place + len(part.features) - 1, *reals([part.periods[0]]))
                return
            place += len(part.features)
        yield from (-1, *reals([1.0]))

    def _beyond(self, head: Head, periods: tuple[float, ...], size: int) -> bool:
        """Whether what stands farther from an address than a table tells is less than nothing."""
        if size > self.longest or head.null is None:
            return head.null is not None
        most = len(periods) - address_gap(periods, self.longest)
        return most + len(periods) ** 2 * UNIT < float(head.null.score)

    def _block(self, block: FeedForward) -> Iterator[int]:
        made = self.made.rules(block)
        yield from self._curves(made)
        yield from self._ranges(sums(made.compared), made.ranges)
        places = {rule: place for place, rule in enumerate(made.curves.rules.tolist())}
        writes, bias = _inverted(made.writing, len(block.rules) + len(block.units))
        yield len(block.rules) + len(block.compared)
        for place, rule in enumerate(block.rules):
            yield from self._columns(sorted(rule.gate.positive))
            yield from self._columns(sorted(rule.gate.negative))
            yield from (places.get(place, -1), -1, *_writes(writes[place]))
        for place, compared in enumerate(block.compared):
            yield from self._columns(sorted(compared.gate.positive))
            yield from self._columns(sorted(compared.gate.negative))
            yield from (-1, place, 0)
        yield len(block.units)
        for unit in sums(made.units):
            yield from form(*unit)
        for written in writes[len(block.rules) :]:
            yield from _writes(written)
        yield from _writes(bias)

    def _curves(self, made: Rules) -> Iterator[int]:
        curves = made.curves
        read = sums(curves.form)
        yield len(read)
        knots, under = _owned(curves.knots, len(read)), _owned(curves.under, len(read))
        over, height = _owned(curves.over, len(read)), _owned(curves.height, len(read))
        slope, place = _owned(curves.slope, len(read)), _owned(curves.place, len(read))
        low, high = _owned(curves.low, len(read)), _owned(curves.high, len(read))
        for n, each in enumerate(read):
            yield from form(*each)
            yield from (*number(low[n][0]), *number(high[n][0]))
            yield len(height[n])
            for some in (knots[n], height[n], slope[n], place[n]):
                for value in some:
                    yield from number(value)
            yield len(under[n])
            for value in (*under[n], *over[n]):
                yield from number(value)

    def _ranges(self, read: Sequence[tuple[Read, float]], ranges: Ranges) -> Iterator[int]:
        yield len(ranges.values)
        for each, values in zip(read, ranges.values, strict=True):
            yield from form(*each)
            yield from (*number(values.low), *number(values.high), *number(values.grain))

    def _columns(self, names: Iterable[str]) -> Iterator[int]:
        found = [self.index[name] for name in names]
        yield from (len(found), *found)

    def _vector(self, vector: Mapping[str, float]) -> Iterator[int]:
        yield from self._columns(vector)
        for value in vector.values():
            yield from number(value)


def kind_of(program: Program) -> str:
    """What a program tells, in the engine's words."""
    if interface_of(program).writes:
        return "rewrites" if anew(program) else "writes"
    if program.classify is not None:
        return "class"
    return "tokens" if program.outputs else "nothing"


def reals(values: Sequence[float]) -> list[int]:
    """Numbers by their bits."""
    return np.array(values, dtype=np.float64).view(np.int64).tolist()


def number(value: float) -> tuple[int, int, int, int]:
    """A number: its fraction, or its float64 and how far that lies off."""
    if type(value) is float and value.is_integer() and abs(value) < MOST_WHOLE:
        return int(value), 1, 0, 0
    fraction = fraction_of(value)
    if fraction.denominator <= MOST_PARTS and abs(fraction.numerator) < MOST_WHOLE:
        return fraction.numerator, fraction.denominator, 0, 0
    near = float(value)
    off = 0.0 if fraction_of(near) == fraction else UNIT * abs(near)
    bits, missed = reals([near, off])
    return 0, 0, bits, missed


def form(read: Read, constant: float) -> Iterator[int]:
    """A sum over columns, with whole factors and one divisor if there are such."""
    yield len(read)
    yield from (column for column, _ in read)
    given = [*(factor for _, factor in read), constant]
    if all(type(n) is float and n.is_integer() and abs(n) < MOST_WHOLE for n in given):
        yield from (0, *map(int, given), 1)
        return
    fractions = [fraction_of(each) for each in given]
    parts = lcm(*(each.denominator for each in fractions))
    scaled = [int(each * parts) for each in fractions]
    if parts <= MOST_PARTS and all(abs(each) < MOST_WHOLE for each in scaled):
        yield from (0, *scaled, parts)
        return
    yield 1
    for value in given:
        yield from number(value)


def sums(read: Sums) -> list[tuple[Read, float]]:
    """The forms of some sums: what each reads, and its constant."""
    factors, constants = read.given
    columns = read.columns.tolist()
    ends = dict(
        zip(read.filled.tolist(), pairwise([*read.starts.tolist(), len(columns)]), strict=True)
    )
    found = list[tuple[Read, float]]()
    for place, constant in enumerate(constants):
        first, past = ends.get(place, (0, 0))
        found.append(([*zip(columns[first:past], factors[first:past], strict=True)], constant))
    return found


def _inverted(writing: Writing, amounts: int) -> tuple[list[list[tuple[int, float]]], Read]:
    """What each amount is added to, and what is added everywhere: columns and factors."""
    found: list[list[tuple[int, float]]] = [[] for _ in range(amounts)]
    bias = list[tuple[int, float]]()
    for column, (read, constant) in zip(writing.columns.tolist(), sums(writing.sums), strict=True):
        for amount, factor in read:
            found[amount].append((column, factor))
        if constant:
            bias.append((column, constant))
    return found, bias


def _writes(written: Read) -> Iterator[int]:
    yield len(written)
    for column, factor in written:
        yield from (column, *number(factor))


def _owned(numbers: Numbers, owners: int) -> list[list[float]]:
    """The numbers of each owner."""
    found: list[list[float]] = [[] for _ in range(owners)]
    exact: list[float] = numbers.exact.tolist()
    owned: list[int] = numbers.owner.tolist()
    for owner, value in zip(owned, exact, strict=True):
        found[owner].append(value)
    return found
