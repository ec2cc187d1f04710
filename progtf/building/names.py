"""What the names of a program stand for: semes, distances, clocks, aliases, named values."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from progtf.building import problems
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.notation.did_you_mean import Hints
from progtf.notation.messages import arithmetic
from progtf.numbers import plain
from progtf.program.forms import Form, Space, Values, add_to, one, total

LARGEST_COEFFICIENT = 1e100
CLOCKED = ("cos[", "sin[")
HAND = Values(-1.0, 1.0, 0.0)
"""What a hand of a clock, or of a distance, can be."""
Hands = tuple[tuple[float, str, str], ...]
"""The semes of a distance: for each clock period, cosine and sine."""
Read = tuple[str, Span]
"""A seme that a part reads, and where; of a group ``group.``, for one of its members will do."""


@dataclass(frozen=True)
class Names:
    """The symbol table of one program.

    Attributes:
        space: semes and clocks with their values.
        distances: the declared distances.
        signed: those that may be negative, because a head looks to both sides.
        families: base -> members.
        clocks: periods that addresses use.
        aliases, values: what ``:=`` and ``name:`` define.
        declared: where the first name is declared.
        hints: says what an unknown name could have meant.
        groups: what stands before the first dot of several names -> those names.
        numbers: semes without a range that some token gives another number than 0 and 1 -> it.
        ends: the flags of loops that did not end.
        hands: of each distance, for each clock, period, cosine and sine.
        sums: what aliases of sums came to, and the first place at which they read each seme; None
            of one that is wrong.
    """

    space: Space
    distances: frozenset[str]
    signed: frozenset[str]
    families: Mapping[str, tuple[str, ...]]
    clocks: tuple[float, ...]
    aliases: Mapping[str, f.Condition]
    values: Mapping[str, f.NamedValue[str, f.Entries]]
    declared: Span | None
    hints: Hints = field(default_factory=Hints)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])
    ends: frozenset[str] = frozenset()
    hands: Mapping[str, Hands] = field(default_factory=dict[str, Hands])
    sums: dict[str, tuple[Form, dict[str, Span]] | None] = field(
        default_factory=dict[str, tuple[Form, dict[str, Span]] | None], init=False, compare=False
    )

    def reader(self, wrong: list[Diagnostic] | None = None) -> "Reader":
        """For one part, which is resolved with these names; ``wrong`` gathers what is wrong."""
        return Reader(self, [] if wrong is None else wrong)

    def members(self, read: str) -> tuple[str, ...]:
        """The semes of a group, which is read as ``group.``; any other name by itself."""
        return self.groups[read[:-1]] if read.endswith(".") else (read,)

    def hands_of(self, name: str) -> tuple[str, ...]:
        """The semes of a distance; any other name by itself."""
        if name not in self.distances:
            return (name,)
        return tuple(hand for _, *hands in self.distance(name) for hand in hands)

    def distance(self, name: str) -> Hands:
        """A distance's semes: period, cosine, sine."""
        return self.hands.get(name, ())


@dataclass(frozen=True, init=False, eq=False)
class Reader(Names):
    """The names as one part reads them: what they stand for, what it read, what is wrong with it.

    Attributes:
        reads: the semes that the part read, each with its place; of a group ``group.``.
        wrong: what is wrong with the part.
        inside: the aliases whose meaning is being read; they do not mean themselves.
    """

    reads: list[Read]
    wrong: list[Diagnostic]
    inside: frozenset[str]

    def __init__(
        self,
        names: Names,
        wrong: list[Diagnostic],
        reads: list[Read] | None = None,
        inside: frozenset[str] = frozenset(),
    ) -> None:
        given = {"wrong": wrong, "reads": [] if reads is None else reads, "inside": inside}
        self.__dict__.update(names.__dict__, **given)

    def known(self) -> Iterator[str]:
        """Everything that a misspelt name could have meant."""
        yield from self.space.names
        yield from self.distances
        yield from self.families
        yield from (alias for alias in self.aliases if alias not in self.inside)
        yield from self.values

    def unknown(self, name: str, span: Span) -> Mistake:
        """The mistake of using a name that stands for nothing."""
        base, bracket, _ = name.partition("[")
        if bracket and base in self.families:
            members = self.families[base]
            return Mistake(problems.names.index_out_of_range(span, name, base, members))
        known = self.hints.among(self.known())
        return Mistake(problems.names.unknown_seme(span, name, known, self.declared))

    def within(self, alias: str) -> "Reader":
        """The same reader where it reads the meaning of an alias."""
        return Reader(self, self.wrong, self.reads, self.inside | {alias})

    def read(self, term: f.Term) -> str:
        """The seme that a term names, which is read."""
        assert term.name is not None
        self.reads.append((term.name, term.span))
        return term.name

    def form_of(self, name: str, span: Span) -> Form:
        """What a name reads: a seme, the sum of a group, or an alias of a sum."""
        if name in self.space.ranges:
            self.reads.append((name, span))
            return one(name)
        if name in self.aliases:
            return self._alias_form(name, span)
        if name in self.groups:
            self.reads.append((f"{name}.", span))  # one member that is written will do
            return total(one(member) for member in self.groups[name])
        if name in self.distances:
            raise Mistake(problems.rules.unequal_comparison(span, name))
        raise self.unknown(name, span)

    def _alias_form(self, name: str, span: Span) -> Form:
        value = self.aliases[name]
        if not isinstance(value, f.Truth):
            raise Mistake(problems.rules.not_a_value(span, f"`{name}`"))
        if name not in self.sums:
            self._resolve_sums(name)
        found = self.sums[name]
        if found is None:  # something is wrong with it, which is told
            return self.within(name).form(value.form)
        form, reads = found
        self.reads.extend(reads.items())
        return form

    def _resolve_sums(self, name: str) -> None:
        """Resolves an alias and those that it is made of, as long as they are right.

        What others are made of comes first: so they may be as deep as anybody likes.
        """
        todo = [(name, iter(self._sums_in(name)))]
        while todo:
            alias, inner = todo[-1]
            below = next((each for each in inner if each not in self.sums), None)
            if below is not None:
                todo.append((below, iter(self._sums_in(below))))
                continue
            todo.pop()
            value, reader = self.aliases[alias], Reader(self, [])
            reader.__dict__["hints"] = Hints()  # those that are told are counted
            assert isinstance(value, f.Truth)
            self.sums[alias] = None
            with suppress(Mistake):
                form, reads = reader.form(value.form), dict[str, Span]()
                for seme, span in reader.reads:
                    reads.setdefault(seme, span)
                self.sums[alias] = form, reads

    def _sums_in(self, alias: str) -> list[str]:
        """The aliases of sums that an alias of a sum is made of."""
        value = self.aliases[alias]
        terms = value.form if isinstance(value, f.Truth) else ()
        names = [term.name for term in terms if term.name in self.aliases]
        return [n for n in names if n and isinstance(self.aliases[n], f.Truth)]

    def form(self, terms: f.Form) -> Form:
        """A sum of terms as a form."""
        return Form(*self._merged(terms))

    def difference(self, left: f.Form, right: f.Form) -> tuple[Form, float]:
        """How much more one sum of terms is than another: what it reads, and its constant."""
        merged, constant = self._merged(left)
        taken, less = self._merged(right)
        for name, factor in taken.items():
            add_to(merged, name, -factor)
        return Form(merged), constant + (0.0 - less)

    def _merged(self, terms: f.Form) -> tuple[dict[str, float], float]:
        """The coefficients of a sum of terms, and its constant."""
        merged: dict[str, float] = {}
        constant, ranges = 0.0, self.space.ranges
        for term in terms:
            name, factor = term.name, term.coefficient
            if factor > LARGEST_COEFFICIENT or factor < -LARGEST_COEFFICIENT:
                raise Mistake(_too_large(term))
            if name is None:
                constant += factor
            elif name in ranges:
                self.reads.append((name, term.span))
                merged[name] = merged[name] + factor if name in merged else factor
            else:
                read = self.form_of(name, term.span)
                constant += factor * read.constant + 0.0
                for seme, value in read.coefficients.items():
                    add_to(merged, seme, factor * value)
        return merged, constant

    @staticmethod
    def checked(term: f.Term) -> float:
        """A coefficient of a size that can still be computed with."""
        if abs(term.coefficient) > LARGEST_COEFFICIENT:
            raise Mistake(_too_large(term))
        return term.coefficient

    def target(self, term: f.Term) -> str:
        """The seme that an entry writes."""
        name = self.seme(term)
        if name in self.ends:
            why = "only its loop writes it, where it does not come to its end"
            raise Mistake(problems.names.not_writable(term.span, name, why))
        return name

    def seme(self, term: f.Term) -> str:
        """The seme that a term names, and not a clock."""
        name = spelled(term) if term.name is None else term.name
        if name in self.space.ranges:
            if name[:4] in CLOCKED:
                why = "clocks cannot be written"
                raise Mistake(problems.names.not_writable(term.span, name, why))
            return name
        if name in self.aliases:
            raise Mistake(problems.names.not_writable(term.span, name, "an alias is only read"))
        if name in self.distances:
            why = "only `distance:` of a head writes a distance"
            raise Mistake(problems.names.not_writable(term.span, name, why))
        raise self.unknown(name, term.span)


def _too_large(term: f.Term) -> Diagnostic:
    return arithmetic(term.span, f"numbers go up to {plain(LARGEST_COEFFICIENT)}")


def groups_of(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """``weird`` for weird.case, weird.agreement, ...: what stands before the first dot."""
    groups: dict[str, list[str]] = {}
    for name in names:
        stem, dot, _ = name.partition(".")
        if dot and "[" not in stem:
            groups.setdefault(stem, []).append(name)
    return {stem: tuple(members) for stem, members in groups.items()}


def spelled(term: f.Term) -> str:
    """The name of a term, where one is due.

    Raises:
        Mistake: if it is a number.
    """
    if term.name is None:
        raise Mistake(problems.names.wrong_kind(term.span, "a number", "a name"))
    return term.name
