"""Feed-forward blocks: rules and raw units, checked and brought to gates and curves."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from progtf.building import maps, problems
from progtf.building.names import Names, Read, Reader, spelled
from progtf.building.rules.folding import fold_rules, folded
from progtf.building.rules.functions import copy_rules, function_curve, truth_rules, value_rules
from progtf.building.rules.logic import TRUE, Logic
from progtf.building.rules.resolve import Called, Resolved, Twice, resolve_rule
from progtf.building.rules.setting import set_rules
from progtf.frozen import quick
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.notation.messages import too_deep
from progtf.program.curves import curve_values
from progtf.program.forms import FLAG, Form, Space, add_to, with_zero
from progtf.program.model import Compared, FeedForward, Line, Mark, Marks, Rule, Unit


@quick
@dataclass(frozen=True, slots=True)
class Built:
    """What one rule comes to.

    Attributes:
        source: as it was written.
        resolved: with its names resolved; None if that cannot be.
        rules: its gates and curves; none if a hidden layer cannot compute it.
        where: the condition under which it writes anything; of a wrong one nothing is known.
        reads: what it reads, with the places.
        wrong: what is wrong with it.
        compared: what is promised of it that none of its curves shows.
    """

    source: f.Rule
    resolved: Resolved | None
    rules: tuple[Rule, ...]
    where: Logic
    reads: tuple[Read, ...]
    wrong: tuple[Diagnostic, ...]
    compared: tuple[Compared, ...] = ()

    @property
    def read(self) -> frozenset[str]:
        """The names of what it reads."""
        return frozenset([name for name, _ in self.reads])

    @property
    def writes(self) -> frozenset[str]:
        """The semes that it writes, be it that its condition cannot hold."""
        if self.resolved is not None:
            return frozenset(self.resolved.writes)
        return frozenset([name for unit in self.rules for name in unit.writes])

    @property
    def crossing(self) -> tuple[Read, ...]:
        """What it reads of the encoder: nothing, for a rule reads its own position."""
        return ()

    @property
    def span(self) -> Span:
        """Where it is written."""
        return self.source.span


def built_rule(rule: f.Rule, names: Names, length: int) -> Built:
    """What a rule comes to.

    Args:
        rule: as it was written.
        names: what its names mean.
        length: the longest input.
    """
    reader, resolved, rules, where = names.reader(), None, tuple[Rule, ...](), TRUE
    compared: tuple[Compared, ...] = ()
    try:
        resolved = resolve_rule(rule, reader, length)
        where = resolved.where
        rules = tuple(build_rule(resolved, names.space))
    except Mistake as mistake:
        reader.wrong.append(mistake.diagnostic)
    except RecursionError:
        reader.wrong.append(too_deep(rule.span))
    if resolved is not None:
        compared = resolved.compared(names.space, rules)
    return Built(rule, resolved, rules, where, tuple(reader.reads), tuple(reader.wrong), compared)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a program, each built once.

    Attributes:
        names: what their names mean.
        length: the longest input.
        make: gives what a rule comes to, with these names and this length.
        known: what rules came to, by the ``id`` of what was written.
        replaced: those of them that others stand for, which read flags.
    """

    names: Names
    length: int
    make: Callable[[f.Rule, Names, int], Built]
    known: dict[int, Built] = field(default_factory=dict[int, Built])
    replaced: set[int] = field(default_factory=set[int])

    def of(self, rule: f.Rule) -> Built:
        """What a rule comes to."""
        built = self.known.get(id(rule))
        return self.keep(self.make(rule, self.names, self.length)) if built is None else built

    def __iter__(self) -> Iterator[Built]:
        """The rules that are part of the program."""
        return (built for key, built in self.known.items() if key not in self.replaced)

    def keep(self, built: Built) -> Built:
        """Notes what a rule comes to."""
        self.known[id(built.source)] = built
        return built


def rebuilt(built: Built, resolved: Resolved, reads: Iterable[Read], space: Space) -> Built:
    """The same rule with some of its comparisons read as flags.

    Raises:
        Mistake: if a hidden layer cannot compute that either.
    """
    rules = tuple(build_rule(resolved, space))
    source = replace(built.source)
    compared = resolved.compared(space, rules)
    return Built(source, resolved, rules, built.where, (*built.reads, *reads), (), compared)


def build_feedforward(children: Sequence[f.Statement], names: Reader, rules: Rules) -> FeedForward:
    """The rules, units and bias of a feed-forward block; what is wrong is reported."""
    built: list[Rule] = []
    raw: dict[str, f.Entries] = {}
    of_rules = [rules.of(child) for child in children if isinstance(child, f.Rule)]
    for rule in of_rules:
        names.reads.extend(rule.reads)
        names.wrong.extend(rule.wrong)
        built += rule.rules
    for child in children:
        if isinstance(child, f.Field) and isinstance(child.value, tuple):
            raw[child.key] = raw.get(child.key, ()) + child.value
    bias = maps.vector(raw.get("bias2", ()), names)
    compared = dict.fromkeys(each for rule in of_rules for each in rule.compared)
    units, marks = tuple(_units(raw, names)), _marks(raw, names)
    return FeedForward(tuple(built), units, bias, marks, tuple(compared))


def _marks(raw: dict[str, f.Entries], names: Reader) -> Marks:
    """The entries of raw matrices that are trained; the sources of ``mat2`` are hidden units."""
    found: dict[tuple[str, str, str], Mark] = {}
    for key in ("mat1", "bias1"):
        found |= maps.marks(key, raw.get(key, ()), names, features=True)
    found |= maps.marks("bias2", raw.get("bias2", ()), names)
    return found | dict(maps.marks("mat2", raw.get("mat2", ()), names, hidden=True))


def _units(raw: dict[str, f.Entries], names: Reader) -> Iterator[Unit]:
    """``relu(x mat1 + bias1) mat2``: hidden units are features, called as the author likes."""
    reads = maps.affine(raw.get("mat1", ()) + raw.get("bias1", ()), names, features=True)
    writes: dict[str, dict[str, float]] = {}
    for entry in maps.of_kind(raw.get("mat2", ()), names, "map"):
        source, target = entry.terms
        feature = spelled(source)
        if feature not in reads:
            words = feature, "mat2", "mat1", problems.heads.CARRIES
            raise Mistake(problems.heads.unmatched_feature(source.span, *words, known=reads))
        into = writes.setdefault(feature, {})
        add_to(into, names.target(target), source.coefficient * target.coefficient)
    for name, form in reads.items():
        yield Unit(name, form, writes.get(name, {}))


def build_rule(rule: Resolved, space: Space) -> Iterable[Rule]:
    """One rule as gates and curves.

    Raises:
        Mistake: if a hidden layer cannot compute it.
    """
    return set_rules(rule, space) if rule.source.sets else _added(rule, space)


def _added(rule: Resolved, space: Space) -> Iterator[Rule]:
    """The gates and curves of a rule that adds to what is there."""
    source, writes, when = rule.source, rule.writes, rule.when
    match rule.value:
        case Form() as form if not form.coefficients:  # no number to copy: it scales the targets
            scaled = {name: form.constant * value for name, value in writes.items()}
            return truth_rules(when, Line(scaled, FLAG, source.span, rule.held))
        case Form() as form:
            values = space.values(form)
            given = values if source.when is None else with_zero(values)
            line = Line(writes, given, source.span, rule.held)
            return copy_rules(form, when, values, line)
        case Called(form=form) as called:
            values = space.values(form)
            curve = function_curve(called, values)
            given = curve_values(curve)
            given = given if source.when is None else with_zero(given)
            line = Line(writes, given, called.span, rule.held)
            return value_rules(curve, values, when, line)
        case Twice() as twice:
            fold = folded(twice, space)
            values = fold.given if source.when is None else with_zero(fold.given)
            line = Line(writes, values, source.span, rule.held, folds=(twice.x, twice.a))
            return fold_rules(fold, fold.rest, space.values(fold.rest), when, line)
        case _:
            return truth_rules(rule.where, Line(writes, FLAG, source.span, rule.held))
