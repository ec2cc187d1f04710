"""What ``semes:`` declares: which names there are, with which indices and values."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.arithmetic import LARGEST
from progtf.notation.diagnostics import Mistake, Report, Span
from progtf.notation.scope import Constants, Index, Known, Ready, spell_name, whole_name
from progtf.notation.terms import Terms

Copying = tuple[str, str, Span | None]
"""What is copied, what the copy is called, and where; of a family as such no place."""


@dataclass
class Declared:
    """The semes of a program as they are found.

    Attributes:
        report: told about what is declared twice.
        families: base -> indices, in the order of declaration.
        places: name -> where it is declared.
        values: name -> what it was declared with.
        copying: all copies that heads with ``copy:`` ask for.
        copied: the semes that these declare.
        asked: how often something else was to be declared.
    """

    report: Report
    families: dict[str, list[Index]] = field(default_factory=dict[str, list[Index]])
    places: dict[str, Span] = field(default_factory=dict[str, Span])
    values: dict[str, f.Seme] = field(default_factory=dict[str, f.Seme])
    copying: list[Copying] = field(default_factory=list[Copying])
    copied: list[f.Seme] = field(default_factory=list[f.Seme])
    asked: int = 0

    def copy(self, name: str, copy: str, span: Span) -> None:
        """Declares a seme that takes the values of another one, if no one else declares it."""
        self.copying.append((name, copy, span))
        if copy in self.places:
            return
        like = self.values.get(name)
        self.places[copy] = span
        seme = f.Seme(copy, 0.0, 1.0, 1.0, span) if like is None else replace(like, name=copy)
        self.copied.append(seme)

    def copy_family(self, base: str, copy: str) -> None:
        """The copies of a family are a family, too."""
        indices = self.families.get(base)
        if indices is not None:
            self.copying.append((base, copy, None))
            known = self.families.setdefault(copy, [])
            places = (spell_name(copy, index) for index in indices)
            fresh = zip(indices, places, strict=True)
            known += [i for i, place in fresh if place in self.places and i not in known]

    def again(self, copying: Iterable[Copying]) -> None:
        """Declares copies that were asked for before."""
        for name, copy, span in copying:
            if span is None:
                self.copy_family(name, copy)
            else:
                self.copy(name, copy, span)

    def ready(self, item: s.Declaration, terms: Terms) -> Ready[Sequence[f.Seme | f.Distance]]:
        """What one declaration stands for, ready for the rounds that declare it."""
        whole, indices = whole_name(item.name.base, terms.scope), terms.indices(item.name)
        seme = _seme(item, terms)

        def add(constants: Constants) -> Sequence[f.Seme | f.Distance]:
            self.asked += 1
            base, found = whole(constants), indices(constants)
            family = self.families.get(base)
            first = spell_name(base, family[0]) if family else ""
            other = self.places.get(base if item.name.indices else first)
            if other is not None:
                what = f"`{base}`, as a seme and as a family,"
                self.report(messages.twice("duplicate-seme", item.span, what, other))
            if item.name.indices:
                self.families.setdefault(base, []).extend(found)
            terms.budget.spend(len(found), item.span)
            names = [spell_name(base, index) for index in found]
            return [made for name in names if (made := self._add(name, item, seme, constants))]

        return add

    def _add(
        self, name: str, item: s.Declaration, seme: Ready[f.Seme | f.Distance], constants: Constants
    ) -> f.Seme | f.Distance | None:
        if name in self.places:
            first = self.places[name]
            self.report(messages.twice("duplicate-seme", item.span, f"`{name}`", first))
            return None
        self.places[name] = item.span
        said = seme(constants)
        if isinstance(said, f.Distance):
            return f.Distance(name, said.span)
        self.values[name] = f.Seme(name, said.low, said.high, said.step, said.span)
        return self.values[name]

    def members(self) -> Mapping[str, tuple[str, ...]]:
        """The whole names of every family's members."""
        return {
            base: tuple(spell_name(base, index) for index in indices)
            for base, indices in self.families.items()
        }


def _seme(item: s.Declaration, terms: Terms) -> Ready[f.Seme | f.Distance]:
    """What is said of the semes of one declaration, which have no names yet."""
    place, said = item.span, item.values
    if said is None:
        return Known(f.Seme("", 0.0, 1.0, 1.0, place))
    if isinstance(said, str):
        return Known(f.Distance("", place))
    step = Known(1.0) if item.step is None else terms.number(item.step, place)
    low, high = terms.number(said.low, place), terms.number(said.high, place)

    def seme(constants: Constants) -> f.Seme | f.Distance:
        width = step(constants)
        bounds = low(constants), high(constants)
        if max(map(abs, bounds)) > LARGEST:
            raise Mistake(messages.arithmetic(said.span, "a range ends at 2**53"))
        if not bounds[0] < bounds[1]:
            raise Mistake(messages.empty_range(said.span, *bounds))
        if not _leads(*bounds, width):
            raise Mistake(messages.bad_step(said.span, *bounds, width))
        return f.Seme("", *bounds, width, place)

    return terms.scope.now(seme, step, low, high)


def _leads(low: float, high: float, step: float) -> bool:
    """Whether whole steps lead from one number to the other; step 0 stands for all between them."""
    if step <= 0:
        return step == 0
    steps = (high - low) / step
    return math.isfinite(steps) and abs(steps - round(steps)) <= 1e-6
