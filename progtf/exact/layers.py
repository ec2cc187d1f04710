"""Layer by layer: heads and rules at their worst, and the stream that they leave behind."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from operator import is_not

import numpy as np

from progtf.building.heads.nulls import NATS, SHARPEST
from progtf.exact import problems
from progtf.exact.channels import Channels, Retrieved, added_by_heads
from progtf.exact.entries import Entries
from progtf.exact.exclusive import ANY, MOST_LINES, Cases, Known, exclusive
from progtf.exact.feedforward import Block, feed
from progtf.exact.formats import FORMATS
from progtf.exact.heads import Attention, Sight, Update, Written, attend
from progtf.exact.lemmas import lost_in_sum
from progtf.exact.needed import depended_on
from progtf.exact.report import HeadRow, Report, RuleRow
from progtf.exact.rules import PLATEAU, RuleBound
from progtf.exact.settle import SLACK, Writer, settled, shown
from progtf.exact.stream import HUGE, Bound, Stream, on_steps, vectors
from progtf.exact.witness import Witness, by_head, by_rules
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.program.clocks import address_gap
from progtf.program.forms import FLAG, Form, Values, power_of_two_above
from progtf.program.model import BOS, EOS, Dense, Head, Layer, Line, Program, Rule, Stage
from progtf.weights.layout import LayerLayout, Placed
from progtf.weights.maps import Map, Path
from progtf.weights.weights import Weights

_LEAKY = 0.25  # of a step
_SMOOTH = 1e-3  # of a number without steps
Made = dict[Path, object]


class Walk:
    """One way through a program; what is found goes to ``report``.

    Attributes:
        number: how weights are stored.
        lengths: of the longest input and of the longest output, in tokens.
        few: whether tokens that match equally may be taken to be 1, 2, 4 ... in number; if not, the
            first problem ends it.
        made: heads and blocks with their entries, kept from one walk to the next.
        pure: the semes that still have what the lexicon gives them.
        known: which flags exclude each other; ``remembered``: the same behind the encoder.
    """

    def __init__(
        self,
        program: Program,
        weights: tuple[Weights, Weights],
        lengths: tuple[int, int],
        report: Report,
        *,
        few: bool = False,
        made: Made,
    ) -> None:
        self.program = program
        self.meant, self.runs = weights
        self.number = FORMATS[report.dtype]
        self.lengths = lengths
        self.report = report
        self.few = few
        self.needed = depended_on(program)
        self.ranges = {name: program.space.ranges[name] for name in self.needed}
        self.stepped = frozenset(name for name, values in self.ranges.items() if values.grain)
        self.held = self.needed | frozenset(program.space.names[program.semes :])
        self.pure = frozenset(program.space.names)
        self.known = self.remembered = Known.of(program, max(lengths))
        self.index = program.space.index
        self._witnesses: dict[int, dict[str, Witness]] = {}
        self._heads: dict[tuple[str, int], int] = {}
        self._rules: dict[tuple[str, str, int], int] = {}
        self._made = made
        self._split: dict[str, tuple[list[Cases], list[list[int]]]] = {}

    # -------------------------------------------------------------- stacks

    def stack(self, name: str, stream: Stream, memory: Stream | None) -> Stream:
        """The stream behind all layers of an encoder or decoder."""
        self.pure = frozenset(self.program.space.names)
        self.remembered = self.known
        self.known = Known.of(self.program, max(self.lengths))
        written: Sequence[Stage] = getattr(self.program, name)
        for placed in self.meant.layout.stages():
            if placed.stack != name or placed.number > len(written):
                continue
            if not self.few and not self.report.exact:
                break  # it is gone through once more
            stage = written[placed.number - 1]
            if isinstance(stage, Dense):
                stream = self._dense(placed, stage, stream)
                continue
            for _ in range(stage.repeat):
                before = stream
                stream = self._layer(placed, stage, stream, memory)
                if stream.same(before):
                    break
        return stream

    def tokens(self, place: str) -> int:
        """How many tokens a stack sees at most."""
        if self.program.kind == "decoder":
            return sum(self.lengths)
        return self.lengths[1] + 1 if place.startswith("decoder") else self.lengths[0]

    def maps(self, path: Path) -> dict[str, tuple[Map, Map]]:
        """The maps of a path, each as it is meant and as it runs."""
        runs = self.runs.at(path)
        return {name: (each, runs[name]) for name, each in self.meant.at(path).items()}

    def _dense(self, placed: Placed, stage: Dense, stream: Stream) -> Stream:
        maps = self.maps(placed.path)
        entries = Entries.of([maps["weights"], maps["bias"]], self.program.width)
        sums = entries.sums(stream.terms, self.number)
        semes = np.arange(self.program.width) < self.program.semes
        low, high = sums.low, sums.high
        if stage.relu:
            low, high = np.maximum(low, 0), np.maximum(high, 0)
        self.pure = frozenset[str]()
        self.known.forget()
        self.held = frozenset(self.program.space.names[self.program.semes :])
        return Stream(
            np.where(semes, low, stream.low), np.where(semes, high, stream.high),
            np.where(semes, sums.grid, stream.grid),
            np.where(semes, sums.error + sums.lost, stream.error),
            stream.kept & ~semes | self.on_grid(sums.grid) & semes, np.zeros_like(low),
            np.where(semes, sums.error + sums.lost, stream.stray), np.full(len(low), -1.0),
        )  # fmt: skip

    def on_grid(self, grid: np.ndarray) -> np.ndarray:
        """Of every column whether multiples of its grid are whole steps."""
        ranges = self.program.space.ranges
        kept = np.zeros(self.program.width, dtype=bool)
        for column, name in enumerate(self.program.space.names):
            grain = ranges[name].grain
            ratio = grid[column] / grain if grain else 1.0
            whole = np.isinf(ratio) or (ratio >= 1 and ratio == round(ratio))
            kept[column] = whole and on_steps(0.0, ranges[name])
        return kept

    def _layer(self, placed: Placed, layer: Layer, stream: Stream, memory: Stream | None) -> Stream:
        place = f"{placed.stack} / {layer.name}"
        assert isinstance(placed.stage, LayerLayout)
        for heads, layouts, other in (
            (layer.heads, placed.stage.own, None), (layer.cross, placed.stage.cross, memory),
        ):  # fmt: skip
            labels = [each.label for each in layouts]
            written = [
                self._written((*placed.path, label), head)
                for label, head in zip(labels, heads, strict=True)
                if not head.learned
            ]
            if written:
                stream = self._attend(written, stream, other, place)
        if layer.feedforward is not None:
            stream = self._feed(placed, layer, stream, place)
        return stream

    def _written(self, path: Path, head: Head) -> Written:
        if path not in self._made:
            self._made[path] = Written.of(path, head, self.maps(path), self.program.width)
        made = self._made[path]
        assert isinstance(made, Written)
        return made

    def _seen(self, stream: Stream, known: Known) -> Stream:
        """What sub-layers read, with what excludes each other in it."""
        read = stream.rounded() if self.program.norm == "round" else stream
        return replace(read, group=self._groups(known))

    def _groups(self, known: Known) -> np.ndarray:
        """Of the flags of a family that exclude each other the same number."""
        group = np.full(self.program.width, -1.0)
        number = 0
        for names in self._families:
            cases = [known.cases.get(name, ANY) for name in names]
            if len(names) > MOST_LINES or any(case == ANY for case in cases):
                continue
            for members in self._apart(names[0], cases):
                group[[self.index[names[m]] for m in members]] = number
                number += 1
        return group

    def _apart(self, family: str, cases: list[Cases]) -> list[list[int]]:
        """The members of a family in groups that exclude each other, anew if a case is new."""
        before, groups = self._split.get(family, ([], []))
        if len(before) != len(cases) or any(map(is_not, before, cases)):
            groups = list(exclusive(cases))
            self._split[family] = cases, groups
        return groups

    @cached_property
    def _families(self) -> list[list[str]]:
        stems: dict[str, list[str]] = {}
        for name, values in self.program.space.ranges.items():
            if "[" in name and values == FLAG:
                stems.setdefault(name.partition("[")[0], []).append(name)
        return [names for names in stems.values() if len(names) > 1]

    # -------------------------------------------------------------- heads

    def _attend(
        self, heads: Sequence[Written], stream: Stream, memory: Stream | None, place: str
    ) -> Stream:
        """The stream behind some heads, which all read the same."""
        sight = self._sight(heads, stream, memory, place)
        made: list[tuple[Written, Retrieved]] = []
        written: dict[str, list[tuple[Head, Update]]] = {}
        notes: dict[int, tuple[int, ...]] = {}
        for each in heads:
            attention = attend(each, self._told(each.head, sight))
            retrieved = Channels(each, attention, sight).retrieved()
            made.append((each, retrieved))
            head = each.head
            notes[id(head)] = tuple(
                self.report.assume(text, head.span)
                for text in self._taken(head, attention, retrieved.updates)
            )
            told = [(f.query, sight.here) for f in head.features]
            for form, seen in (*told, *((f.key, sight.there) for f in head.features)):
                notes[id(head)] += self.promised([form], seen, head.span)
            self._judge(head, attention, retrieved.updates, sight.length)
            self._note_head(head, attention, place)
            for update in retrieved.updates:
                written.setdefault(update.target, []).append((head, update))
                notes[id(head)] += self._on_the_way(update, head)
        added = self._together(made, written)
        bounds = self._added(stream, added)
        for seme, parts in written.items():
            column = self.index[seme]
            bounds[column], noted = self._settle_heads(
                seme, parts, bounds[column], place, memory is None
            )
            notes[id(parts[0][0])] += noted
        self.pure -= frozenset(written)
        self._learn_copies(
            [each.head for each in heads],
            written,
            self.known if memory is None else self.remembered,
        )
        for each in heads:
            self._note_assumed(each.head, place, notes[id(each.head)])
        return stream.put(bounds)

    def _sight(
        self, heads: Sequence[Written], stream: Stream, memory: Stream | None, place: str
    ) -> Sight:
        other = self.known if memory is None else self.remembered
        there = self._seen(stream if memory is None else memory, other)
        return Sight(
            self._seen(stream, self.known), there, self.program.space,
            self.tokens(place) if memory is None else self.lengths[0],
            self.number, self.stepped, self.few,
            self._limits([each.head for each in heads], stream), self.program.binding,
        )  # fmt: skip

    def _told(self, head: Head, sight: Sight) -> Sight:
        """With what the lexicon tells: whether what matches stands once in every text."""
        keys = {n for f in head.features for n, factor in f.key.coefficients.items() if factor}
        queries = {n for f in head.features for n, factor in f.query.coefficients.items() if factor}
        if not keys | queries <= self.pure or any(part.periods for part in head.parts):
            return sight
        always = head.look in ("all", "upto") and not queries
        choosy = queries if head.normalize == "queries" else keys
        found = head.null is not None or head.normalize == "queries" or always
        alone = bool(choosy) and choosy <= self._ends and found
        return replace(
            sight, alone=alone, few=sight.few and (alone or not self._shows(head, sight))
        )

    def _shows(self, head: Head, sight: Sight) -> bool:
        """Whether three alike tokens, which any text may have, would be seen in what is written."""
        ranges = self.program.space.ranges
        each = (ranges[seme] for channel in head.channels for seme in channel.writes)
        share = (sight.length + 1) * sight.number.roundoff
        return any(
            values.grain and share * max(-values.low, values.high) >= PLATEAU * values.grain
            for values in each
        )

    @cached_property
    def _ends(self) -> frozenset[str]:
        """The semes that one token alone has, which stands once in every text."""
        found: dict[str, set[str]] = {}
        for token, vector in vectors(self.program):
            for seme, value in vector.items():
                if value:
                    found.setdefault(seme, set()).add(token)
        spelled = {seme for vector in self.program.spelled for seme in vector}
        return frozenset(
            seme for seme, tokens in found.items()
            if len(tokens) == 1 and tokens <= {BOS, EOS} and seme not in spelled
        )  # fmt: skip

    def _together(
        self,
        made: Sequence[tuple[Written, Retrieved]],
        written: Mapping[str, Sequence[tuple[Head, Update]]],
    ) -> dict[int, Bound]:
        """What all heads add to each column, sums of the map out of them included."""
        sums, columns = added_by_heads(made, self.number)
        found: dict[int, Bound] = {}
        for place, column in enumerate(columns):
            name = self.program.space.names[column] if column < len(self.index) else ""
            parts = [update.bound for _, update in written.get(name, ())]
            kept = all(part.kept for part in parts)
            found[column] = Bound(
                sum(part.low for part in parts), sum(part.high for part in parts),
                min((part.grid for part in parts), default=math.inf),
                float(sums.error[place] + sums.lost[place]), kept,
                parts[0].relative if len(parts) == 1 else 0.0, float(sums.stray[place]),
            )  # fmt: skip
        return found

    def _added(self, stream: Stream, added: Mapping[int, Bound]) -> dict[int, Bound]:
        """The residual with what is added to some columns (lemmas 1 to 3)."""
        if not added:
            return {}
        columns = np.fromiter(added, dtype=np.int64)
        low, high, grid, error, kept, relative, stray = (
            np.array(each) for each in zip(*added.values(), strict=True)
        )
        one_sided = (low >= 0) & (stream.low[columns] >= 0) | (high <= 0) & (
            stream.high[columns] <= 0
        )
        stray = np.where(one_sided, stray + stream.stray[columns], HUGE)
        before = [np.maximum(-stream.low, stream.high)[columns] + stream.error[columns]]
        sizes = (before[0], np.maximum(-low, high) + error)
        terms = np.sum([size > 0 for size in sizes], axis=0)
        grid = np.minimum(grid, stream.grid[columns])
        error = error + stream.error[columns]
        most = sizes[0] + sizes[1]
        lost = lost_in_sum(terms, most, np.zeros_like(most), grid, error, self.number)
        parts = zip(
            columns.tolist(), np.maximum(stream.low[columns] + low, -HUGE).tolist(),
            np.minimum(stream.high[columns] + high, HUGE).tolist(), grid.tolist(),
            np.minimum(error + lost, HUGE).tolist(), (stream.kept[columns] & kept).tolist(),
            np.where(before[0] > 0, 0.0, relative).tolist(),
            np.minimum(stray, np.minimum(error + lost, HUGE)).tolist(), strict=True,
        )  # fmt: skip
        return {column: Bound(*bound) for column, *bound in parts}

    def promised(self, forms: Iterable[Form], stream: Stream, span: Span) -> tuple[int, ...]:
        """The assumptions that semes keep to what is declared, where something is told by it."""
        notes: list[int] = []
        for name in dict.fromkeys(n for form in forms for n, f in form.coefficients.items() if f):
            bound, values = stream.at(self.index[name]), self.program.space.ranges[name]
            if bound.low < values.low - SLACK or bound.high > values.high + SLACK:
                text = f"{shown(name)} stays in {values.low:g}..{values.high:g}"
                notes.append(self.report.assume(text, span))
            if values.grain and not bound.kept:
                text = f"{shown(name)} keeps to its steps of {values.grain:g}"
                notes.append(self.report.assume(text, span))
        return tuple(notes)

    def _on_the_way(self, update: Update, head: Head) -> tuple[int, ...]:
        """The assumption that a sum over tokens does not leave the format before it is complete."""
        if update.limit == math.inf:
            return ()
        text = f"what adds up to {shown(update.target)} stays below {update.limit:,.0f} on the way"
        return (self.report.assume(text, head.span),)

    def _limits(self, heads: Sequence[Head], stream: Stream) -> Mapping[str, Values]:
        """The ranges of what one channel of one head writes, and nothing before it."""
        writers = Counter(s for head in heads for c in head.channels for s in c.writes)
        writers.update(seme for head in heads for seme in head.bias)
        single = (s for s, count in writers.items() if count == 1 and s in self.stepped)
        zero = {s for s in single if stream.at(self.index[s]).size == 0}
        return {seme: self.ranges[seme] for seme in zero}

    def _learn_copies(
        self,
        heads: Sequence[Head],
        written: Mapping[str, Sequence[tuple[Head, Update]]],
        there: Known,
    ) -> None:
        """What is known of flags that one head copies from the tokens it reads."""
        copies = {
            seme: self.known.copied(head, channel, there, number)
            for number, head in enumerate(heads, start=1000 * self.known.written.total())
            for channel in head.channels
            for seme, factor in channel.writes.items()
            if factor == 1 and seme in self.stepped
        }
        for seme, parts in written.items():
            alone = len(parts) == 1 and parts[0][1].bound.low >= 0
            writers = len({id(head) for head, _ in parts})
            self.known.write(seme, copies.get(seme) if alone else None, writers)

    def _taken(self, head: Head, found: Attention, added: Sequence[Update]) -> Iterator[str]:
        """What the attention of a head takes for granted."""
        yield from found.search.assumed
        if any(update.single for update in added):
            yield f"head `{head.name}` finds one token"
        elif found.few:
            yield f"head `{head.name}` finds 1, 2, 4, 8 ... tokens: exact shares"

    def _settle_heads(
        self,
        seme: str,
        parts: Sequence[tuple[Head, Update]],
        bound: Bound,
        place: str,
        own: bool,
    ) -> tuple[Bound, tuple[int, ...]]:
        if seme not in self.needed:
            return bound, ()
        head = next((h for h, update in parts if update.tied), parts[0][0])
        alone = own and len({id(h) for h, _ in parts}) == 1 and self._first(head, seme)
        alone = alone and bool(head.features)  # a head that looks for nothing is to read a mean
        causal = place.startswith("decoder")
        look = partial(self._witness, head, causal=causal, length=self.tokens(place))
        tied = any(update.tied for _, update in parts)
        writer = Writer(head.span, tied, bool(head.features), look if alone else _nothing)
        return settled(seme, bound, writer, self.program, self.report)

    def _witness(self, head: Head, seme: str, *, causal: bool, length: int) -> Witness | None:
        """An input of a few tokens for which a head writes what it must not; sought once a head."""
        if id(head) not in self._witnesses:
            written = {seme for channel in head.channels for seme in channel.writes}
            semes = sorted(written & self.needed)
            self._witnesses[id(head)] = by_head(
                self.program, head, semes, causal=causal, length=length
            )
        return self._witnesses[id(head)].get(seme)

    def _first(self, head: Head, seme: str) -> bool:
        """Whether everything that a head reads is still what the lexicon gives."""
        forms = [form for f in head.features for form in (f.query, f.key)]
        forms += [form for c in head.channels for form in (c.filler, c.role)]
        reads = {name for form in forms for name in form.coefficients}
        return reads | {seme} <= self.pure and self.program.norm != "round"

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
        self._object(problem, proven=proven)

    def _object(self, problem: Diagnostic, *, proven: bool) -> None:
        """Something is refused: because it is wrong, or because a bound could not be derived."""
        found = self.report.found if proven else self.report.unproven
        if all((d.code, d.span) != (problem.code, problem.span) for d in found):
            found.append(problem if proven else problems.unproven(problem))

    def _is_seen(self, update: Update) -> bool:
        step = self.program.space.ranges[update.target].grain
        spread = update.bound.high - update.bound.low
        allowed = _LEAKY * step if step else _SMOOTH * max(1.0, spread)
        return update.leaked > allowed

    def _note_head(self, head: Head, found: Attention, place: str) -> None:
        row = HeadRow(place, head.name, found.gap, found.leak, found.search.address, (), head.span)
        key = place, id(head)
        if key not in self._heads:
            self._heads[key] = len(self.report.heads)
            self.report.heads.append(row)
        elif row.gap < self.report.heads[self._heads[key]].gap:
            self.report.heads[self._heads[key]] = row

    def _note_assumed(self, head: Head, place: str, notes: tuple[int, ...]) -> None:
        number = self._heads[place, id(head)]
        old = self.report.heads[number]
        self.report.heads[number] = replace(old, assumed=tuple(sorted({*old.assumed, *notes})))

    # -------------------------------------------------------------- rules

    def _block(self, placed: Placed, layer: Layer) -> Block:
        path = (*placed.path, "feedforward")
        if path not in self._made:
            assert layer.feedforward is not None
            maps = self.maps(path)
            self._made[path] = Block.of(path, layer.feedforward, maps, self.program.width)
        made = self._made[path]
        assert isinstance(made, Block)
        return made

    def _feed(self, placed: Placed, layer: Layer, stream: Stream, place: str) -> Stream:
        """The stream behind a feed-forward block."""
        block, seen = self._block(placed, layer), self._seen(stream, self.known)
        fed = feed(block, seen, self.known, self.held, self.program.space, self.number)
        ideal = fed.bounds
        if any(bound.refused for bound in fed.bounds):
            space, exactly = self.program.space, seen.exactly()
            ideal = feed(block, exactly, self.known, self.held, space, self.number).bounds
        bounds = self._added(stream, fed.added)
        writers: dict[str, Line] = {}
        for line, _ in block.lines:
            for seme in line.writes:
                writers.setdefault(seme, line)
        notes: dict[str, tuple[int, ...]] = {}
        for column in bounds:
            seme = self.program.space.names[column]
            if seme in self.needed:
                bounds[column], notes[seme] = self._settle_rule(
                    seme, bounds[column], block, writers.get(seme)
                )
        for line, places in block.lines:
            noted = {n for seme in line.writes for n in notes.get(seme, ())}
            error = max(
                (fed.added[self.index[s]].error for s in line.writes if self.index[s] in fed.added),
                default=0.0,
            )
            found = [self._stretched(block.rules.rules[p], fed.bounds[p]) for p in places]
            never = any(ideal[p].refused for p in places)
            self._note_line(line, found, error, noted, place, never=never)
        names = frozenset(self.program.space.names[column] for column in fed.added)
        self.pure -= names
        self._learn_flags(block, names)
        return stream.put(bounds)

    def _learn_flags(self, block: Block, added: frozenset[str]) -> None:
        """What is known of flags that lines write."""
        lines: dict[str, Cases] = {}
        for line, places in block.lines:
            if any(seme in self.stepped for seme in line.writes):
                holding = self.known.holding([block.rules.rules[place] for place in places])
                for seme in line.writes:
                    lines[seme] = (*lines.get(seme, ()), *holding)
        other = {seme for unit in block.rules.units for seme in unit.writes}
        other |= set(block.rules.bias or {})
        for seme in added:
            self.known.write(seme, None if seme in other else lines.get(seme))

    def _settle_rule(
        self, seme: str, bound: Bound, block: Block, line: Line | None
    ) -> tuple[Bound, tuple[int, ...]]:
        look: Callable[[str], Witness | None] = _nothing
        plain = not block.rules.units and not block.rules.bias and self.program.norm != "round"
        if line is not None and plain:
            look = partial(_by_rules, self.program, block.rules.rules, self.pure)
        span = line.span if line is not None else self.program.places.get(seme)
        if span is None:
            return bound, ()
        writer = Writer(span, tied=False, looks=True, witness=look)
        return settled(seme, bound, writer, self.program, self.report)

    def _stretched(self, rule: Rule, found: RuleBound) -> RuleBound:
        """A comparison of a distance, at a length beyond the declared one."""
        longest = max(self.lengths)
        if rule.curve is None or longest <= max(self.program.lengths) or found.margin is None:
            return found
        if not any(".cos[" in name for name in rule.curve.form.coefficients):
            return found
        names = rule.curve.form.coefficients
        periods = [float(n.partition(".cos[")[2].rstrip("]")) for n in names if ".cos[" in n]
        short = max(0.0, rule.curve.grain - address_gap(periods, 2 * longest))
        margin = found.margin - short / rule.curve.grain
        return replace(found, margin=margin, off=found.off + short)

    def _note_line(
        self,
        line: Line,
        bounds: Sequence[RuleBound],
        error: float,
        notes: set[int],
        place: str,
        *,
        never: bool,
    ) -> None:
        stepped = [bound for bound in bounds if bound.margin is not None]
        worst = min(stepped, key=lambda b: b.margin or 0.0, default=None)
        margin = None if worst is None else worst.margin
        key = place, line.span.source.name, line.span.line
        if worst is not None and margin is not None and margin < PLATEAU:
            problem = problems.threshold_margin(
                line.span, max(margin, 0.0), worst.off, worst.step, self.number.name
            )
            self._object(problem, proven=never)
        old = self.report.rules[self._rules[key]] if key in self._rules else None
        row = RuleRow(place, len(bounds), margin, error, tuple(sorted(notes)), line.span)
        if old is None:
            self._rules[key] = len(self.report.rules)
            self.report.rules.append(row)
        else:
            self.report.rules[self._rules[key]] = _joined(old, row)


def _joined(old: RuleRow, new: RuleRow) -> RuleRow:
    margins = [row.margin for row in (old, new) if row.margin is not None]
    both = tuple(sorted({*old.assumed, *new.assumed}))
    error = max(old.error, new.error)
    return RuleRow(
        old.place, old.count + new.count, min(margins, default=None), error, both, old.span
    )


def _nothing(_seme: str) -> Witness | None:
    return None


def _by_rules(
    program: Program, rules: Sequence[Rule], pure: frozenset[str], seme: str
) -> Witness | None:
    return by_rules(program, rules, seme, pure)
