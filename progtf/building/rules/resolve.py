"""Rules with their names resolved: what each reads and writes, and under which condition."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from progtf.building import maps, problems
from progtf.building.names import Reader
from progtf.building.rules.conditions import logic
from progtf.building.rules.logic import (
    TRUE,
    All,
    Flag,
    Logic,
    Window,
    all_windows,
    conjuncts,
    windows,
    with_flags,
)
from progtf.frozen import quick
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, Span, errors
from progtf.program.forms import Form, Space, one
from progtf.program.model import Compared, Rule


@dataclass(frozen=True, slots=True)
class Called:
    """A function of a sum: ``x mod 10``."""

    function: str
    form: Form
    arguments: tuple[float, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Twice:
    """``abs(abs(x) - a)``: the absolute value of a sum, less another sum, and again its absolute
    value.
    """

    x: Form
    a: Form
    span: Span


Value = Form | Called | Twice | Logic | None
"""What a rule gives: a sum, a function, whether a condition holds; None: 1."""


@quick
@dataclass(frozen=True, slots=True)
class Resolved:
    """A rule in which every name stands for what it means.

    Attributes:
        source: as it was written.
        writes: its targets, each with its coefficient.
        when: under which condition it gives something.
        value: what it gives.
        held: the flag by which ``use ... when`` holds it back; "" if there is none.
        right: whether nothing is wrong with what it writes.
    """

    source: f.Rule
    writes: dict[str, float]
    when: Logic
    value: Value
    held: str = ""
    right: bool = True

    @property
    def where(self) -> Logic:
        """The condition under which it writes anything."""
        if isinstance(self.value, Logic) and not self.source.sets:
            return All((self.value, self.when))
        return self.when

    @property
    def windows(self) -> list[Window]:
        """The comparisons in it that are not settled."""
        value = windows(self.value) if isinstance(self.value, Logic) else ()
        return [*value, *windows(self.when)]

    def compared(self, space: Space, units: Iterable[Rule]) -> tuple[Compared, ...]:
        """The sums that no curve of its own shows: of comparisons that ranges settle or that
        exclude each other, all that are mixed in one curve, the number that it writes among them,
        what is set to a sum, and what was there before a comparison sets it.

        ``units``: its gates and curves.
        """
        value = self.value if isinstance(self.value, Logic) else TRUE
        every = all_windows(value, self.when)
        if not every and not self.source.sets:
            return ()
        span, written = self.source.span, self.written
        shown = [unit.curve.form for unit in units if unit.curve is not None]
        forms = [each.form for each in every if not each.never and not each.always]
        first = written if written is not None else next(iter(forms), None)
        mixed = any(form != first for form in forms)
        sums = [
            (window.form, window.values, mixed or window.stepped)
            for window in every
            if window.countable
            and (mixed or window.always or window.never or window.form not in shown)
        ]
        if mixed and written is not None:
            sums.append((written, space.values(written), True))
        if self.source.sets and isinstance(self.value, Form) and self.value.coefficients:
            # its curve shows by how much it changes what it sets
            sums.append((self.value, space.values(self.value), False))
        found, writes = list[Compared](), frozenset(self.writes)
        if sums:
            gate, _ = conjuncts(All((value, self.when)))
            found += [Compared(gate, *each, span, writes) for each in sums]
        if self.source.sets and not isinstance(self.value, Form) and all_windows(self.when):
            # a curve of both takes off what was there, which must be one of the seme's values
            gate, _ = conjuncts(self.when)
            old = ((one(seme), space.ranges[seme], True) for seme in self.writes)
            found += [Compared(gate, *each, span, writes) for each in old]
        return tuple(found)

    @property
    def written(self) -> Form | None:
        """The sum that it writes, or that a function gives a number for; None: it reads none."""
        match self.value:
            case Form() if not self.right:
                return None
            case Form():
                return self.change if self.change.coefficients else None
            case Called(form=form):
                return form
            case Twice(x=x):
                return x
            case _:
                return None

    @property
    def copies(self) -> bool:
        """Whether it writes a number that it reads, and not one of a few."""
        match self.value:
            case Form():
                return bool(self.change.coefficients)
            case Called() | Twice():
                return True
            case _:
                return self.source.sets

    @property
    def change(self) -> Form:
        """Of one that gives a sum, by how much it changes what it writes."""
        assert isinstance(self.value, Form)
        return less(self.value, *self.writes) if self.source.sets else self.value


def less(form: Form, seme: str) -> Form:
    """How much more a sum is than a seme."""
    return (form + one(seme).scaled(-1.0)).read


def resolve_rule(rule: f.Rule, names: Reader, length: int) -> Resolved:
    """A rule with its names resolved.

    Args:
        rule: as written.
        names: what its names mean.
        length: the longest input.

    Raises:
        Mistake: if a name stands for nothing, or for something else than is due.
    """
    maps.refuse_marks(rule.targets, "a rule")
    writes = maps.vector(rule.targets, names)
    if rule.sets and len(writes) != 1 and not errors(names.wrong):
        hint = "set the members of a group line by line, or in a loop: `for i in ...:`"
        raise Mistake(
            problems.names.set_group(rule.targets[0].terms[0].span, len(writes), hint=hint)
        )
    when = TRUE if rule.when is None else logic(rule.when, names, length)
    value = _value(rule.value, names, length)
    if rule.value is None:
        _doubt(rule.targets, names)
    held = rule.held and logic(rule.held, names, length)
    flag = held.name if isinstance(held, Flag) else ""
    right = not names.wrong or not errors(names.wrong)
    return Resolved(rule, writes, when, value, flag, right)


def _value(value: f.Value | None, names: Reader, length: int) -> Value:
    match value:
        case None:
            return None
        case f.Function(more=()):
            form = names.form(value.form)
            return Called(value.function, form, value.arguments, value.span)
        case f.Function():
            x, a = names.form(value.form), names.form(value.more).scaled(-1.0)
            return Twice(x, a, value.span)
        case f.Truth() if (form := _sum(value, names)) is not None:
            return form
        case _:
            return logic(value, names, length)


def _sum(value: f.Truth[f.Term], names: Reader) -> Form | None:
    """The sum to copy, or None if the value is a condition (one flag is the same either way)."""
    term = value.form[0]
    alias = names.aliases.get(term.name or "") if len(value.form) == 1 else None
    if alias is not None and not isinstance(alias, f.Truth):
        return None
    return names.form(value.form)


def _doubt(targets: f.Entries, names: Reader) -> None:
    """Warns where ``-count when x`` may be meant to take off what ``count`` is, not 1."""
    if len(targets) != 1:
        return
    span, name = targets[0].terms[0].span, targets[0].terms[0].name
    values = None if name is None else names.space.ranges.get(name)
    if name and values and values.high > 1:
        before = span.source.lines[span.line - 1][: span.start].rstrip()
        if before.endswith(("-", "−")):
            names.wrong.append(problems.rules.minus_one(span, name))


def flagged(rule: Resolved, flag: Callable[[Window], Logic]) -> Resolved:
    """The rule with what ``flag`` gives in the place of each comparison that is not settled."""
    value = with_flags(rule.value, flag) if isinstance(rule.value, Logic) else rule.value
    return replace(rule, value=value, when=with_flags(rule.when, flag))
