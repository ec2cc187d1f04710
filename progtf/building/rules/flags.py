"""Comparisons that become flags, because one hidden layer is too little for what they decide.

A number that is copied behind a comparison of other numbers takes hidden units for each of its
values, and so do comparisons of several sums. What these add up to soon passes what float32 holds.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from progtf.building.names import Names
from progtf.building.rules.feedforward import Built, rebuilt
from progtf.building.rules.functions import truth_rules
from progtf.building.rules.logic import TRUE, Flag, Logic, Negation, Window
from progtf.building.rules.resolve import Resolved, flagged
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, errors
from progtf.notation.scope import spell_name
from progtf.program.curves import climbed
from progtf.program.forms import FLAG, Space
from progtf.program.model import COMPARISON, Line

FLOAT32 = 2.0**24  # multiples of a step add up exactly up to here, in whatever order
FINEST = 1 / 4  # of a step: where ramps begin and end
Key = tuple[object, int, int]
Divided = Mapping[int, tuple[Built, ...]]
"""By the ``id`` of a rule: the comparisons that it had, and the rule that reads their flags."""


def divided(group: Sequence[Built], names: Names, taken: Collection[str]) -> Divided:
    """Each rule of a layer that is too much for it, as comparisons of their own and what is left.

    A rule is too much if units that write what it writes add up, as if nothing cancelled, to 2**24
    times the step on which that lies, or if one hidden layer cannot compute it at all; and if
    flags in the place of its comparisons help.

    Args:
        group: the rules of the layer.
        names: what their names mean.
        taken: the names of all flags of the program.
    """
    tests, found = Tests(names, taken), dict[int, tuple[Built, ...]]()
    crowded = frozenset(_crowded(group, names.space))
    for each in group:
        rule = each.resolved
        too_much = any(not crowded.isdisjoint(unit.writes) for unit in each.rules)
        if rule is None or not rule.right or not (too_much or (each.wrong and errors(each.wrong))):
            continue
        windows = rule.windows
        several = len({window.form for window in windows}) > 1
        if several or (windows and rule.copies):
            made = tests.behind(each, rule)
            if made:
                found[id(each.source)] = made
    return found


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


@dataclass
class Tests:
    """The flags of rules that stand together: one for comparisons that mean or deny the same."""

    names: Names
    taken: Collection[str]
    made: set[str] = field(default_factory=set[str])
    known: dict[Key, tuple[str, bool]] = field(default_factory=dict[Key, tuple[str, bool]])

    def behind(self, built: Built, rule: Resolved) -> tuple[Built, ...]:
        """The comparisons of a rule of which no flag is known yet, and the rule, reading flags.

        Nothing, if one hidden layer cannot compute that either.
        """
        made: dict[str, Window] = {}
        known, read = dict(self.known), list[str]()

        def flag(window: Window) -> Logic:
            own = next(_alike(window))[0]
            if own not in known:
                name = self._name(window, made)
                made[name] = window
                known.update((key, (name, denied)) for key, denied in _alike(window))
            name, denied = known[own]
            read.append(name)
            return Negation(Flag(name)) if denied else Flag(name)

        span = built.source.span
        try:
            resolved = flagged(rule, flag)
            reads = [(name, span) for name in read]  # the flags that this has read
            last = rebuilt(built, resolved, reads, self.names.space)
        except Mistake:
            return ()
        self.known = known
        self.made |= made.keys()
        return *(self._test(name, window, built) for name, window in made.items()), last

    def _test(self, name: str, window: Window, built: Built) -> Built:
        """The rule that writes the flag of a comparison."""
        span = built.source.span
        target = f.Entry("vector", (f.Term(1.0, name, span),), span)
        source = f.Rule((target,), None, None, span)
        units = tuple(truth_rules(window, Line({name: 1.0}, FLAG, span)))
        members, compared = self.names.members, window.form.coefficients.keys()
        reads = tuple(read for read in built.reads if not compared.isdisjoint(members(read[0])))
        return Built(source, None, units, TRUE, reads, ())

    def _name(self, window: Window, made: Mapping[str, Window]) -> str:
        """``comparison["a >= b"]``; in another layer ``comparison["a >= b",2]``."""
        said = window.said.replace('"', "'")
        number, name = 1, spell_name(COMPARISON, (said,))
        while any(name in each for each in (self.taken, self.made, made, self.names.space.index)):
            number += 1
            name = spell_name(COMPARISON, (said, number))
        return name


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
