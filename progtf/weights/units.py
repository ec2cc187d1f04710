"""Rules to hidden units: ``relu(reads)`` times ``writes``, and what is added everywhere."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from progtf.once import once
from progtf.program.forms import Form, Key, add_to, is_nothing
from progtf.program.model import Curve, FeedForward, Rule, Unit

HELD = "held."
"""Begins the names of units that undo what is held back."""
ROUNDOFF = 2.0**-53  # of the numbers that a program is written in


@dataclass(frozen=True, slots=True)
class Lost:
    """Numbers that were rounded, by the place of the unit and the seme: how far they lie off.

    Attributes:
        reads: what units read; constants: their biases, by place.
        writes: what they write; bias: what is added everywhere, by seme.
    """

    reads: dict[tuple[int, str], float] = field(default_factory=dict[tuple[int, str], float])
    constants: dict[int, float] = field(default_factory=dict[int, float])
    writes: dict[tuple[int, str], float] = field(default_factory=dict[tuple[int, str], float])
    bias: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Hidden:
    """One feed-forward block as units and a bias (Schlag et al. 2019, Eq. 7).

    Attributes:
        of_rules: for every rule its units by place: two of a gated constant, then one a bend.
        lost: how far its numbers lie off what the rules say, where adding them up or multiplying
            them was rounded; all others are as they are written.
        undoing: of every rule that is held back the units that take off what it would let through
            for numbers beyond its range, by place: they read what its own units read, but for the
            flag.
    """

    units: tuple[Unit, ...]
    bias: Mapping[str, float]
    of_rules: tuple[tuple[int, ...], ...] = ()
    lost: Lost = field(default_factory=Lost)
    undoing: tuple[tuple[int, tuple[int, ...]], ...] = ()


@once
def hidden_units(block: FeedForward) -> Hidden:
    """The units of a block; units that read the same are one."""
    made = _Made(dict(block.bias or {}))
    of_rules = tuple(made.rule(rule, number) for number, rule in enumerate(block.rules))
    kept = {name: value for name, value in made.bias.items() if not is_nothing(value)}
    units = (*(Unit(*each) for each in made.units), *block.units)
    return Hidden(units, kept, of_rules, made.lost, tuple(made.undoing))


@dataclass(frozen=True)
class _Made:
    """The units so far, by what they read, and what is lost on the way."""

    bias: dict[str, float]
    units: list[tuple[str, Form, dict[str, float]]] = field(
        default_factory=list[tuple[str, Form, dict[str, float]]]
    )
    places: dict[object, int] = field(default_factory=dict[object, int])
    lost: Lost = field(default_factory=Lost)
    undoing: list[tuple[int, tuple[int, ...]]] = field(
        default_factory=list[tuple[int, tuple[int, ...]]]
    )

    def rule(self, rule: Rule, number: int) -> tuple[int, ...]:
        """The places of its units. Without a gate its constant part goes to the bias."""
        name, violations = f"rule{number}", rule.gate.violations()
        start = 1.0 if rule.curve is None else rule.curve.start
        if start and not violations.coefficients:
            for seme, value in rule.writes.items():
                self._add(self.bias, seme, start, value, self.lost.bias, seme)
        places = tuple(self._units(rule, name, violations))
        if held := rule.line.held:
            other = {seme: c for seme, c in violations.coefficients.items() if seme != held}
            less = replace(rule, writes={seme: -value for seme, value in rule.writes.items()})
            undoing = self._units(less, f"{HELD}{name}", Form(other, violations.constant))
            self.undoing.append((number, tuple(undoing)))
        return places

    def _units(self, rule: Rule, name: str, violations: Form) -> Iterator[int]:
        curve, start = rule.curve, 1.0 if rule.curve is None else rule.curve.start
        if start and violations.coefficients:
            twice = violations.scaled(-2.0)
            for bend, knot, sign in (("on", -1.5, 1.0), ("top", -0.5, -1.0)):
                yield from self._bends(rule, name, twice, [(bend, knot, sign * start)])
        if curve is not None:
            first = [(curve.low, curve.slope)] if curve.slope else []
            bends = [(str(n), *bend) for n, bend in enumerate((*first, *curve.knots))]
            closing = violations.scaled(-curve.reach)
            made = self._bends(rule, name, curve.form + closing, bends)
            self._rounded(made, curve, closing)
            yield from made

    def _bends(
        self, rule: Rule, stem: str, form: Form, bends: Iterable[tuple[str, float, float]]
    ) -> list[int]:
        """The places of units that read one form, each less its knot, and bend the rule there.

        Units that read the same are one, and those that undo are apart from the others.
        """
        shared, found = tuple(sorted(form.coefficients.items())), list[int]()
        for name, knot, change in bends:
            constant = form.constant - knot
            key = shared, constant, stem.startswith(HELD)
            place = self.places.setdefault(key, len(self.places))
            if place == len(self.units):
                reads = Form(form.coefficients, constant)
                self.units.append((f"{stem}.{name}", reads, dict[str, float]()))
            writes = self.units[place][2]
            for seme, value in rule.writes.items():
                self._add(writes, seme, change, value, self.lost.writes, (place, seme))
            found.append(place)
        return found

    def _rounded(self, places: Sequence[int], curve: Curve, closing: Form) -> None:
        """What is lost where a rule reads a flag that is in its gate too, and in constants."""
        form, knots = curve.form, [knot for knot, _ in curve.knots]
        both = form.coefficients.keys() & closing.coefficients.keys()
        for place, knot in zip(places, [curve.low] * bool(curve.slope) + knots, strict=True):
            reads = self.units[place][1]
            for name in both:
                parts = form.coefficients[name], closing.coefficients[name]
                _note(self.lost.reads, (place, name), _off(parts, reads.coefficients[name]))
            off = _off((form.constant, closing.constant, -knot), reads.constant)
            _note(self.lost.constants, place, off)

    @staticmethod
    def _add(
        sums: dict[str, float], seme: str, factor: float, value: float,
        lost: dict[Key, float], key: Key,
    ) -> None:  # fmt: skip
        before, product = sums.get(seme, 0.0), factor * value
        if seme not in sums and _exact(factor, value):
            sums[seme] = product
            return
        add_to(sums, seme, product)
        off = 0.0 if _exact(factor, value) else ROUNDOFF * abs(product)
        off += _off((before, product), sums[seme])
        if off:
            lost[key] = lost.get(key, 0.0) + off


def _off(parts: tuple[float, ...], total: float) -> float:
    """How far a computed sum lies off."""
    return abs(math.fsum((*parts, -total)))


def _exact(factor: float, value: float) -> bool:
    """Whether a product is surely not rounded."""
    if factor in (1.0, -1.0) or value in (1.0, -1.0):
        return True
    if any(abs(math.frexp(each)[0]) == 0.5 for each in (factor, value)):
        return True
    whole = factor.is_integer() and value.is_integer()
    return whole and abs(factor * value) < 1 / ROUNDOFF


def _note(lost: dict[Key, float], key: Key, off: float) -> None:
    if off:
        lost[key] = max(off, lost.get(key, 0.0))
