"""What is written, held against what is declared: refused, derived, or assumed by name."""

from collections.abc import Callable
from dataclasses import dataclass

from progtf.exact import problems
from progtf.exact.formats import Format
from progtf.exact.report import Held, Report, shown
from progtf.exact.stream import Bound, declared, vectors
from progtf.exact.witness import Witness
from progtf.notation.diagnostics import Span
from progtf.program.forms import Values
from progtf.program.model import Program

SLACK = 1e-6
_QUARTER = 0.25
_COARSE = 2.0**-20  # a grid finer than this comes from a step such as 0.1, which no format has


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


def settled(
    seme: str, bound: Bound, writer: Writer, program: Program, report: Report
) -> tuple[Bound, tuple[int, ...]]:
    """The number within its declared range, and the assumptions that this takes."""
    values = program.space.ranges[seme]
    outside = bound.low < values.low - SLACK or bound.high > values.high + SLACK
    loose = bool(values.grain) and not bound.kept
    mixed = writer.tied and bool(values.grain) and writer.looks
    if not (outside or loose or mixed):
        return bound, ()
    if _is_hand(seme, values):  # cos² + sin² is 1, which intervals do not know
        return _within(bound, values), ()
    found = writer.witness(seme)
    if found is not None:
        _refuse(seme, found, writer, program, report)
        return _within(bound, values), ()
    notes: list[int] = []
    if outside:
        notes.append(report.assume_range(seme, values, writer.span))
    if mixed:
        same = f"tokens that match equally give {shown(seme)} the same value"
        notes.append(report.assume(same, writer.span, Held("same", seme)))
    if loose:
        notes.append(report.assume_steps(seme, values, writer.span))
    return _within(bound, values), tuple(notes)


def _is_hand(seme: str, values: Values) -> bool:
    return (".cos[" in seme or ".sin[" in seme) and values == Values(-1.0, 1.0, 0.0)


def _within(bound: Bound, values: Values) -> Bound:
    low, high = max(bound.low, values.low), min(bound.high, values.high)
    low, high = min(low, values.high), max(high, values.low)
    grid = max(bound.grid, declared(values).grid)
    return bound._replace(low=low, high=high, grid=grid, kept=True)


def _refuse(seme: str, found: Witness, writer: Writer, program: Program, report: Report) -> None:
    values = program.space.ranges[seme]
    if values.low - SLACK <= found.value <= values.high + SLACK:
        report.found.append(problems.tie(writer.span, seme, found.value, found.input))
        return
    ends = (values.low, values.high)
    place = program.places.get(seme)
    report.found.append(
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
