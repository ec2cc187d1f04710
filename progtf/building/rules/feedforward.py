"""Feed-forward blocks: rules and raw units, checked and brought to gates and curves."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from progtf.building import maps, problems
from progtf.building.heard import Meanings
from progtf.building.names import Names, spelled, unheard
from progtf.building.rules.conditions import logic
from progtf.building.rules.folding import Folded, fold_rules, folded
from progtf.building.rules.functions import copy_rules, function_curve, truth_rules, value_rules
from progtf.building.rules.logic import TRUE, All, Flag, Logic
from progtf.building.rules.setting import Flagged, overlapping, set_rules
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Mistake, Span, reporting
from progtf.notation.noted import Lookups
from progtf.program.curves import curve_values
from progtf.program.forms import FLAG, Form, add_to, with_zero
from progtf.program.model import FeedForward, Line, Mark, Marks, Rule, Unit


def as_it_is(condition: Logic) -> Logic:
    """The condition itself."""
    return condition


@dataclass(frozen=True, slots=True)
class Built:
    """What one rule comes to: gates and curves, the names that it reads, what is wrong with it.

    ``lookups``: what it asked of names; ``where``: the condition under which it writes anything,
    once somebody has asked.
    """

    source: f.Rule
    rules: list[Rule]
    reads: list[tuple[str, Span]]
    wrong: list[Diagnostic]
    lookups: Lookups = field(default_factory=Lookups)
    where: list[Logic] = field(default_factory=list[Logic])

    def told(self, names: Names) -> list[Rule]:
        """The gates and curves; ``names`` hear what the rule reads and what is wrong with it."""
        for name, span in self.reads:
            names.read(name, span)
        for problem in self.wrong:
            names.report(problem)
        return self.rules


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a program, each built once: where it stands may depend on what it reads.

    Attributes:
        meanings: of the names.
        known: what rules came to, by ``id``.
        before: what they came to in an earlier reading.
    """

    names: Names
    length: int
    meanings: Meanings
    known: dict[int, Built] = field(default_factory=dict[int, Built])
    before: Mapping[int, Built] = field(default_factory=dict[int, Built])

    def of(self, rule: f.Rule) -> Built:
        """What a rule comes to; one that is wrong is not kept, as hints are counted."""
        if id(rule) in self.known:
            return self.known[id(rule)]
        built = self.before.get(id(rule))
        if built is None or not self.meanings.notes.same(built.lookups):
            built = self.built(rule)
        if not built.wrong:
            self.known[id(rule)] = built
        return built

    def after(self, names: Names) -> "Rules":
        """The same rules where there are further names."""
        return replace(self, names=names, meanings=Meanings.of(names))

    def keep(self, built: Built) -> f.Rule:
        """Notes what a rule that was made comes to, and gives back the rule."""
        self.known[id(built.source)] = built
        return built.source

    def built(self, rule: f.Rule, flagged: Flagged = as_it_is) -> Built:
        """What a rule comes to, with its conditions as ``flagged`` gives them back."""
        rules: list[Rule] = []
        reads: list[tuple[str, Span]] = []
        wrong: list[Diagnostic] = []

        def read(name: str, span: Span) -> None:
            reads.append((name, span))

        with self.meanings.notes.taken() as lookups, reporting(wrong.append):
            names = self.meanings.noting(self.names)
            names = replace(names, read=read, report=wrong.append)
            rules = build_rule(rule, names, self.length, flagged)
        return Built(rule, rules, reads, wrong, lookups)

    def where(self, rule: f.Rule) -> Logic:
        """The condition under which a rule writes anything; of a wrong one nothing is known."""
        built = self.known.get(id(rule))
        if built is not None and built.where:
            return built.where[0]
        found = self._where(rule)
        if built is not None:
            built.where.append(found)
        return found

    def _where(self, rule: f.Rule) -> Logic:
        try:
            return where(rule, replace(self.names, read=unheard, report=unheard), self.length)
        except Mistake:
            return TRUE


def build_feedforward(children: tuple[f.Statement, ...], names: Names, rules: Rules) -> FeedForward:
    """The rules, units and bias of a feed-forward block; what is wrong is reported."""
    built: list[Rule] = []
    raw: dict[str, f.Entries] = {}
    for problem in overlapping(_set(children), names, rules.length):
        names.report(problem)
    for child in children:
        if isinstance(child, f.Rule):
            built += rules.of(child).told(names)
        if isinstance(child, f.Field) and isinstance(child.value, tuple):
            raw[child.key] = raw.get(child.key, ()) + child.value
    bias = maps.vector(raw.get("bias2", ()), names)
    return FeedForward(tuple(built), tuple(_units(raw, names)), bias, _marks(raw, names))


def _set(children: Iterable[f.Statement]) -> list[f.Rule]:
    """All rules, if one of them sets a seme."""
    rules = [child for child in children if isinstance(child, f.Rule)]
    return rules if any(rule.sets for rule in rules) else []


def _marks(raw: dict[str, f.Entries], names: Names) -> Marks:
    """The entries of raw matrices that are trained; the sources of ``mat2`` are hidden units."""
    found: dict[tuple[str, str, str], Mark] = {}
    for key in ("mat1", "bias1"):
        found |= maps.marks(key, raw.get(key, ()), names, features=True)
    found |= maps.marks("bias2", raw.get("bias2", ()), names)
    return found | dict(maps.marks("mat2", raw.get("mat2", ()), names, hidden=True))


def _units(raw: dict[str, f.Entries], names: Names) -> Iterator[Unit]:
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


def build_rule(rule: f.Rule, names: Names, length: int, flagged: Flagged = as_it_is) -> list[Rule]:
    """One rule as gates and curves, its conditions as ``flagged`` gives them back.

    Raises:
        Mistake: if a hidden layer cannot compute it.
    """
    built = _built(rule, names, length, flagged)
    match rule.held and logic(rule.held, names, length):
        case Flag(name=name) if built:
            line = replace(built[0].line, held=name)
            return [replace(each, line=line) for each in built]
        case _:
            return built


def _built(rule: f.Rule, names: Names, length: int, flagged: Flagged) -> list[Rule]:
    maps.refuse_marks(rule.targets, "a rule")
    writes = maps.vector(rule.targets, names)
    when = flagged(where(rule, names, length))
    if rule.sets:
        form = _value_form(rule.value, names) if isinstance(rule.value, f.Truth) else None
        return list(set_rules(rule, form, names, length, flagged))
    match rule.value:
        case None:
            _doubt(rule.targets, names)
        case f.Function():
            return _function(rule, rule.value, when, writes, names)
        case f.Truth() if (form := _value_form(rule.value, names)) is not None:
            return _copied(rule, form, when, writes, names)
        case _:
            pass
    return list(truth_rules(when, Line(writes, FLAG, rule.span)))


def where(rule: f.Rule, names: Names, length: int) -> Logic:
    """The condition under which a rule writes anything."""
    when = TRUE if rule.when is None else logic(rule.when, names, length)
    match rule.value:
        case None | f.Function():
            return when
        case f.Truth() if _value_form(rule.value, names) is not None:
            return when
        case _ if rule.sets:
            return when
        case value:
            return All((logic(value, names, length), when))


def _doubt(targets: f.Entries, names: Names) -> None:
    """Warns where ``-count when x`` may be meant to take off what ``count`` is, not 1."""
    if len(targets) != 1:
        return
    span, name = targets[0].terms[0].span, targets[0].terms[0].name
    before = span.source.lines[span.line - 1][: span.start].rstrip()
    values = None if name is None else names.space.ranges.get(name)
    if name and values and values.high > 1 and before.endswith(("-", "−")):
        names.report(problems.rules.minus_one(span, name))


def _copied(
    rule: f.Rule, form: Form, when: Logic, writes: dict[str, float], names: Names
) -> list[Rule]:
    """The value of a form; a constant is no number to copy: it scales what is written."""
    if not form.coefficients:
        scaled = {name: form.constant * value for name, value in writes.items()}
        return list(truth_rules(when, Line(scaled, FLAG, rule.span)))
    values = names.space.values(form)
    line = Line(writes, values if rule.when is None else with_zero(values), rule.span)
    return list(copy_rules(form, when, values, line))


def _value_form(value: f.Truth[f.Term], names: Names) -> Form | None:
    """The sum to copy, or None if the value is a condition (one flag is the same either way)."""
    term = value.form[0]
    alias = names.aliases.get(term.name or "") if len(value.form) == 1 else None
    if alias is not None and not isinstance(alias, f.Truth):
        return None
    return names.form(value.form)


def _function(
    rule: f.Rule,
    value: f.Function[f.Term, float],
    when: Logic,
    writes: dict[str, float],
    names: Names,
) -> list[Rule]:
    if value.more:
        return list(_folded(rule, folded(value, names), when, writes, names))
    form = names.form(value.form)
    values = names.space.values(form)
    curve = function_curve(value.function, form, values, value.arguments, value.span)
    given = curve_values(curve)
    line = Line(writes, given if rule.when is None else with_zero(given), value.span)
    return list(value_rules(curve, values, when, line))


def _folded(
    rule: f.Rule, fold: Folded, when: Logic, writes: dict[str, float], names: Names
) -> Iterator[Rule]:
    values = fold.given if rule.when is None else with_zero(fold.given)
    line = Line(writes, values, rule.span, folds=fold.forms)
    return fold_rules(fold, fold.rest, names.space.values(fold.rest), when, line)
