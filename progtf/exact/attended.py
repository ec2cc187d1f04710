"""The heads of a layer: what they add together, and what is judged and noted of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from progtf.building.heads.nulls import NATS, SHARPEST
from progtf.exact import problems
from progtf.exact.channels import Channels, Retrieved, added_by_heads
from progtf.exact.exclusive import Known
from progtf.exact.heads import Attention, Sight, Update, Written, attend
from progtf.exact.report import HeadRow, shown
from progtf.exact.settle import Writer, nothing, settled
from progtf.exact.sighted import sight_of, told
from progtf.exact.stream import Bound, Stream
from progtf.exact.walk import Walk
from progtf.exact.witness import Witness, by_head
from progtf.program.forms import power_of_two_above
from progtf.program.model import Head
from progtf.program.outcome import Held, place_of

_LEAKY = 0.25  # of a step
_SMOOTH = 1e-3  # of a number without steps


@dataclass(frozen=True, eq=False)
class Attended:
    """Heads of a layer that all read the same."""

    walk: Walk
    heads: Sequence[Written]
    place: str

    def behind(self, stream: Stream, memory: Stream | None) -> Stream:
        """The stream behind the heads; ``memory``: what they read, if that is the encoder's."""
        heads, place = self.heads, self.place
        sight = sight_of(self.walk, heads, stream, memory, place)
        made: list[tuple[Written, Retrieved]] = []
        written: dict[str, list[tuple[Head, Update]]] = {}
        notes: dict[int, tuple[int, ...]] = {}
        for each in heads:
            attention, retrieved = self._retrieved(each, sight)
            made.append((each, retrieved))
            head = each.head
            notes[id(head)] = tuple(
                self.walk.report.assume(text, head.span, held)
                for text, held in self._taken(head, attention, retrieved.updates)
            )
            queries = [(f.query, sight.here) for f in head.features]
            for form, seen in (*queries, *((f.key, sight.there) for f in head.features)):
                notes[id(head)] += self.walk.promised([form], seen, head.span)
            self._judge(head, attention, retrieved.updates, sight.length)
            self._judge_sizes(head, attention, retrieved)
            self._note_head(head, attention, place)
            for update in retrieved.updates:
                written.setdefault(update.target, []).append((head, update))
                notes[id(head)] += self._on_the_way(update, head)
        added = self._together(made, written)
        bounds = stream.plus(added, self.walk.number)
        for seme, parts in written.items():
            column = self.walk.index[seme]
            bounds[column], noted = self._settle_heads(
                seme, parts, bounds[column], place, memory is None
            )
            notes[id(parts[0][0])] += noted
        self.walk.pure -= frozenset(written)
        _, known = self.walk.read(stream, memory)
        self._learn_copies([each.head for each in heads], written, known)
        for each in heads:
            self._note_assumed(each.head, place, notes[id(each.head)])
        return stream.put(bounds)

    def _retrieved(self, each: Written, sight: Sight) -> tuple[Attention, Retrieved]:
        """What a head finds: equal matches are 1, 2, 4 ... in number where that may be taken."""
        seen, taken = told(self.walk, each.head, sight, self.place), self.walk.taken
        key = f"{each.head.name} {place_of(each.head.span)}"
        looks = bool(each.head.features)  # a head that looks for nothing is to read a mean
        may_be = seen.few and taken.few and looks and key not in taken.spared
        attention = attend(each, replace(seen, few=may_be))
        if attention.few or attention.single:
            self.walk.more[key] = None
        return attention, Channels(each, attention, sight).retrieved()

    def _together(
        self,
        made: Sequence[tuple[Written, Retrieved]],
        written: Mapping[str, Sequence[tuple[Head, Update]]],
    ) -> dict[int, Bound]:
        """What all heads add to each column, sums of the map out of them included."""
        sums, columns = added_by_heads(made, self.walk.number)
        found: dict[int, Bound] = {}
        for place, column in enumerate(columns):
            name = self.walk.program.space.names[column] if column < len(self.walk.index) else ""
            parts = [update.bound for _, update in written.get(name, ())]
            kept = all(part.kept for part in parts)
            found[column] = Bound(
                sum(part.low for part in parts), sum(part.high for part in parts),
                min((part.grid for part in parts), default=math.inf),
                float(sums.error[place] + sums.lost[place]), kept,
                parts[0].relative if len(parts) == 1 else 0.0, float(sums.stray[place]),
            )  # fmt: skip
        return found

    def _on_the_way(self, update: Update, head: Head) -> tuple[int, ...]:
        """The assumption that a sum over tokens does not leave the format before it is complete."""
        if update.limit == math.inf:
            return ()
        text = f"what adds up to {shown(update.target)} stays below {update.limit:,.0f} on the way"
        held = Held("sum", update.target, least=update.limit)
        return (self.walk.report.assume(text, head.span, held),)

    def _learn_copies(
        self,
        heads: Sequence[Head],
        written: Mapping[str, Sequence[tuple[Head, Update]]],
        there: Known,
    ) -> None:
        """What is known of flags that one head copies from the tokens it reads."""
        copies = {
            seme: cases
            for number, head in enumerate(heads, start=1000 * self.walk.known.written.total())
            for channel, cases in self.walk.known.copied(head, there, number)
            for seme, factor in channel.writes.items()
            if factor == 1 and seme in self.walk.stepped and seme not in self.walk.weak
        }
        for seme, parts in written.items():
            alone = len(parts) == 1 and parts[0][1].bound.low >= 0
            writers = len({id(head) for head, _ in parts})
            self.walk.known.write(seme, copies.get(seme) if alone else None, writers)

    def _taken(
        self, head: Head, found: Attention, added: Sequence[Update]
    ) -> Iterator[tuple[str, Held]]:
        """What the attention of a head takes for granted, in words, and what these say."""
        yield from found.search.assumed.items()
        hands = self.walk.hands
        if any(update.single or update.tied and update.target in hands for update in added):
            yield f"head `{head.name}` finds one token", Held.of_head("one", head)
        elif found.few:
            words = f"head `{head.name}` finds 1, 2, 4, 8 ... tokens: exact shares"
            yield words, Held.of_head("few", head)

    def _settle_heads(
        self,
        seme: str,
        parts: Sequence[tuple[Head, Update]],
        bound: Bound,
        place: str,
        own: bool,
    ) -> tuple[Bound, tuple[int, ...]]:
        if seme not in self.walk.needed:
            return bound, ()
        head = next((h for h, update in parts if update.tied), parts[0][0])
        alone = own and len({id(h) for h, _ in parts}) == 1 and self._first(head, seme)
        alone = alone and bool(head.features)  # a head that looks for nothing is to read a mean
        causal = place.startswith("decoder")
        look = partial(self._witness, head, causal=causal, length=self.walk.tokens(place))
        tied = any(update.tied for _, update in parts)
        writer = Writer(head.span, tied, bool(head.features), look if alone else nothing)
        if self._turns(seme, parts):
            return bound._replace(low=-1.0, high=1.0, kept=True), ()
        return settled(seme, bound, writer, self.walk)

    def _turns(self, seme: str, parts: Sequence[tuple[Head, Update]]) -> bool:
        """Whether a seme is a hand of the distance to the one token that one head reads, and
        nothing else has written it: cos² + sin² is 1, which intervals do not know.
        """
        alone = self.walk.known.written[seme] == 0 and len({id(head) for head, _ in parts}) == 1
        return alone and seme in self.walk.hands

    def _witness(self, head: Head, seme: str, *, causal: bool, length: int) -> Witness | None:
        """An input of a few tokens for which a head writes what it must not; sought once a head."""
        if id(head) not in self.walk.witnesses:
            written = {seme for channel in head.channels for seme in channel.writes}
            semes = sorted(written & self.walk.needed)
            self.walk.witnesses[id(head)] = by_head(
                self.walk.program, head, semes, causal=causal, length=length
            )
        return self.walk.witnesses[id(head)].get(seme)

    def _first(self, head: Head, seme: str) -> bool:
        """Whether everything that a head reads is still what the lexicon gives."""
        forms = [form for f in head.features for form in (f.query, f.key)]
        forms += [form for c in head.channels for form in (c.filler, c.role)]
        reads = {name for form in forms for name in form.coefficients}
        return reads | {seme} <= self.walk.pure and self.walk.program.norm != "round"

    def _judge(self, head: Head, found: Attention, added: Sequence[Update], length: int) -> None:
        """A head is refused if its leak is seen in what it writes."""
        if not any(self._is_seen(update) for update in added):
            return
        address = found.search.address
        name = head.name or "(unnamed)"
        proven = not head.sharpness * found.search.gap >= NATS / 2
        if address is not None and (address <= 2 * found.error or NATS / address > SHARPEST):
            problem = problems.clock_gap(head.span, name, address, found.error, length)
        else:
            left = found.search.gap - 2 * found.error
            needed = power_of_two_above(NATS / max(left, 1e-9)) if left > 0 else SHARPEST
            worst = max(found.gap, 0.0), found.leak
            problem = problems.attention_leak(
                head.span, name, worst, length, needed, head.sharpness
            )
        self.walk.refuse(problem, proven=proven)

    def _judge_sizes(self, head: Head, found: Attention, retrieved: Retrieved) -> None:
        """A head is refused if it may come to a number that no format has."""
        sizes = np.append(
            np.maximum(-retrieved.products.low, retrieved.products.high), retrieved.largest
        )
        self.walk.overflows(sizes, head.span, f"what head `{head.name}` reads and writes")
        if not found.finite:
            self.walk.overflows(
                np.array([math.inf]), head.span, f"the scores of head `{head.name}`"
            )

    def _is_seen(self, update: Update) -> bool:
        step = self.walk.program.space.ranges[update.target].grain
        spread = update.bound.high - update.bound.low
        allowed = _LEAKY * step if step else _SMOOTH * max(1.0, spread)
        return update.leaked > allowed

    def _note_head(self, head: Head, found: Attention, place: str) -> None:
        row = HeadRow(place, head.name, found.gap, found.leak, found.search.address, (), head.span)
        key = place, id(head)
        rows, places = self.walk.report.heads, self.walk.head_rows
        if key not in places:
            places[key] = len(rows)
            rows.append(row)
        elif row.gap < rows[places[key]].gap:
            rows[places[key]] = row

    def _note_assumed(self, head: Head, place: str, notes: tuple[int, ...]) -> None:
        number = self.walk.head_rows[place, id(head)]
        old = self.walk.report.heads[number]
        self.walk.report.heads[number] = replace(old, assumed=tuple(sorted({*old.assumed, *notes})))
