"""Rules to hidden units: ``relu(reads)`` times ``writes``, and what is added everywhere."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from progtf.program.forms import Form, add_to
from progtf.program.model import FeedForward, Gate, Rule, Unit


@dataclass(frozen=True, slots=True)
class Hidden:
    """One feed-forward block as units and a bias (Schlag et al. 2019, Eq. 7).

    Attributes:
        of_rules: for every rule its units by place: two of a gated constant, then one a bend.
    """

    units: tuple[Unit, ...]
    bias: Mapping[str, float]
    of_rules: tuple[tuple[int, ...], ...] = ()


def hidden_units(block: FeedForward) -> Hidden:
    """The units of a block; units that read the same are one."""
    bias: dict[str, float] = dict(block.bias or {})
    merged: dict[object, Unit] = {}
    places: dict[object, int] = {}
    of_rules: list[tuple[int, ...]] = []
    for number, rule in enumerate(block.rules):
        units = [(unit.reads.key(), unit) for unit in _units(rule, number, bias)]
        for key, unit in units:
            places.setdefault(key, len(places))
            first = merged.setdefault(key, Unit(unit.name, unit.reads, dict[str, float]()))
            for name, value in unit.writes.items():
                add_to(first.writes, name, value)  # type: ignore[arg-type]
        of_rules.append(tuple(places[key] for key, _ in units))
    kept = {name: value for name, value in bias.items() if str(value) != "0.0"}
    return Hidden((*merged.values(), *block.units), kept, tuple(of_rules))


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
