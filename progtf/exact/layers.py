"""Layer by layer: heads and rules at their worst, and the stream that they leave behind."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from progtf.building.heads.nulls import NATS, SHARPEST
from progtf.exact import problems
from progtf.exact.bounds import PLATEAU, ZERO, Bound, RuleBound, State, read, total
from progtf.exact.exclusive import Cases, Known
from progtf.exact.formats import Format
from progtf.exact.heads import Attention, Sight, Update, attend, updates
from progtf.exact.report import HeadRow, Report, RuleRow
from progtf.exact.rules import Seen, block_updates, lines_of, rule_bound
from progtf.exact.settle import Writer, settled, shown
from progtf.exact.stream import depended_on, exactly, rounded
from progtf.exact.witness import Witness, by_head, by_rules
from progtf.notation.diagnostics import Diagnostic
from progtf.program.clocks import address_gap
from progtf.program.forms import Form, Values, power_of_two_above
from progtf.program.model import Dense, FeedForward, Head, Layer, Line, Program, Rule, Stage

_LEAKY = 0.25  # of a step
_SMOOTH = 1e-3  # of a number without steps


class Walk:
    """One way through a program; what is found goes to ``report``.

    Attributes:
        number: how weights are stored.
        lengths: of the longest input and of the longest output, in tokens.
        few: whether tokens that match equally are taken to be 1, 2, 4 ... in number.
        pure: the semes that still have what the lexicon gives them.
        known: which flags exclude each other; ``remembered``: the same behind the encoder.
    """

    def __init__(
        self,
        program: Program,
        number: Format,
        lengths: tuple[int, int],
        report: Report,
        *,
        few: bool = False,
    ) -> None:
        self.program = program
        self.number = number
        self.lengths = lengths
        self.report = report
        self.few = few
        self.needed = depended_on(program)
        self.ranges = {name: program.space.ranges[name] for name in self.needed}
        self.stepped = frozenset(name for name, values in self.ranges.items() if values.grain)
        self.pure = frozenset(program.space.names)
        self.known = self.remembered = Known.of(program, max(lengths))
        self._witnesses: dict[int, dict[str, Witness]] = {}
        self._heads: dict[tuple[str, int], int] = {}
        self._rules: dict[tuple[str, str, int], int] = {}

    # -------------------------------------------------------------- stacks

    def stack(
        self, name: str, stages: Sequence[Stage], state: State, memory: State
    ) -> dict[str, Bound]:
        """The stream behind all layers of an encoder or decoder."""
        self.pure = frozenset(self.program.space.names)
        self.remembered = self.known
        self.known = Known.of(self.program, max(self.lengths))
        stream = dict(state)
        for stage in stages:
            place = f"{name} / {stage.name}"
            match stage:
                case Dense():
                    stream = self._dense(stage, stream)
                case Layer():
                    for _ in range(stage.repeat):
                        before = stream
                        stream = self._layer(stage, stream, memory, place)
                        if stream == before:
                            break
        return stream

    def tokens(self, place: str) -> int:
        """How many tokens a stack sees at most."""
        if self.program.kind == "decoder":
            return sum(self.lengths)
        return self.lengths[1] + 1 if place.startswith("decoder") else self.lengths[0]

    def _dense(self, stage: Dense, state: State) -> dict[str, Bound]:
        semes = self.program.space.names[: self.program.semes]
        stream = {name: read(stage.weights.get(name, Form()), state, self.number) for name in semes}
        if stage.relu:
            stream = {
                n: b._replace(low=max(0.0, b.low), high=max(0.0, b.high)) for n, b in stream.items()
            }
        self.pure = frozenset[str]()
        self.known.forget()
        return dict(state) | stream

    def _layer(self, layer: Layer, state: State, memory: State, place: str) -> dict[str, Bound]:
        stream = self._attend(layer.heads, state, None, place)
        if layer.cross:
            stream = self._attend(layer.cross, stream, memory, place)
        if layer.feedforward is not None:
            stream = self._feed(layer.feedforward, stream, place)
        return stream

    def _seen(self, state: State) -> State:
        return rounded(state) if self.program.norm == "round" else state

    # -------------------------------------------------------------- heads

    def _attend(
        self, heads: Sequence[Head], state: State, memory: State | None, place: str
    ) -> dict[str, Bound]:
        """The stream behind some heads, which all read the same."""
        there = self._seen(state if memory is None else memory)
        length = self.tokens(place) if memory is None else self.lengths[0]
        sight = Sight(
            self._seen(state),
            there,
            self.program.space,
            length,
            self.number,
            self.stepped,
            self.few,
            self.known,
            self.known if memory is None else self.remembered,
            self._kept(heads, state),
        )
        written: dict[str, list[tuple[Head, Update]]] = {}
        notes: dict[int, tuple[int, ...]] = {}
        for head in heads:
            attention = attend(head, sight)
            added = list(updates(head, attention, sight))
            notes[id(head)] = tuple(self.report.assume(a) for a in self._taken(head, attention))
            if self._judge(head, attention, added, length):
                added = [update.tight() for update in added]
            self._note_head(head, attention, place)
            for update in added:
                written.setdefault(update.target, []).append((head, update))
                notes[id(head)] += self._on_the_way(update)
        stream = dict(state)
        for seme, parts in written.items():
            stream[seme] = total([state[seme], *(u.bound for _, u in parts)], self.number)
            for head, noted in self._settle_heads(seme, parts, stream, place, memory is None):
                notes[id(head)] += noted
        self.pure -= frozenset(written)
        self._learn_copies(heads, written, sight.theirs)
        for head in heads:
            self._note_assumed(head, place, notes[id(head)])
        return stream

    def _on_the_way(self, update: Update) -> tuple[int, ...]:
        """The assumption that a sum over tokens does not leave the format before it is complete."""
        if update.limit == math.inf:
            return ()
        text = f"what adds up to {shown(update.target)} stays below {update.limit:,.0f} on the way"
        return (self.report.assume(text),)

    def _kept(self, heads: Sequence[Head], state: State) -> Mapping[str, Values]:
        """The ranges of what one channel of one head writes, and nothing before it."""
        writers = Counter(s for head in heads for c in head.channels for s in c.writes)
        writers.update(seme for head in heads for seme in head.bias)
        single = (s for s, count in writers.items() if count == 1 and state[s] == ZERO)
        return {seme: self.ranges[seme] for seme in single if seme in self.stepped}

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

    def _taken(self, head: Head, found: Attention) -> Iterator[str]:
        """What the attention of a head takes for granted."""
        yield from found.search.assumed
        moving = any(channel.filler.coefficients for channel in head.channels)
        if self.few and moving and not found.search.unique:
            yield f"head `{head.name}` finds 1, 2, 4 ... tokens that match equally: exact shares"

    def _settle_heads(
        self,
        seme: str,
        parts: list[tuple[Head, Update]],
        stream: dict[str, Bound],
        place: str,
        own: bool,
    ) -> list[tuple[Head, tuple[int, ...]]]:
        if seme not in self.needed:
            return []
        head = next((h for h, update in parts if update.tied), parts[0][0])
        alone = own and len({id(h) for h, _ in parts}) == 1 and self._first(head, seme)
        alone = alone and bool(head.features)  # a head that looks for nothing is to read a mean
        causal = place.startswith("decoder")
        look = partial(self._witness, head, causal=causal, length=self.tokens(place))
        tied = any(update.tied and h.features for h, update in parts)
        writer = Writer(head.span, tied, look if alone else _nothing)
        stream[seme], notes = settled(seme, stream[seme], writer, self.program, self.report)
        return [(head, notes)]

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

    def _judge(self, head: Head, found: Attention, added: list[Update], length: int) -> bool:
        """Whether a head is refused because its leak is seen in what it writes."""
        if not any(self._is_seen(update) for update in added):
            return False
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
        return True

    def _object(self, problem: Diagnostic, *, proven: bool) -> None:
        """Something is refused: because it is wrong, or because a bound could not be derived."""
        found = self.report.found if proven else self.report.unproven
        if all((d.code, d.span) != (problem.code, problem.span) for d in found):
            found.append(problem if proven else problems.unproven(problem))

    def _is_seen(self, update: Update) -> bool:
        step = self.program.space.ranges[update.target].grain
        allowed = _LEAKY * step if step else _SMOOTH * max(1.0, update.bound.spread)
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
        both = tuple(sorted({*old.assumed, *notes}))
        self.report.heads[number] = HeadRow(
            old.place, old.name, old.gap, old.leak, old.address, both, old.span
        )

    # -------------------------------------------------------------- rules

    def _feed(self, block: FeedForward, state: State, place: str) -> dict[str, Bound]:
        """The stream behind a feed-forward block."""
        seen = self._seen(state)
        bounds = {
            number: self._stretched(rule, rule_bound(rule, seen, self.number))
            for number, rule in enumerate(block.rules)
        }
        held = {number: bound.tight() for number, bound in bounds.items()}
        added = block_updates(block, held, seen, Seen(self.number, self.ranges, self.known))
        stream = dict(state)
        notes: dict[str, tuple[int, ...]] = {}
        writers: dict[str, Line] = {}
        for line, _ in lines_of(block):
            for seme in line.writes:
                writers.setdefault(seme, line)
        for seme, bound in added.items():
            stream[seme] = total((state[seme], bound), self.number)
            if seme in self.needed:
                stream[seme], notes[seme] = self._settle_rule(
                    seme, stream[seme], block, writers.get(seme)
                )
        for line, places in lines_of(block):
            noted = {n for seme in line.writes for n in notes.get(seme, ())}
            ideal = (rule_bound(block.rules[p], exactly(seen), self.number) for p in places)
            self._note_line(line, [bounds[p] for p in places], ideal, added, noted, place)
        self.pure -= frozenset(added)
        self._learn_flags(block, added)
        return stream

    def _learn_flags(self, block: FeedForward, added: Iterable[str]) -> None:
        """What is known of flags that lines write."""
        lines: dict[str, Cases] = {}
        for line, places in lines_of(block):
            if any(seme in self.stepped for seme in line.writes):
                holding = self.known.holding([block.rules[place] for place in places])
                for seme in line.writes:
                    lines[seme] = (*lines.get(seme, ()), *holding)
        other = {seme for unit in block.units for seme in unit.writes} | set(block.bias or {})
        for seme in added:
            self.known.write(seme, None if seme in other else lines.get(seme))

    def _settle_rule(
        self, seme: str, bound: Bound, block: FeedForward, line: Line | None
    ) -> tuple[Bound, tuple[int, ...]]:
        look: Callable[[str], Witness | None] = _nothing
        plain = not block.units and not block.bias and self.program.norm != "round"
        if line is not None and plain:
            look = partial(_by_rules, self.program, block.rules, self.pure)
        span = line.span if line is not None else self.program.places.get(seme)
        if span is None:
            return bound, ()
        return settled(seme, bound, Writer(span, False, look), self.program, self.report)

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
        ideal: Iterable[RuleBound],
        added: Mapping[str, Bound],
        notes: set[int],
        place: str,
    ) -> None:
        stepped = [bound for bound in bounds if bound.margin is not None]
        worst = min(stepped, key=lambda b: b.margin or 0.0, default=None)
        margin = None if worst is None else worst.margin
        error = max((added[seme].error for seme in line.writes), default=0.0)
        key = place, line.span.source.name, line.span.line
        if worst is not None and margin is not None and margin < PLATEAU:
            problem = problems.threshold_margin(
                line.span, max(margin, 0.0), worst.off, worst.step, self.number.name
            )
            margins = [bound.margin for bound in ideal if bound.margin is not None]
            self._object(problem, proven=min(margins) < PLATEAU)
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
