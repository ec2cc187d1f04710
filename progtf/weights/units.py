"""Rules to hidden units: ``relu(reads)`` times ``writes``, and what is added everywhere."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from progtf.program.forms import Form, add_to
from progtf.program.model import FeedForward, Gate, Rule, Unit


@dataclass(frozen=True, slots=True)
class Hidden:
    """One feed-forward block as units and a bias (Schlag et al. 2019, Eq. 7)."""

    units: tuple[Unit, ...]
    bias: Mapping[str, float]


def hidden_units(block: FeedForward) -> Hidden:
    """The units of a block; units that read the same are one."""
    bias: dict[str, float] = dict(block.bias or {})
    merged: dict[object, tuple[str, Form, dict[str, float]]] = {}
    for number, rule in enumerate(block.rules):
        for unit in _units(rule, number, bias):
            _, _, writes = merged.setdefault(unit.reads.key(), (unit.name, unit.reads, {}))
            for name, value in unit.writes.items():
                add_to(writes, name, value)
    units = tuple(Unit(*parts) for parts in merged.values())
    kept = {name: value for name, value in bias.items() if str(value) != "0.0"}
    return Hidden(units + block.units, kept)


def _units(rule: Rule, number: int, bias: dict[str, float]) -> Iterator[Unit]:
    """A rule without a gate has a constant part, which goes to the bias."""
    curve = rule.curve
    start = 1.0 if curve is None else curve.start
    if start:
        yield from _constant(rule, start, number, bias)
    if curve is None:
        return
    closing = rule.gate.violations().scaled(-curve.reach)
    shifted = curve.form + closing
    bends = list(curve.knots)
    if curve.slope:
        bends = [(curve.low, curve.slope), *bends]
    for place, (knot, change) in enumerate(bends):
        reads = Form(shifted.coefficients, shifted.constant - knot)
        yield Unit(f"rule{number}.{place}", reads, _scaled(rule.writes, change))


def _constant(rule: Rule, start: float, number: int, bias: dict[str, float]) -> Iterator[Unit]:
    writes = _scaled(rule.writes, start)
    if not rule.gate.positive and not rule.gate.negative:
        for name, value in writes.items():
            add_to(bias, name, value)
        return
    yield from _open(rule.gate, writes, number)


def _open(gate: Gate, writes: Mapping[str, float], number: int) -> Iterator[Unit]:
    """1 with no violation, 0 with one or more: a plateau of two units."""
    twice = gate.violations().scaled(-2.0)
    for name, shift, sign in (("on", 1.5, 1.0), ("top", 0.5, -1.0)):
        reads = Form(twice.coefficients, twice.constant + shift)
        yield Unit(f"rule{number}.{name}", reads, _scaled(writes, sign))


def _scaled(writes: Mapping[str, float], factor: float) -> dict[str, float]:
    return {name: factor * value for name, value in writes.items()}
