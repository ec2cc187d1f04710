"""What ``semes:`` declares: which names there are, with which indices and values."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Report, Span
from progtf.notation.evaluate import LARGEST, Index, Scope, number, spell_name, whole_name
from progtf.notation.terms import Terms


@dataclass
class Declared:
    """The semes of a program as they are found.

    Attributes:
        report: told about what is declared twice.
        families: base -> indices, in the order of declaration.
        places: name -> where it is declared.
        values: name -> what it was declared with.
        copied: semes that heads with ``copy:`` declare.
        asked: how often something was to be declared.
    """

    report: Report
    families: dict[str, list[Index]] = field(default_factory=dict[str, list[Index]])
    places: dict[str, Span] = field(default_factory=dict[str, Span])
    values: dict[str, f.Seme] = field(default_factory=dict[str, f.Seme])
    copied: list[f.Seme] = field(default_factory=list[f.Seme])
    asked: int = 0

    def copy(self, name: str, copy: str, span: Span) -> None:
        """Declares a seme that takes the values of another one, if no one else declares it."""
        self.asked += 1
        if copy in self.places:
            return
        like = self.values.get(name)
        self.places[copy] = span
        seme = f.Seme(copy, 0.0, 1.0, 1.0, span) if like is None else replace(like, name=copy)
        self.copied.append(seme)

    def add(self, item: s.Declaration, terms: Terms) -> Iterator[f.Seme | f.Distance]:
        """The semes that one declaration stands for."""
        self.asked += 1
        base = whole_name(item.name.base, terms.scope)
        indices = tuple(terms.indices(item.name))
        members = (spell_name(base, index) for index in self.families.get(base, ()))
        other = self.places.get(base if item.name.indices else next(members, ""))
        if other is not None:
            what = f"`{base}`, as a seme and as a family,"
            self.report(messages.twice("duplicate-seme", item.span, what, other))
        if item.name.indices:
            self.families.setdefault(base, []).extend(indices)
        terms.budget.spend(len(indices), item.span)
        for index in indices:
            name = spell_name(base, index)
            if name in self.places:
                first = self.places[name]
                self.report(messages.twice("duplicate-seme", item.span, f"`{name}`", first))
                continue
            self.places[name] = item.span
            seme = _seme(name, item, terms.scope)
            if isinstance(seme, f.Seme):
                self.values[name] = seme
            yield seme

    def members(self) -> Mapping[str, tuple[str, ...]]:
        """The whole names of every family's members."""
        return {
            base: tuple(spell_name(base, index) for index in indices)
            for base, indices in self.families.items()
        }


def _seme(name: str, item: s.Declaration, scope: Scope) -> f.Seme | f.Distance:
    match item.values:
        case str():
            return f.Distance(name, item.span)
        case s.Range(low=low, high=high, span=span):
            step = 1.0 if item.step is None else number(item.step, scope, item.span)
            bounds = number(low, scope, item.span), number(high, scope, item.span)
            if max(map(abs, bounds)) > LARGEST:
                raise Mistake(messages.arithmetic(span, "a range ends at 2**53"))
            if not bounds[0] < bounds[1]:
                raise Mistake(messages.empty_range(span, *bounds))
            if not _leads(*bounds, step):
                raise Mistake(messages.bad_step(span, *bounds, step))
            return f.Seme(name, *bounds, step, item.span)
        case None:
            return f.Seme(name, 0.0, 1.0, 1.0, item.span)


def _leads(low: float, high: float, step: float) -> bool:
    """Whether whole steps lead from one number to the other; step 0 stands for all between them."""
    if step <= 0:
        return step == 0
    steps = (high - low) / step
    return math.isfinite(steps) and abs(steps - round(steps)) <= 1e-6
