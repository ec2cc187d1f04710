"""A network followed from its tokens to its answer: what is known of every number behind each part.

The exact network is the one that is stored, with the numbers that are meant, in exact arithmetic,
where each head finds the mean of the keys with the best score. What is claimed of it is held against
every text by those who ask; what is not claimed is derived here.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from progtf.exact.kernel import attention, curves
from progtf.exact.kernel.facts import (
    NOTHING,
    ZERO,
    Fact,
    Feature,
    Term,
    constant,
    product,
    term,
    total,
)
from progtf.exact.kernel.facts import score as score_of
from progtf.exact.kernel.folder import BIAS, Entry, Folder, Map
from progtf.exact.kernel.numbers import (
    FORMATS,
    Format,
    NotProven,
    above,
    common,
    grid_of,
    is_power_of_two,
    plus,
    times,
)

ONE = constant(Fraction(1))
HALF = Fraction(1, 2)
FINE = 0.5e-6
"""How far a number of an answer may lie off: half of the last decimal that is shown."""
MOST_OFF = 1e-3
"""How far scores may lie off of which somebody claims that they stand further apart."""
ROUNDS = 64
Stream = tuple[Fact, ...]


Used = tuple[str | int | float, ...]
Null = tuple[Fraction, Fraction] | None
"""The score of a null key as it is meant and as it is stored."""
Hands = tuple[str | None, tuple[float, ...]]
"""Whose hands a form reads, None: nobody's, and its factors; the constant comes last."""


class Seen(NamedTuple):
    """The scores of a head, before sharpness.

    Attributes:
        score: of a key.
        timed: the features that read hands; beside: what all others come to.
        lost: how far two scores may come closer; equal: whether equal ones are one number.
    """

    score: Fact
    timed: list[tuple[Hands, Hands]]
    beside: Fact
    lost: float
    equal: bool


class Claim(NamedTuple):
    """What is claimed of a seme behind every layer: ends, None: none, and a step, None: none."""

    low: Fraction | None
    high: Fraction | None
    step: Fraction | None


class Claims(NamedTuple):
    """What is claimed of the exact network.

    Attributes:
        semes: by name; single: heads, by path, that find one token or the null key; apart: heads
            of which the best score is ahead of all that differ by so much at least; hot:
            families, the beginnings of names, of which one is not 0 at a token at most; sums: semes
            for which what heads add up stays within so much on the way; flat: hidden units, by path, of curves whose sum stands on no part that rises; ahead: that the
            best score of an answer is ahead of the others by more than both may lie off.
    """

    semes: Mapping[str, Claim]
    single: frozenset[str]
    apart: Mapping[str, Fraction]
    hot: frozenset[str]
    sums: Mapping[str, Fraction]
    flat: Mapping[str, frozenset[int]]
    ahead: bool


class Proven(NamedTuple):
    """What is proven.

    Attributes:
        under: the claims that it stands on, each a kind, a name and numbers.
        gap: by how much the best score is ahead in the network, at least; None: there are no
            scores. error: how far a score, or a number of the answer, lies off at most.
        facts: what each part leaves behind, in order.
    """

    under: tuple[Used, ...]
    gap: float | None
    error: float
    facts: tuple[tuple[str, dict[str, Fact]], ...]


def prove(folder: Folder, claims: Claims) -> Proven:
    """The network answers as the exact one does, where claims hold.

    Raises:
        NotProven: where a hypothesis of a lemma does not hold.
    """
    return _Walk(folder, claims).answer()


class _Walk:
    def __init__(self, folder: Folder, claims: Claims) -> None:
        self.folder, self.claims, layout = folder, claims, folder.layout
        self.layout = layout
        self.number = FORMATS[folder.dtype]
        self.names = folder.names
        self.index = {name: place for place, name in enumerate(self.names)}
        self.clocks = tuple(float(each) for each in layout["clocks"])
        first = layout["semes"]
        self.own = {first + n: ("", n) for n in range(2 * len(self.clocks))}
        inputs, outputs = layout["lengths"]
        self.lengths = {"encoder": inputs, "decoder": outputs + 1}
        if layout["kind"] == "decoder":
            self.lengths["decoder"] = inputs + outputs
        self.causal = False
        self.under: dict[Used, None] = {}
        self.facts: list[tuple[str, dict[str, Fact]]] = []
        self.place = ""
        self.family = [
            each if (each := name.partition("[")[0]) in self.claims.hot else None
            for name in self.names
        ]
        self.spans: dict[str, tuple[int, int]] = {}
        self.at_places: dict[tuple[str, tuple[float, ...]], list[float]] = {}
        self.stopped: Stream | None = None
        self._covered()

    def used(self, *claim: str | int | float) -> None:
        """Notes a claim that a derivation stands on."""
        self.under[claim] = None

    def proven(self, gap: float | None, error: float) -> Proven:
        """What is proven, with all that it stands on."""
        return Proven(tuple(self.under), gap, error, tuple(self.facts))

    def _covered(self) -> None:
        layout = self.layout
        if layout["kind"] not in ("encoder", "seq2seq", "decoder", "dense"):
            raise NotProven(f"no lemma for a network of kind {layout['kind']}")
        if layout["norm"] != "none" or layout["learn"] is not None or layout["activation"]:
            raise NotProven("no lemma for norms, cells and what is learned")

    # ------------------------------------------------------------------ tokens

    def tokens(self) -> Stream:
        """What the lexicon, spelling and clocks give (lemma 1)."""
        if self.layout["kind"] == "dense":
            return tuple(self._input(name) for name in self.names)
        lexicon = self.folder.maps[("lexicon",), "vector"]
        spelled = self.folder.maps.get((("spelling",), "vector"))
        marks = self.layout["spelling"]["marks"]
        found: list[Fact] = []
        for column, entries in enumerate(lexicon.columns):
            fact = NOTHING if len(entries) < len(lexicon.sources) else None
            for _, meant, stored in entries:
                one = constant(meant, stored)
                fact = one if fact is None else fact.either(one)
            assert fact is not None or not lexicon.sources
            fact = NOTHING if fact is None else fact
            fact = self._spelled(fact, () if spelled is None else spelled.columns[column], marks)
            if column in self.own:
                hand = hand_of(self.number)._replace(hand=self.own[column])
                fact = hand if fact.nothing else self.plus(fact, hand)
            found.append(fact)
        return self.settled(tuple(found))

    def _input(self, name: str) -> Fact:
        """A number of a vector that is given: within what is declared of it."""
        claim = self.claims.semes.get(name)
        if claim is None or claim.low is None or claim.high is None:
            raise NotProven(f"nothing is claimed of {name}, which is given")
        self.used("range", name)
        low, high = min(claim.low, ZERO), max(claim.high, ZERO)
        size, step = max(above(low), above(high)), claim.step
        if step:
            self.used("step", name)
        grid = grid_of(step)
        fits = grid > 0 and size <= grid * 2.0**self.number.precision
        return Fact(low, high, step, 0.0 if fits else times(self.number.roundoff, size), 0.0)

    def _spelled(self, fact: Fact, entries: Iterable[Entry], marks: Sequence[Any]) -> Fact:
        terms: list[Term | None] = []
        for row, meant, stored in entries:
            most = Fraction(marks[row]["values"] - 1)
            terms.append(term(Fact(ZERO, most, Fraction(1)), meant, stored))
        if not terms:
            return fact
        return total([term(fact, Fraction(1), Fraction(1)), *terms], self.number)

    def settled(self, stream: Stream, changed: Iterable[int] | None = None) -> Stream:
        """The stream within what is claimed of it; used claims are noted."""
        made = list(stream)
        for column in range(len(stream)) if changed is None else changed:
            claim = self.claims.semes.get(self.names[column])
            if claim is not None:
                made[column] = self._settled(self.names[column], stream[column], claim)
        told = range(len(stream)) if changed is None else changed
        facts = {self.names[column]: made[column] for column in told}
        self.facts.append((self.place, {n: f for n, f in facts.items() if not f.nothing}))
        return tuple(made)

    def _settled(self, name: str, fact: Fact, claim: Claim) -> Fact:
        if claim.low is not None and claim.high is not None:
            low, high = min(claim.low, ZERO), max(claim.high, ZERO)
            if fact.low < low or fact.high > high:
                self.used("range", name)
                fact = fact._replace(low=max(fact.low, low), high=min(fact.high, high))
        if claim.step and (fact.step is None or fact.step % claim.step):
            self.used("step", name)
            fact = fact._replace(step=claim.step)
        return fact

    # ------------------------------------------------------------------ layers

    def stack(self, name: str, stream: Stream, memory: Stream | None) -> Stream:
        """The stream behind the layers of an encoder or a decoder."""
        self.causal, stages = name == "decoder", self.layout[name]
        self.spans[""] = 0, self.lengths[name] - 1
        self.place = f"{name} / embedding"
        placed = [((name, f"{n} {each['name']}"), each) for n, each in enumerate(stages, start=1)]
        for loop, run in groupby(placed, key=lambda each: str((each[1].get("loop") or {}).get("name"))):
            layers = [*run]
            stream = (
                self.once(layers, stream, memory) if loop == "None"
                else self.looped(layers, stream, memory)
            )  # fmt: skip
        return stream

    def once(
        self, layers: Sequence[tuple[tuple[str, str], Any]], stream: Stream, memory: Stream | None
    ) -> Stream:
        """The stream behind layers that run one after another."""
        for path, layer in layers:
            if "relu" in layer:
                stream = self.dense(path, layer, stream)
                continue
            for _ in range(layer["repeat"]):
                before, stream = stream, self.layer(path, layer, stream, memory)
                if stream == before:
                    break
        return stream

    def layer(self, path: tuple[str, str], layer: Any, stream: Stream, memory: Stream | None) -> Stream:
        """The stream behind heads on the own text, heads on the other one, and hidden units."""
        if layer["learned"] is not None:
            raise NotProven("no lemma for what is learned")
        self.place = " / ".join(path)
        for heads, other in ((layer["own"], None), (layer["cross"], memory)):
            if heads:
                stream = self.heads(path, heads, stream, other)
        return self.units(path, stream)

    def dense(self, path: tuple[str, str], layer: Any, stream: Stream) -> Stream:
        """The stream that a dense layer puts in its place; hands stay (lemmas 1 to 3)."""
        self.place = " / ".join(path)
        weights, bias = (self.folder.maps[path, name] for name in ("weights", "bias"))
        made = [*stream]
        for column in range(self.layout["semes"]):
            fact = self.sum([*weights.columns[column], *bias.columns[column]], stream)
            if layer["relu"]:
                fact = fact._replace(low=max(fact.low, ZERO), high=max(fact.high, ZERO), hand=None)
            made[column] = fact
        return self.settled(tuple(made))

    def looped(
        self, layers: Sequence[tuple[tuple[str, str], Any]], stream: Stream, memory: Stream | None
    ) -> Stream:
        """The stream behind a loop: what any round left."""
        loop, before = layers[0][1]["loop"], stream
        for flag in loop["asked"]:
            self.told(flag, stream)
        zeros = [self.index[name] for name in loop["resets"]]
        behind: Stream | None = None
        for _ in range(min(loop["most"], ROUNDS)):
            begun = [*stream]
            for column in zeros:
                begun[column] = NOTHING
            self.stopped = stream if self.causal else None
            left = self.once(layers, tuple(begun), memory)
            behind = left if behind is None else _either(behind, left)
            last, stream = stream, _either(stream, left)
            if stream == last:
                break
        else:
            if loop["most"] > ROUNDS:
                raise NotProven(f"numbers of the loop {loop['name']} grow with its rounds")
        assert behind is not None
        self.stopped = None
        self.told(loop["until"], behind)
        self.used("loop", loop["name"])
        if loop["asked"]:
            behind = _either(before, behind)
        made, column = [*behind], self.index[f"{loop['name']}.unfinished"]
        made[column] = made[column].either(ONE)
        return tuple(made)

    def told(self, flag: str, stream: Stream) -> None:
        """A flag that begins or ends a loop is told from none."""
        fact = stream[self.index[flag]]
        if fact.step is None or fact.step % 1 or not fact.error < 0.25:
            raise NotProven(f"`{flag}`, which a loop looks at, may be told wrong")

    # ------------------------------------------------------------------ sums

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

    def added(self, stream: Stream, updates: Mapping[int, Fact]) -> Stream:
        """The stream with updates, each a number by itself, within what is claimed."""
        made = [*stream]
        for column, update in updates.items():
            made[column] = self.plus(stream[column], update)
        return self.settled(tuple(made), updates)

    # ------------------------------------------------------------------ hidden units

    def units(self, path: tuple[str, ...], stream: Stream) -> Stream:
        """The stream behind a block of hidden units (lemmas 6 and 7)."""
        place = (*path, "feedforward")
        if (place, "mat1") not in self.folder.maps:
            return stream
        inner, biases, outer, bias = (
            self.folder.maps[place, name] for name in ("mat1", "bias1", "mat2", "bias2")
        )
        groups: dict[tuple[Entry, ...], list[int]] = {}
        for unit, entries in enumerate(inner.columns):
            groups.setdefault(tuple(sorted(entries)), []).append(unit)
        rows, found = outer.rows, dict[int, list[curves.Written]]()
        timed: dict[tuple[int, str], list[tuple[curves.Placed, list[int]]]] = {}
        for entries, units in groups.items():
            given = [_bias(biases.columns[unit]) for unit in units]
            made = curves.group(self.sum(entries, stream), given, self.number)
            hands = _hands(entries, stream, 2 * len(self.clocks))
            whose = None if hands is None else hands[0]
            sums, off = ([], 0.0) if hands is None or whose is None else self._sums(whose, hands[1])
            up, within = curves.placed(made, sums, off)
            for column, weights in _by_column(rows, units).items():
                if whose is not None:
                    each = curves.Placed(made, up, len(sums), within, weights)
                    timed.setdefault((column, whose), []).append((each, units))
                else:
                    found.setdefault(column, []).append(self._written(place, made, weights, units))
        for (column, _), parts in timed.items():
            part = curves.written_by_place([each for each, _ in parts])
            found.setdefault(column, []).extend(
                [part] if part is not None
                else (self._written(place, e.group, e.weights, units) for e, units in parts)
            )  # fmt: skip
        updates: dict[int, Fact] = {}
        for column, entries in enumerate(bias.columns):
            if column in found or entries:
                constants = [term(ONE, meant, stored) for _, meant, stored in entries]
                updates[column] = self._update(found.get(column, []), constants)
        return self.added(stream, updates)

    def _written(
        self, path: tuple[str, ...], made: curves.Group,
        weights: Sequence[tuple[int, Fraction, Fraction]], units: Sequence[int],
    ) -> curves.Written:  # fmt: skip
        """What a group writes to one column; a claim that it stands on is noted."""
        flat = self.claims.flat.get(" / ".join(path), frozenset[int]())
        part = curves.written(made, weights, flat=flat.issuperset(units[e[0]] for e in weights))
        if part.claimed:
            self.used("flat", " / ".join(path), units[weights[0][0]], made.sum.error)
        return part

    def _sums(self, whose: str, form: tuple[float, ...]) -> tuple[list[float], float]:
        """What a form of hands comes to at each place of somebody, and how far that may lie off."""
        key = whose, form
        if key not in self.at_places:
            found = attention.places([form], self.clocks, self.spans[whose])
            self.at_places[key] = [each[0] for each in found]
        return self.at_places[key], times(attention.SEEN, 1 + math.fsum(map(abs, form)))

    def _update(self, parts: Sequence[curves.Written], constants: Sequence[Term | None]) -> Fact:
        """What groups and a bias add to one column."""
        terms = [each for part in parts for each in part.terms]
        computed = total([*terms, *constants], self.number)
        exact = [part.exact for part in parts] + [c.fact for c in constants if c is not None]
        low, high = sum((e.low for e in exact), ZERO), sum((e.high for e in exact), ZERO)
        passed = plus(*(part.passed for part in parts))
        step = common(e.step for e in exact)
        if passed:
            off = plus(computed.error, passed)
            return Fact(low, high, step, off, off)
        return Fact(low, high, step, computed.off, computed.stray)

    # ------------------------------------------------------------------ heads

    def heads(
        self, path: tuple[str, str], heads: Sequence[Any], stream: Stream, memory: Stream | None
    ) -> Stream:
        """The stream behind heads that read it, or another one."""
        there = memory
        if there is None:
            there = stream if self.stopped is None else _either(stream, self.stopped)
        terms: dict[int, list[Term | None]] = {}
        self.turned = dict[int, tuple[str, int]]()
        for head in heads:
            whole = (*path, head["label"])
            try:
                for column, each in self.head(whole, head, stream, there, memory):
                    terms.setdefault(column, []).append(each)
            except NotProven as error:
                raise NotProven(f"{' / '.join(whole)}: {error}") from None
        updates = {column: total(some, self.number) for column, some in terms.items()}
        for column, hand in self.turned.items():
            if len(terms[column]) == 2:  # no other head writes there
                updates[column] = updates[column]._replace(hand=hand)
        return self.added(stream, updates)

    def head(
        self, path: tuple[str, ...], head: Any, here: Stream, there: Stream, memory: Stream | None
    ) -> Iterator[tuple[int, Term | None]]:
        """What a head adds: of each column the terms."""
        if head["learned"]:
            raise NotProven("no lemma for what is learned")
        name, maps = " / ".join(path), self.folder.maps
        value, out = maps[path, "value"], maps[path, "out"]
        values = [self.sum(entries, there) for entries in value.columns]
        look, reach = head["look"], self._reach(memory)
        if self.causal and memory is None:
            look = {"all": "upto", "notself": "before"}.get(look, look)
        sharp, null, fillers = self._exact(maps[path, "numbers"], head["null"])
        seen = self._seen(path, here, there, null, look, reach)
        found = self._claimed(name, self._apart(seen, null, look, reach))
        nats = _least(sharp * Fraction(found.gap) - sharp * Fraction(seen.lost)) if (
            math.isfinite(found.gap)) else math.inf
        share = attention.shares(nats, reach[1] + 1, self.number, single=found.single, equal=seen.equal)
        if head["normalize"] == "queries":
            bound = [
                attention.shared_out(
                    each, share, max(reach), self.number, single=found.single,
                    most=self._most(path, out, place),
                )
                for place, each in enumerate(values)
            ]  # fmt: skip
        else:
            nobody = null is None and look in ("before", "after", "notself")
            bound = [
                attention.retrieved(
                    each, None if null is None else fillers[place], share, reach[1] + 1,
                    self.number, single=found.single, nobody=nobody, who=name,
                )
                for place, each in enumerate(values)
            ]  # fmt: skip
        for each in values:
            if each.hand is not None:
                span = self.spans[each.hand[0]] if each.hand[0] else (0, reach[1] - 1)
                self.spans[f"{name} {each.hand[0]}"] = span
        if (path, "role") in maps:
            roles = [self.sum(entries, here) for entries in maps[path, "role"].columns]
            pairs = (
                [(v, r) for v in bound for r in roles] if self.layout["binding"] == "outer"
                else [*zip(bound, roles, strict=True)]
            )  # fmt: skip
            self._turn(name, out, pairs, reach)
            bound = [product(each, role, self.number) for each, role in pairs]
        for column, entries in enumerate(out.columns):
            for row, meant, stored in entries:
                yield column, term(ONE if row == BIAS else bound[row], meant, stored)

    def _most(self, path: tuple[str, ...], out: Map, place: int) -> float:
        """What sums of what a head adds up stay below on the way, as is claimed of a seme."""
        role = self.folder.maps.get((path, "role"))
        if role is not None and role.columns[place] != ((BIAS, Fraction(1), Fraction(1)),):
            return math.inf
        found = math.inf
        for column, entries in enumerate(out.columns):
            claimed = self.claims.sums.get(self.names[column])
            for row, meant, _ in entries:
                if row == place and claimed is not None and meant:
                    found = min(found, above(claimed / meant))
                    self.used("sum", self.names[column])
        return found

    def _turn(
        self, name: str, out: Map, pairs: Sequence[tuple[Fact, Fact]], reach: tuple[int, int]
    ) -> None:
        """The columns that hold hands of a difference of places, by the addition theorems."""
        found: dict[int, tuple[str, str, int]] = {}
        turns: dict[tuple[str, str], set[int]] = {}
        for column, entries in enumerate(out.columns):
            each = _turned([(pairs[row], meant, stored) for row, meant, stored in entries if row != BIAS])
            if each is None or len(entries) != 2:
                continue
            there, here, hand, sign = each
            found[column] = there, here, hand
            turns.setdefault((there, here), set()).update({sign} - {0})
        for column, (there, here, hand) in found.items():
            signs = turns[there, here]
            if len(signs) == 1:
                whose = f"{there} - {here or 'here'}"
                a, b = self.spans[there], self.spans[here] if here else (0, reach[0] - 1)
                least, most = a[0] - b[1], a[1] - b[0]
                self.spans[whose] = (least, most) if 1 in signs else (-most, -least)
                self.turned[column] = whose, hand
        del name

    def _claimed(self, name: str, found: attention.Scores) -> attention.Scores:
        """How scores stand apart, with what is claimed of a head where that says more."""
        if not found.single and name in self.claims.single:
            self.used("one", name)
            found = found._replace(single=True)
        claimed = self.claims.apart.get(name)
        if claimed is not None and not found.gap > 0:
            self.used("apart", name, str(claimed))
            found = found._replace(gap=_least(claimed))
        return found

    def _seen(
        self, path: tuple[str, ...], here: Stream, there: Stream, null: Null, look: str,
        reach: tuple[int, int],
    ) -> "Seen":  # fmt: skip
        """The scores of a head, and how far they lie off."""
        query, key = (self.folder.maps[path, name] for name in ("query", "key"))
        features, count = self._features(query, key, here, there), 2 * len(self.clocks)
        timed: list[tuple[Hands, Hands]] = []
        others: list[Fact] = []
        for each, q, k in zip(features, query.columns, key.columns, strict=True):
            hands = _hands(q, here, count), _hands(k, there, count)
            if each.both.step is None and hands[0] is not None and hands[1] is not None:
                timed.append((hands[0], hands[1]))
            else:
                others.append(each.both)
        score = score_of(features, self.number)
        off = 0.0 if null is None else above(null[0] - null[1])
        grid, u = grid_of(score.step), self.number.roundoff
        equal = not score.off and not off and score.stray <= grid * u / 4
        del look, reach
        return Seen(score, timed, self.plus(*others), plus(times(2.0, score.error), off), equal)

    def _features(self, query: Map, key: Map, here: Stream, there: Stream) -> list[Feature]:
        """The products of a score, with what excludes what among them."""
        asks, says = self._apart_flags(query), self._apart_flags(key)
        found: list[Feature] = []
        for place, (q, k) in enumerate(zip(query.columns, key.columns, strict=True)):
            one, other = self.sum(q, here), self.sum(k, there)
            both = product(one, other, self.number)
            found.append(Feature(one, other, both, asks[place], says[place]))
        return found

    def _apart_flags(self, forms: Map) -> list[str | None]:
        """Of each form the family whose flags alone it reads, if no other form reads them."""
        found: list[str | None] = []
        read: dict[str, list[int]] = {}
        for entries in forms.columns:
            families = {None if row == BIAS else self.family[row] for row, _, _ in entries}
            family = families.pop() if len(families) == 1 else None
            found.append(family)
            if family is not None:
                read.setdefault(family, []).extend(row for row, _, _ in entries)
        apart = {f for f, rows in read.items() if len(set(rows)) == len(rows) > 1}
        for family in sorted(apart):
            self.used("hot", family)
        return [family if family in apart else None for family in found]

    def _apart(
        self, seen: "Seen", null: Null, look: str, reach: tuple[int, int]
    ) -> attention.Scores:
        """How scores stand apart in the exact network."""
        rest = None if null is None else null[0]
        if look == "self" and null is None:
            return attention.Scores(math.inf, single=True)
        if not seen.timed:
            return attention.by_steps(seen.score, rest)
        beside = seen.beside
        if beside.step is None:
            return attention.Scores(0.0, single=False)
        whose = [{side[0] for side in sides if side[0] is not None} for sides in zip(*seen.timed, strict=True)]
        if any(len(each) > 1 for each in whose):
            return attention.Scores(0.0, single=False)
        own = whose[0] <= {""} and whose[1] <= {""}
        asked = self.spans["".join(whose[0])] if "".join(whose[0]) else (0, reach[0] - 1)
        offered = self.spans["".join(whose[1])] if "".join(whose[1]) else (0, reach[1] - 1)
        found = attention.by_places(
            tuple((q[1], k[1]) for q, k in seen.timed), self.clocks,
            (float(beside.step), float(beside.low), float(beside.high)),
            None if rest is None else float(rest),
            look if own else None, asked, offered,
        )  # fmt: skip
        return found if whose[1] <= {""} else found._replace(single=False)

    def _reach(self, memory: Stream | None) -> tuple[int, int]:
        """How many readers there are at most, and how many sources."""
        own = self.lengths["decoder" if self.causal else "encoder"]
        return own, own if memory is None else self.lengths["encoder"]

    def _exact(self, numbers: Map, has_null: bool) -> tuple[Fraction, Null, list[Fact]]:
        """Sharpness, the null key's score and its fillers."""
        sharp = _bias(numbers.columns[0])
        if not is_power_of_two(sharp[1]) or sharp[0] != sharp[1]:
            raise NotProven("no lemma for a sharpness that is no power of two")
        if not has_null:
            return sharp[0], None, []
        fillers = [
            constant(each[0][1], each[0][2]) if each else NOTHING for each in numbers.columns[2:]
        ]
        return sharp[0], _bias(numbers.columns[1]), fillers

    # ------------------------------------------------------------------ the answer

    def answer(self) -> Proven:
        """What is read off at the end."""
        stream = self.stack("encoder", self.tokens(), None)
        if self.layout["decoder"]:
            stream = self.stack("decoder", self.tokens(), stream)
        elif self.layout["kind"] in ("seq2seq", "decoder"):
            raise NotProven("no lemma for a decoder without layers")
        key = "classify" if self.layout["classes"] or self.layout["number"] else "output"
        scores = self.folder.maps.get(((key,), "score"))
        if scores is None:
            named = range(self.layout["semes"])
            worst = max((stream[column].error for column in named), default=0.0)
            return self._numbers(worst)
        pooled = tuple(map(self._pooled, stream)) if key == "classify" else stream
        found = [self.sum(entries, pooled) for entries in scores.columns]
        error = max(each.error for each in found)
        if self.layout["number"]:
            return self._numbers(error)
        step = common(each.step for each in found)
        if step is not None and _least(step) > 2 * error:
            self.used("best")
            return self.proven(_least(step) - plus(error, error), error)
        if not self.claims.ahead or error > MOST_OFF:
            raise NotProven("scores may stand no further apart than they lie off")
        self.used("ahead", plus(error, error))
        return self.proven(0.0, error)

    def _numbers(self, error: float) -> Proven:
        if error > FINE:
            raise NotProven(f"a number of the answer may lie off by {error:.3g}")
        return self.proven(None, error)

    def _pooled(self, fact: Fact) -> Fact:
        """One row for a whole text (lemma 8)."""
        length = self.lengths["encoder"]
        match self.layout["pool"]:
            case "first" | "last" | "max":
                return fact
            case "sum":
                return total([term(fact, Fraction(1), Fraction(1))] * length, self.number)
            case _:
                raise NotProven("no lemma for a mean of all tokens")


def hand_of(number: Format) -> Fact:
    """A hand of a clock: a cosine in float64, stored."""
    off = plus(number.roundoff, 2.0**-48)
    return Fact(Fraction(-1), Fraction(1), None, off, off)


def _turned(
    terms: Sequence[tuple[tuple[Fact, Fact], Fraction, Fraction]]
) -> tuple[str, str, int, int] | None:
    """Whose place less whose the hands of two products turn to, which hand that is, and the sign.

    cos(a - b) = cos a cos b + sin a sin b; sin(a - b) = sin a cos b - cos a sin b.
    """
    parts: dict[tuple[int, int], int] = {}
    whose: set[tuple[str, str]] = set()
    for (one, other), meant, stored in terms:
        if one.hand is None or other.hand is None or meant != stored or abs(meant) != 1:
            return None
        whose.add((one.hand[0], other.hand[0]))
        parts[one.hand[1], other.hand[1]] = int(meant)
    if len(parts) != 2 or len(whose) != 1:
        return None
    clock = 2 * (min(parts)[0] // 2)
    cosine, sine = clock, clock + 1
    ((there, here),) = whose
    if parts == {(cosine, cosine): 1, (sine, sine): 1}:
        return there, here, cosine, 0
    for sign in (1, -1):
        if parts == {(sine, cosine): sign, (cosine, sine): -sign}:
            return there, here, sine, sign
    return None


def _hands(entries: Sequence[Entry], stream: Stream, count: int) -> Hands | None:
    """The factors of hands that a form reads; None: it reads something else, or several places."""
    found, whose = [0.0] * (count + 1), None
    for row, meant, _ in entries:
        hand = None if row == BIAS else stream[row].hand
        if row == BIAS:
            found[-1] = float(meant)
        elif hand is None or whose not in (None, hand[0]):
            return None
        else:
            whose = hand[0]
            found[hand[1]] += float(meant)
    return whose, tuple(found)


def _bias(entries: Sequence[Entry]) -> tuple[Fraction, Fraction]:
    return (entries[0][1], entries[0][2]) if entries else (ZERO, ZERO)


def _least(number: Fraction) -> float:
    """A float that is not above a fraction."""
    found = float(number)
    return found if Fraction(found) <= number else math.nextafter(found, -math.inf)


def _either(one: Stream, other: Stream) -> Stream:
    return tuple(a.either(b) for a, b in zip(one, other, strict=True))


def _by_column(
    rows: Sequence[Sequence[Entry]], units: Sequence[int]
) -> dict[int, list[tuple[int, Fraction, Fraction]]]:
    """What units of a group write: column -> place in the group, and weight."""
    found: dict[int, list[tuple[int, Fraction, Fraction]]] = {}
    for place, unit in enumerate(units):
        for column, meant, stored in rows[unit]:
            found.setdefault(column, []).append((place, meant, stored))
    return found
