"""Heads: what they look for, how surely they find it, and what they add."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from progtf.exact.kernel import attention
from progtf.exact.kernel.context import ONE, Context, Stream, number_of
from progtf.exact.kernel.facts import (
    NOTHING,
    Fact,
    Feature,
    Term,
    constant,
    product,
    score,
    term,
    total,
)
from progtf.exact.kernel.folder import BIAS, Entry, Map
from progtf.exact.kernel.numbers import (
    NotProven,
    above,
    below,
    is_power_of_two,
    plus,
    times,
)

Null = tuple[Fraction, Fraction] | None
"""The score of a null key as it is meant and as it is stored."""
Hands = tuple[str | None, tuple[float, ...]]
"""Whose hands a form reads, None: nobody's, and its factors; the constant comes last."""


MIRRORED = {
    "all": "all",
    "self": "self",
    "notself": "notself",
    "before": "after",
    "after": "before",
}
"""Where a reader stands whom a source may be read by."""


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


class Heads:
    """The heads of one layer that all read the same.

    Attributes:
        path: of the layer.
        here, there: the residuals of readers, and of what is read.
        causal: whether a head that may look anywhere does not look ahead.
        reach: how many readers there are at most, and how many sources.
        turned: columns that hold hands of a difference of places.
    """

    def __init__(
        self, context: Context, path: tuple[str, ...], streams: tuple[Stream, Stream],
        reach: tuple[int, int], *, causal: bool,
    ) -> None:  # fmt: skip
        self.context, self.path, self.reach, self.causal = context, path, reach, causal
        self.here, self.there = streams
        self.turned: dict[int, tuple[str, int]] = {}

    def behind(self, heads: Sequence[Any]) -> Stream:
        """The readers' residual behind heads."""
        terms: dict[int, list[Term | None]] = {}
        for head in heads:
            path = (*self.path, head["label"])
            try:
                for column, each in self._head(path, head):
                    terms.setdefault(column, []).append(each)
            except NotProven as error:
                raise NotProven(f"{' / '.join(path)}: {error}") from None
        updates = {column: total(some, self.context.number) for column, some in terms.items()}
        for column, hand in self.turned.items():
            if len(terms[column]) == 2:  # no other head writes there
                updates[column] = updates[column]._replace(hand=hand)
        place = f"{' / '.join(self.path)} / heads"
        return self.context.added(place, self.here, updates)

    def _head(self, path: tuple[str, ...], head: Any) -> Iterator[tuple[int, Term | None]]:
        """What a head adds: of each column the terms."""
        if head["learned"]:
            raise NotProven("no lemma for what is learned")
        context, reach, name = self.context, self.reach, " / ".join(path)
        maps, number = context.folder.maps, context.number
        value, out = maps[path, "value"], maps[path, "out"]
        values = [context.sum(entries, self.there) for entries in value.columns]
        look, shares_out = str(head["look"]), head["normalize"] == "queries"
        if shares_out and (self.causal or self.here is not self.there):
            raise NotProven(
                "tokens of another text, or of one that is written, cannot divide themselves"
            )
        if self.causal:
            look = {"all": "upto", "notself": "before"}.get(look, look)
        sharp, null, fillers = self._exact(maps[path, "numbers"], head["null"])
        seen = self._seen(path, null, sharp)
        apart = self._apart(seen, null, look, turned=shares_out)
        found = self._claimed(name, apart, shares_out=shares_out)
        nats = math.inf
        if math.isfinite(found.gap):
            nats = below(sharp * Fraction(found.gap) - sharp * Fraction(seen.lost))
        keys = max(reach) + 1
        alike = not (found.single or shares_out) and name in context.claims.alike
        if alike:
            context.used("alike", name)
        share = attention.shares(
            nats, keys, number, single=found.single, equal=seen.equal, alike=alike
        )
        if shares_out:
            bound = [
                attention.shared_out(
                    each, share, max(reach), number, single=found.single,
                    most=self._most(path, out, place),
                )
                for place, each in enumerate(values)
            ]  # fmt: skip
        else:
            nobody = null is None and look in ("before", "after", "notself")
            bound = [
                attention.retrieved(
                    each, None if null is None else fillers[place], share, keys,
                    number, single=found.single, nobody=nobody, who=name,
                )
                for place, each in enumerate(values)
            ]  # fmt: skip
        for each in values:
            if each.hand is not None:
                span = context.spans[each.hand[0]] if each.hand[0] else (0, reach[1] - 1)
                context.spans[f"{name} {each.hand[0]}"] = span
        if (path, "role") in maps:
            roles = [context.sum(entries, self.here) for entries in maps[path, "role"].columns]
            pairs = (
                [(v, r) for v in bound for r in roles] if context.layout["binding"] == "outer"
                else [*zip(bound, roles, strict=True)]
            )  # fmt: skip
            self._turn(out, pairs)
            bound = [product(each, role, number) for each, role in pairs]
        for column, entries in enumerate(out.columns):
            for row, meant, stored in entries:
                yield column, term(ONE if row == BIAS else bound[row], meant, stored)

    def _most(self, path: tuple[str, ...], out: Map, place: int) -> float:
        """What sums of what a head adds up stay below on the way, as is claimed of a seme."""
        context = self.context
        role = context.folder.maps.get((path, "role"))
        plain = ((BIAS, Fraction(1), Fraction(1)),)
        if role is not None and any(each != plain for each in role.columns):
            return math.inf
        found = math.inf
        for column, entries in enumerate(out.columns):
            claimed = context.claims.sums.get(context.names[column])
            for row, meant, _ in entries:
                if row == place and claimed is not None and abs(meant) == 1:
                    found = min(found, above(claimed))
                    context.used("sum", context.names[column])
        return found

    def _turn(self, out: Map, pairs: Sequence[tuple[Fact, Fact]]) -> None:
        """The columns that hold hands of a difference of places, by the addition theorems."""
        context, reach = self.context, self.reach
        found: dict[int, tuple[str, str, int]] = {}
        turns: dict[tuple[str, str], set[int]] = {}
        for column, entries in enumerate(out.columns):
            each = _turned(
                [(pairs[row], meant, stored) for row, meant, stored in entries if row != BIAS]
            )
            if each is None or len(entries) != 2:
                continue
            there, here, hand, sign = each
            found[column] = there, here, hand
            turns.setdefault((there, here), set()).update({sign} - {0})
        for column, (there, here, hand) in found.items():
            signs = turns[there, here]
            if len(signs) == 1:
                whose = f"{there} - {here or 'here'}"
                a, b = context.spans[there], context.spans[here] if here else (0, reach[0] - 1)
                least, most = a[0] - b[1], a[1] - b[0]
                context.spans[whose] = (least, most) if 1 in signs else (-most, -least)
                self.turned[column] = whose, hand

    def _claimed(self, name: str, found: attention.Scores, *, shares_out: bool) -> attention.Scores:
        """How scores stand apart, with what is claimed of a head where that says more."""
        if not found.single and name in self.context.claims.single:
            self.context.used("one", name)
            found = found._replace(single=True)
        claimed = self.context.claims.apart.get(name)
        if claimed is not None and not found.gap > 0 and not shares_out:
            self.context.used("apart", name, str(claimed))
            found = found._replace(gap=below(claimed))
        return found

    def _seen(self, path: tuple[str, ...], null: Null, sharp: Fraction) -> Seen:
        """The scores of a head, and how far they lie off."""
        context, here, there = self.context, self.here, self.there
        query, key = (context.folder.maps[path, name] for name in ("query", "key"))
        features, count = self._features(query, key), 2 * len(context.clocks)
        timed: list[tuple[Hands, Hands]] = []
        others: list[Fact] = []
        for each, q, k in zip(features, query.columns, key.columns, strict=True):
            hands = hands_of(q, here, count), hands_of(k, there, count)
            if each.both.step is None and hands[0] is not None and hands[1] is not None:
                timed.append((hands[0], hands[1]))
            else:
                others.append(each.both)
        whole = score(features, context.number)
        off = 0.0 if null is None else above(null[0] - null[1])
        u = context.number.roundoff
        traces = times(2.0, above(sharp), whole.stray)  # of scores that should be 0
        equal = not whole.off and not off and traces <= u / 4
        lost = plus(times(2.0, whole.error), off)
        return Seen(whole, timed, context.plus(*others), lost, equal)

    def _features(self, query: Map, key: Map) -> list[Feature]:
        """The products of a score, with what excludes what among them."""
        asks, says = self._apart_flags(query), self._apart_flags(key)
        found: list[Feature] = []
        for place, (q, k) in enumerate(zip(query.columns, key.columns, strict=True)):
            one, other = self.context.sum(q, self.here), self.context.sum(k, self.there)
            both = product(one, other, self.context.number)
            found.append(Feature(one, other, both, asks[place], says[place]))
        return found

    def _apart_flags(self, forms: Map) -> list[str | None]:
        """Of each form the family whose flags alone it reads, if no other form reads them."""
        found: list[str | None] = []
        read: dict[str, list[int]] = {}
        for entries in forms.columns:
            families = {None if row == BIAS else self.context.family[row] for row, _, _ in entries}
            family = families.pop() if len(families) == 1 else None
            found.append(family)
            if family is not None:
                read.setdefault(family, []).extend(row for row, _, _ in entries)
        apart = {f for f, rows in read.items() if len(set(rows)) == len(rows) > 1}
        for family in sorted(apart):
            self.context.used("hot", family)
        return [family if family in apart else None for family in found]

    def _apart(self, seen: Seen, null: Null, look: str, *, turned: bool) -> attention.Scores:
        """How scores stand apart in the exact network; ``turned``: those of readers of a source."""
        context, reach = self.context, self.reach
        rest = None if null is None else null[0]
        if look == "self" and null is None:
            return attention.Scores(math.inf, single=True)
        if not seen.timed:
            return attention.by_steps(seen.score, rest)
        beside = seen.beside
        if beside.step is None:
            return attention.Scores(0.0, single=False)
        whose = [
            {side[0] for side in sides if side[0] is not None}
            for sides in zip(*seen.timed, strict=True)
        ]
        if any(len(each) > 1 for each in whose):
            return attention.Scores(0.0, single=False)
        own = whose[0] <= {""} and whose[1] <= {""}
        spans = [
            context.spans["".join(each)] if "".join(each) else (0, count - 1)
            for each, count in zip(whose, reach, strict=True)
        ]
        clocks = tuple((q[1], k[1]) for q, k in seen.timed)
        if turned:
            if look not in MIRRORED:
                return attention.Scores(0.0, single=False)
            clocks, spans = tuple((k, q) for q, k in clocks), spans[::-1]
            look, whose = MIRRORED[look], whose[::-1]
        least, most = beside.low, beside.high
        if beside.step:  # multiples of it, between the ends
            least = math.ceil(least / beside.step) * beside.step
            most = math.floor(most / beside.step) * beside.step
        found = attention.by_places(
            clocks, context.clocks, (float(beside.step), float(least), float(most)),
            None if rest is None else float(rest), look if own else None, *spans,
        )  # fmt: skip
        return found if whose[1] <= {""} else found._replace(single=False)

    def _exact(self, numbers: Map, has_null: bool) -> tuple[Fraction, Null, list[Fact]]:
        """Sharpness, the null key's score and its fillers."""
        sharp = number_of(numbers.columns[0])
        if not is_power_of_two(sharp[1]) or sharp[0] != sharp[1]:
            raise NotProven("no lemma for a sharpness that is no power of two")
        if not has_null:
            return sharp[0], None, []
        fillers = [
            constant(each[0][1], each[0][2]) if each else NOTHING for each in numbers.columns[2:]
        ]
        return sharp[0], number_of(numbers.columns[1]), fillers


def _turned(
    terms: Sequence[tuple[tuple[Fact, Fact], Fraction, Fraction]],
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


def hands_of(entries: Sequence[Entry], stream: Stream, count: int) -> Hands | None:
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
