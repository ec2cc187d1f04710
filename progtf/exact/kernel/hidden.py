"""A block of hidden units: the curves that they come to, and what these add up to."""

import math
from collections.abc import Sequence
from fractions import Fraction

from progtf.exact.kernel import attention, curves
from progtf.exact.kernel.context import ONE, Context, Stream, number_of
from progtf.exact.kernel.facts import ZERO, Fact, Term, term, total
from progtf.exact.kernel.folder import Entry
from progtf.exact.kernel.heads import hands_of
from progtf.exact.kernel.numbers import common, plus, times

Weights = Sequence[tuple[int, Fraction, Fraction]]
"""What units of a group write: the place in the group, the weight as it is meant and stored."""


def behind_units(context: Context, path: tuple[str, ...], stream: Stream) -> Stream:
    """The stream behind a block of hidden units (lemmas 6 and 7)."""
    place = (*path, "feedforward")
    if (place, "mat1") not in context.folder.maps:
        return stream
    inner, biases, outer, bias = (
        context.folder.maps[place, name] for name in ("mat1", "bias1", "mat2", "bias2")
    )
    groups: dict[tuple[Entry, ...], list[int]] = {}
    for unit, entries in enumerate(inner.columns):
        groups.setdefault(tuple(sorted(entries)), []).append(unit)
    rows, found = outer.rows, dict[int, list[curves.Written]]()
    timed: dict[tuple[int, str], list[tuple[curves.Placed, list[int]]]] = {}
    for entries, units in groups.items():
        given = [number_of(biases.columns[unit]) for unit in units]
        made = curves.group(context.sum(entries, stream), given, context.number)
        hands = hands_of(entries, stream, 2 * len(context.clocks))
        whose = None if hands is None else hands[0]
        sums, off = ([], 0.0) if hands is None or whose is None else _sums(context, whose, hands[1])
        up, within = curves.placed(made, sums, off)
        for column, weights in _by_column(rows, units).items():
            if whose is not None:
                each = curves.Placed(made, up, len(sums), within, weights)
                timed.setdefault((column, whose), []).append((each, units))
            else:
                found.setdefault(column, []).append(_written(context, place, made, weights, units))
    for (column, _), parts in timed.items():
        part = curves.written_by_place([each for each, _ in parts])
        found.setdefault(column, []).extend(
            [part] if part is not None
            else (_written(context, place, e.group, e.weights, units) for e, units in parts)
        )  # fmt: skip
    updates: dict[int, Fact] = {}
    for column, entries in enumerate(bias.columns):
        if column in found or entries:
            constants = [term(ONE, meant, stored) for _, meant, stored in entries]
            updates[column] = _update(context, found.get(column, []), constants)
    return context.added(" / ".join(place), stream, updates)


def _written(
    context: Context, path: tuple[str, ...], made: curves.Group,
    weights: Weights, units: Sequence[int],
) -> curves.Written:  # fmt: skip
    """What a group writes to one column; a claim that it stands on is noted."""
    flat = context.claims.flat.get(" / ".join(path), frozenset[int]())
    part = curves.written(made, weights, flat=flat.issuperset(units[e[0]] for e in weights))
    for unit, _, _ in weights if part.claimed else ():
        context.used("flat", " / ".join(path), units[unit], made.sum.error)
    return part


def _sums(context: Context, whose: str, form: tuple[float, ...]) -> tuple[list[float], float]:
    """What a form of hands comes to at each place of somebody, and how far that may lie off."""
    found = attention.places([form], context.clocks, context.spans[whose])
    return [each[0] for each in found], times(attention.SEEN, 1 + math.fsum(map(abs, form)))


def _update(
    context: Context, parts: Sequence[curves.Written], constants: Sequence[Term | None]
) -> Fact:
    """What groups and a bias add to one column."""
    terms = [each for part in parts for each in part.terms]
    computed = total([*terms, *constants], context.number)
    exact = [part.exact for part in parts] + [c.fact for c in constants if c is not None]
    low, high = sum((e.low for e in exact), ZERO), sum((e.high for e in exact), ZERO)
    passed = plus(*(part.passed for part in parts))
    step = common(e.step for e in exact)
    if passed:
        off = plus(computed.error, passed)
        return Fact(low, high, step, off, off)
    return Fact(low, high, step, computed.off, computed.stray)


def _by_column(
    rows: Sequence[Sequence[Entry]], units: Sequence[int]
) -> dict[int, list[tuple[int, Fraction, Fraction]]]:
    """What units of a group write: column -> place in the group, and weight."""
    found: dict[int, list[tuple[int, Fraction, Fraction]]] = {}
    for place, unit in enumerate(units):
        for column, meant, stored in rows[unit]:
            found.setdefault(column, []).append((place, meant, stored))
    return found
