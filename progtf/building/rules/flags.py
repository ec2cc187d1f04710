"""Comparisons that become flags, because one hidden layer is too little for what they decide.

A number that is copied behind a comparison of other numbers takes hidden units for each of its
values, and so do comparisons of several sums. What these add up to soon passes what float32 holds.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from progtf.building.rules.feedforward import Built, Rules
from progtf.building.rules.functions import truth_rules
from progtf.building.rules.logic import Flag, Logic, Negation, Window, with_flags
from progtf.notation import flat as f
from progtf.notation.diagnostics import Span, errors
from progtf.notation.evaluate import spell_name
from progtf.program.curves import climbed
from progtf.program.forms import FLAG, Space
from progtf.program.model import COMPARISON, Line

FLOAT32 = 2.0**24  # multiples of a step add up exactly up to here, in whatever order
FINEST = 1 / 4  # of a step: where ramps begin and end
Key = tuple[object, int, int]


def too_much(group: Sequence[f.Rule], rules: Rules) -> list[f.Rule]:
    """Those of the rules of one layer that one hidden layer cannot compute exactly in float32.

    The units that write a seme must not add up, as if nothing cancelled, to 2**24 times the step on
    which they lie.
    """
    built = [rules.of(rule) for rule in group]
    crowded = set(_crowded(built, rules.names.space))
    doubtful = (
        b for b in built if errors(b.wrong) or any(crowded & r.writes.keys() for r in b.rules)
    )
    return [b.source for b in doubtful if _joins(b.source, rules)]


def _crowded(built: Iterable[Built], space: Space) -> Iterator[str]:
    """The semes of which units add up to too much."""
    sums: dict[str, float] = defaultdict(float)
    for rule in (rule for each in built for rule in each.rules):
        most = 2.0 if rule.curve is None else climbed(rule.curve)
        for seme, weight in rule.writes.items():
            sums[seme] += abs(weight) * most
    for seme, total in sums.items():
        values = space.ranges[seme]
        if total + max(abs(values.low), abs(values.high)) > FLOAT32 * FINEST * values.grain > 0:
            yield seme


def _joins(rule: f.Rule, rules: Rules) -> bool:
    """Whether a rule copies a number behind a comparison, or has comparisons of several sums."""
    windows: list[Window] = []

    def flag(window: Window) -> Logic:
        windows.append(window)
        return Flag(f"{len(windows)}")

    built = rules.built(rule, lambda condition: with_flags(condition, flag))
    copies = any(part.curve is not None for part in built.rules)
    several = len({window.form for window in windows}) > 1
    return not errors(built.wrong) and (several or (copies and bool(windows)))


@dataclass
class Tests:
    """The flags of rules that stand together: one for comparisons that mean or deny the same.

    Attributes:
        rules: what rules come to; they are told of those that are made here.
        taken: the names of all flags of the program.
        written: the rules that write these flags.
    """

    rules: Rules
    taken: dict[str, None]
    written: list[f.Rule] = field(default_factory=list[f.Rule])
    known: dict[Key, tuple[str, bool]] = field(default_factory=dict[Key, tuple[str, bool]])

    def behind(self, rule: f.Rule) -> f.Rule:
        """The rule, reading flags in place of its comparisons."""
        made: list[tuple[Built, Window]] = []
        read: list[str] = []

        def flag(window: Window) -> Logic:
            name, denied = self._flag(window, rule.span, made)
            read.append(name)
            return Negation(Flag(name)) if denied else Flag(name)

        built = self.rules.built(rule, lambda condition: with_flags(condition, flag))
        for test, window in made:
            test.reads.extend(r for r in built.reads if self._reads(window, r[0]))
        built.reads.extend((name, rule.span) for name in read)
        return self.rules.keep(replace(built, source=replace(rule)))

    def _flag(
        self, window: Window, span: Span, made: list[tuple[Built, Window]]
    ) -> tuple[str, bool]:
        """The flag of a comparison, and whether the comparison denies it."""
        own = next(_alike(window))[0]
        if own not in self.known:
            name = self._name(window)
            self.taken[name] = None
            target = f.Entry("vector", (f.Term(1.0, name, span),), span)
            line = Line({name: 1.0}, FLAG, span)
            test = Built(f.Rule((target,), None, None, span), [*truth_rules(window, line)], [], [])
            made.append((test, window))
            self.written.append(self.rules.keep(test))
            self.known |= {key: (name, denied) for key, denied in _alike(window)}
        return self.known[own]

    def _name(self, window: Window) -> str:
        """``comparison["a >= b"]``; in another layer ``comparison["a >= b",2]``."""
        said = window.said.replace('"', "'")
        number, name = 1, spell_name(COMPARISON, (said,))
        while name in self.taken or name in self.rules.names.space.index:
            number += 1
            name = spell_name(COMPARISON, (said, number))
        return name

    def _reads(self, window: Window, name: str) -> bool:
        """Whether a seme, or a group, is one that a comparison reads."""
        members = self.rules.names.groups[name[:-1]] if name.endswith(".") else (name,)
        return not window.form.coefficients.keys().isdisjoint(members)


def _alike(window: Window) -> Iterator[tuple[Key, bool]]:
    """What tells comparisons of one meaning, or (true) of the opposite one; first its own."""
    if not window.countable:
        yield (window.form.key(), window.first, window.past), False
        return
    count, within = int(window.values.count), window.numbers()
    for form, first, past in (
        (window.form, within.start, within.stop),
        (window.form.scaled(-1.0), count - within.stop, count - within.start),
    ):
        yield (form.key(), first, past), False
        if first == 0:
            yield (form.key(), past, count), True
        if past == count:
            yield (form.key(), 0, first), True
