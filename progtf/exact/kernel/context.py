"""What is claimed of a network, and what every part of a walk shares."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from progtf.exact.kernel.facts import Fact, Term, constant, term, total
from progtf.exact.kernel.folder import BIAS, Entry, Folder
from progtf.exact.kernel.numbers import FORMATS, NotProven

ONE = constant(Fraction(1))
Stream = tuple[Fact, ...]
"""What is known of every column of a residual."""
Used = tuple[str | int | float, ...]
"""A claim that a derivation stands on: its kind, a name and numbers."""


class Claim(NamedTuple):
    """What is claimed of a seme behind every layer: ends, None: none, and a step, None: none."""

    low: Fraction | None
    high: Fraction | None
    step: Fraction | None


class Claims(NamedTuple):
    """What is claimed of the exact network.

    Attributes:
        semes: by name; single: heads, by path, that find one token or the null key; alike: heads
            of which all tokens that are found say the same; apart: heads of which the best score
            is ahead of all that differ by so much at least.
        hot: families, the beginnings of names, of which one is not 0 at a token at most.
        sums: semes for which what heads add up stays within so much on the way.
        flat: hidden units, by path, of curves whose sum stands on no part that rises or falls.
        ahead: the best score of an answer is ahead of the others by more than both may lie off.
    """

    semes: Mapping[str, Claim]
    single: frozenset[str]
    alike: frozenset[str]
    apart: Mapping[str, Fraction]
    hot: frozenset[str]
    sums: Mapping[str, Fraction]
    flat: Mapping[str, frozenset[int]]
    ahead: bool


class Context:
    """A network, what is claimed of it, and what has been used of that.

    Attributes:
        under: the claims that were used; facts: what each part left behind, in order.
        own: the columns that hold hands of clocks, each with whose place it is and which hand.
        spans: whose place lies between which two.
    """

    def __init__(self, folder: Folder, claims: Claims) -> None:
        self.folder, self.claims, self.layout = folder, claims, folder.layout
        if folder.dtype not in FORMATS:
            raise NotProven(f"no lemma for {folder.dtype}")
        self.number, self.names = FORMATS[folder.dtype], folder.names
        self.index = {name: place for place, name in enumerate(self.names)}
        self.clocks = tuple(float(each) for each in self.layout["clocks"])
        first = self.layout["semes"]
        self.own = {first + n: ("", n) for n in range(2 * len(self.clocks))}
        self.family = [
            each if (each := name.partition("[")[0]) in claims.hot else None for name in self.names
        ]
        self.spans: dict[str, tuple[int, int]] = {}
        self.under: dict[Used, None] = {}
        self.facts: list[tuple[str, dict[str, Fact]]] = []

    def used(self, *claim: str | float) -> None:
        """Notes a claim that a derivation stands on."""
        self.under[claim] = None

    def sum(self, entries: Iterable[Entry], stream: Stream) -> Fact:
        """What entries make of a stream (lemmas 1 to 3)."""
        given = [*entries]
        terms = [term(ONE if row == BIAS else stream[row], m, s) for row, m, s in given]
        return total(terms, self.number, groups=self.groups(given, terms))

    def groups(self, entries: Sequence[Entry], terms: Sequence[Term | None]) -> list[str | None]:
        """The families that terms are flags of, of which one is claimed to hold at most."""
        found = [
            self.family[row] if each is not None and row != BIAS else None
            for (row, _, _), each in zip(entries, terms, strict=True)
        ]
        several = {name for name in found if name is not None and found.count(name) > 1}
        for name in sorted(several):
            self.used("hot", name)
        return [name if name in several else None for name in found]

    def plus(self, *facts: Fact) -> Fact:
        """What numbers add up to."""
        return total([term(each, Fraction(1), Fraction(1)) for each in facts], self.number)

    def added(self, place: str, stream: Stream, updates: Mapping[int, Fact]) -> Stream:
        """The stream behind a part that adds updates, each a number by itself."""
        made = [*stream]
        for column, update in updates.items():
            made[column] = self.plus(stream[column], update)
        return self.settled(place, tuple(made), updates)

    def settled(self, place: str, stream: Stream, changed: Iterable[int] | None = None) -> Stream:
        """The stream behind a part within what is claimed of it; used claims are noted."""
        made = list(stream)
        for column in range(len(stream)) if changed is None else changed:
            claim = self.claims.semes.get(self.names[column])
            if claim is not None:
                made[column] = self._settled(self.names[column], stream[column], claim)
        told = range(len(stream)) if changed is None else changed
        facts = {self.names[column]: made[column] for column in told}
        self.facts.append((place, {n: f for n, f in facts.items() if not f.nothing}))
        return tuple(made)

    def _settled(self, name: str, fact: Fact, claim: Claim) -> Fact:
        if claim.low is not None and claim.high is not None:
            low, high = min(claim.low, Fraction(0)), max(claim.high, Fraction(0))
            if fact.low < low or fact.high > high:
                self.used("range", name)
                fact = fact._replace(low=max(fact.low, low), high=min(fact.high, high))
                if fact.low > fact.high:
                    raise NotProven(f"what is claimed of {name} holds of no text")
        if claim.step and (fact.step is None or fact.step % claim.step):
            self.used("step", name)
            fact = fact._replace(step=claim.step)
        return fact


def number_of(entries: Sequence[Entry]) -> tuple[Fraction, Fraction]:
    """The one number of a column without sources, as it is meant and as it is stored."""
    return (entries[0][1], entries[0][2]) if entries else (Fraction(0), Fraction(0))


def either(one: Stream, other: Stream) -> Stream:
    """What is known of a residual that is the one or the other."""
    return tuple(a.either(b) for a, b in zip(one, other, strict=True))
