"""A program while it is being written: what is declared, what can be read by now, its lines."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from benchmarks.refute.chance import Chance
from progtf.notation import spell
from progtf.notation.spell import entry, number, term
from progtf.program.forms import FLAG, Form, Space, Values

HUGE = 1e9
MOST, MOST_STEPS, NEAR = 1e14, 1e12, 1e-6


def map_text(form: Form, target: str) -> str:
    """An affine map from a sum to one target."""
    parts = [entry(value, name, target) for name, value in form.coefficients.items()]
    return ", ".join(parts + ([term(form.constant, target)] if form.constant or not parts else []))


def form_text(form: Form) -> str:
    """A sum as a rule reads it."""
    return spell.form(form.coefficients, form.constant)


def led(values: Values) -> Values:
    """A range that can be declared: its steps lead from one end to the other."""
    low, high, grain = max(values.low, -MOST), min(values.high, MOST), values.grain
    high = high if high > low else low + 1.0
    if grain and (high - low) / grain > MOST_STEPS:
        grain = 0.0
    if grain:
        high = low + grain * math.ceil((high - low) / grain - NEAR)
    return Values(low, high, grain)


class Draft:
    """What has been written so far.

    Attributes:
        chance: where choices come from.
        declared: every seme with its range; of a family each member.
        readable: the semes that something has written by now.
        fresh: those that this layer writes.
        sums: which sum a seme was given, of those that nothing else writes.
        distances: what heads have measured.
        rounds: semes that a loop declares.
        lines: of the layers.
    """

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.declared: dict[str, Values] = {}
        self.readable: list[str] = []
        self.fresh: list[str] = []
        self.sums: dict[str, Form] = {}
        self.distances: list[str] = []
        self.rounds: set[str] = set()
        self.lines: list[str] = []

    # -------------------------------------------------------------- semes

    def seme(self, values: Values = FLAG) -> str:
        """A new seme, which the layer that is being written gives its values."""
        name = f"{'f' if values == FLAG else 'n'}{len(self.declared)}"
        self.declared[name] = values
        self.fresh.append(name)
        return name

    def distance(self) -> str:
        """A new distance."""
        self.distances.append(f"far{len(self.distances)}")
        return self.distances[-1]

    def loosely(self, values: Values) -> str:
        """A new seme for such values, declared wider or without steps now and then."""
        low, high, grain = values.low, values.high, values.grain
        if self.chance.often(0.12):
            wide = self.chance.pick((1e4, 1e6, 1e8, HUGE))
            low, high = min(low, -wide if low < 0 else 0.0), max(high, wide)
        if self.chance.often(0.12):
            grain = 0.0
        if self.chance.often(0.03):
            grain = self.chance.pick((1.0, 0.1, 1 / 3, 1 / 8))
        return self.seme(led(Values(low, high, grain)))

    def settle(self) -> None:
        """A layer ends: what it wrote can be read."""
        self.readable += [name for name in self.fresh if name not in self.readable]
        self.fresh = []

    @property
    def space(self) -> Space:
        """What is declared, as a space."""
        return Space.of(self.declared)

    def values(self, form: Form) -> Values:
        """What a sum of semes can be."""
        return self.space.values(form)

    def flags(self) -> list[str]:
        """The flags that can be read."""
        return [name for name in self.readable if self.declared[name] == FLAG]

    def numbers(self) -> list[str]:
        """The numbers that can be read."""
        return [name for name in self.readable if self.declared[name] != FLAG]

    def stepped(self) -> list[str]:
        """The semes that can be compared, for their steps are known; there is always one."""
        return [name for name in self.readable if self.declared[name].grain] or self.readable

    @contextmanager
    def reading(self, names: Sequence[str] | None) -> Iterator[None]:
        """Meanwhile other semes can be read: those of an encoder, None for the own ones."""
        own = self.readable
        self.readable = own if names is None else list(names)
        yield
        self.readable = own

    # -------------------------------------------------------------- pieces of text

    def flag(self) -> str:
        """A flag that can be read."""
        return self.chance.pick(self.flags() or self.readable)

    def any(self) -> str:
        """A seme that can be read; numbers are more fun."""
        numbers = self.numbers()
        return self.chance.pick(numbers if numbers and self.chance.often(0.6) else self.readable)

    def form(self, most: int = 3, among: Sequence[str] = ()) -> Form:
        """A sum of one seme or several, perhaps with a constant."""
        count = self.chance.randint(1, most)
        names = {self.chance.pick(among) if among else self.any() for _ in range(count)}
        constant = self.chance.coefficient() if self.chance.often(0.25) else 0.0
        return Form({name: self.chance.coefficient() for name in sorted(names)}, constant)

    def literals(self, most: int = 2) -> str:
        """Flags joined by `&`, each as it is or negated."""
        chosen = self.chance.some(self.flags() or self.readable, most)
        return " & ".join(("!" if self.chance.often(0.25) else "") + name for name in chosen)

    def write(self, depth: int, lines: Iterable[str]) -> None:
        """More lines."""
        self.lines += ["  " * depth + line for line in lines]

    def declarations(self, within: Iterable[str] | None = None) -> list[str]:
        """The section `semes:`, or that of a loop; families are declared once."""
        lines, families = ["semes:"], dict[str, int]()
        chosen = self.declared.keys() - self.rounds if within is None else {*within}
        for name, values in self.declared.items():
            stem, bracket, index = name.partition("[")
            if name not in chosen:
                continue
            if bracket:
                families[stem] = max(families.get(stem, 0), int(index.rstrip("]")))
            elif values == FLAG:
                lines.append(f"  {name}")
            else:
                step = "" if values.grain == 1 else f" step {number(values.grain)}"
                lines.append(f"  {name}: {number(values.low)}..{number(values.high)}{step}")
        if within is None:
            lines += [f"  {name}: distance" for name in self.distances]
        return lines + [f"  {stem}[0..{last}]" for stem, last in families.items()]
