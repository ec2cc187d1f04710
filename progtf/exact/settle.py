"""What is written, held against what is declared: refused, derived, or assumed by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from progtf.exact import problems
from progtf.exact.formats import Format
from progtf.exact.report import Report, shown
from progtf.exact.stream import Bound, Stream, declared, embedded, on_steps, vectors
from progtf.exact.witness import Witness
from progtf.notation.diagnostics import Span
from progtf.program.forms import Values
from progtf.program.model import Program
from progtf.program.outcome import Held

if TYPE_CHECKING:
    from progtf.exact.walk import Walk

_QUARTER = 0.25
_COARSE = 2.0**-20  # a grid finer than this comes from a step such as 0.1, which no format has
_MISSED = 2.0**-20
"""Of a step: by less sums of few steps, such as 0.1, are rounded; no step lies between."""


@dataclass(frozen=True, slots=True)
class Writer:
    """What writes to a seme.

    Attributes:
        span: where it stands.
        tied: whether it may mix what tokens have that match equally.
        looks: whether it looks for something; a head that does not is to read a mean.
        witness: looks for an input on which it writes what it must not.
    """

    span: Span
    tied: bool
    looks: bool
    witness: Callable[[str], Witness | None]


def settled(seme: str, bound: Bound, writer: Writer, walk: "Walk") -> tuple[Bound, tuple[int, ...]]:
    """The number within its declared range, and the assumptions that this takes."""
    values, report = walk.program.space.ranges[seme], walk.report
    outside = is_outside(bound, values)
    loose = bool(values.grain) and (not bound.kept or seme in walk.weak)
    mixed = writer.tied and bool(values.grain) and writer.looks
    if not (outside or loose or mixed):
        return bound, ()
    found = writer.witness(seme)
    if found is not None:
        _refuse(seme, found, writer, walk)
        return _within(bound, values), ()
    notes: list[int] = []
    if outside:
        notes.append(report.assume_range(seme, values, writer.span))
    if (mixed or loose) and walk.weakly(seme):
        notes.append(report.assume_steps(seme, values, writer.span, read=True))
        walk.weak.add(seme)
        low, high = _clipped(bound, values)
        return bound._replace(low=low, high=high, kept=True), tuple(notes)
    if mixed:
        same = f"tokens that match equally give {shown(seme)} the same value"
        notes.append(report.assume(same, writer.span, Held("same", seme)))
    if loose:
        notes.append(report.assume_steps(seme, values, writer.span))
    return _within(bound, values), tuple(notes)


def in_range(walk: "Walk") -> Stream:
    """What tokens have, by the lexicon and by spelling, within what is declared."""
    program = walk.program
    stream, bounds = embedded(program, walk.number), dict[int, Bound]()
    for seme in program.space.names[: program.semes]:
        values = program.space.ranges[seme]
        column = program.space.index[seme]
        bound = stream.at(column)
        beyond = min(bound.low, 0.0) < min(values.low, 0.0) or max(bound.high, 0.0) > max(
            values.high, 0.0
        )
        if seme in walk.needed and beyond:
            place = program.places.get(seme) or problems.somewhere(program)
            walk.report.assume_range(seme, values, place)
            low, high = _clipped(bound, values)
            bounds[column] = bound._replace(low=low, high=high)
    return stream.put(bounds)


def is_outside(bound: Bound, values: Values) -> bool:
    """Whether a number may leave its range."""
    if values.low <= bound.low and bound.high <= values.high:
        return False
    if not (values.grain and bound.kept and bound.grid):
        return True
    missed = _MISSED * values.grain  # of sums that are rounded
    below = bound.low < values.low - (missed if on_steps(values.low, values) else 0.0)
    return below or bound.high > values.high + (missed if on_steps(values.high, values) else 0.0)


def _clipped(bound: Bound, values: Values) -> tuple[float, float]:
    """The ends within the declared ones, and 0, which is what a token has that has nothing."""
    least, most = min(values.low, 0.0), max(values.high, 0.0)
    low, high = max(bound.low, least), min(bound.high, most)
    return min(low, most), max(high, least)


def _within(bound: Bound, values: Values) -> Bound:
    low, high = _clipped(bound, values)
    grid = max(bound.grid, declared(values).grid)
    return bound._replace(low=low, high=high, grid=grid, kept=True)


def _refuse(seme: str, found: Witness, writer: Writer, walk: "Walk") -> None:
    values = walk.program.space.ranges[seme]
    if values.low <= found.value <= values.high:
        walk.report.found.append(problems.tie(writer.span, seme, found.value, found.input))
        return
    ends = (values.low, values.high)
    place = walk.program.places.get(seme)
    walk.report.found.append(
        problems.leaves_range(writer.span, seme, found.value, ends, found.input, place)
    )


def check_formats(program: Program, number: Format, report: Report) -> None:
    """Ranges that count further than the format, and values of tokens that it does not have."""
    told: set[Span] = set()
    for seme, values in program.space.ranges.items():
        place = program.places.get(seme)
        if place is None or place in told or not values.grain:
            continue
        grid = declared(values).grid
        largest = max(abs(values.low), abs(values.high))
        if grid >= _COARSE and largest > grid * number.integers:
            told.add(place)
            report.found.append(
                problems.past_format(place, seme, largest, number.name, number.integers)
            )
    for token, vector in vectors(program):
        for seme, value in vector.items():
            _check_weight(program, number, report, (token, seme, value), told)


def _check_weight(
    program: Program, number: Format, report: Report, given: tuple[str, str, float], told: set[Span]
) -> None:
    token, seme, value = given
    near = number.stored(value)
    if near == value:
        return
    step = program.space.ranges[seme].grain
    place = program.places.get(seme)
    if place is not None and place not in told and step and abs(near - value) >= _QUARTER * step:
        told.add(place)
        report.found.append(problems.inexact_weight(place, token, seme, value, near))


def nothing(_seme: str) -> Witness | None:
    """No input is looked for."""
    return None
