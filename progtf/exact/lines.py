"""The lines of a feed-forward block: what they add, and what is judged and noted of them."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from progtf.exact import problems
from progtf.exact.anew import Anew
from progtf.exact.exclusive import Case
from progtf.exact.feedforward import Fed, feed
from progtf.exact.report import RuleRow
from progtf.exact.rules import PLATEAU, RuleBound
from progtf.exact.settle import Writer, nothing, settled
from progtf.exact.stream import Bound, Stream, on_steps
from progtf.exact.units import Block
from progtf.exact.walk import Walk
from progtf.exact.within import Within
from progtf.exact.witness import Witness, by_rules
from progtf.program.clocks import address_gap
from progtf.program.forms import Values
from progtf.program.model import FeedForward, Line, Program, Rule
from progtf.rational import fraction_of
from progtf.weights.maps import Path


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of a block, and the rules and units that they come to."""

    walk: Walk
    block: Block
    place: str

    @classmethod
    def of(cls, walk: Walk, path: Path, rules: FeedForward, place: str) -> "Lines":
        """The block with this path, made once."""
        if path not in walk.made:
            walk.made[path] = Block.of(path, rules, walk.maps(path), walk.program.space)
        block = walk.made[path]
        assert isinstance(block, Block)
        return cls(walk, block, place)

    def behind(self, stream: Stream) -> Stream:
        """The stream behind the block."""
        walk, block, place = self.walk, self.block, self.place
        index, names_of = walk.index, walk.program.space.names
        seen = walk.seen(stream, walk.known)
        given = walk.held, walk.weak, walk.program.space, walk.number
        fed = feed(block, seen, walk.known, *given)
        ideal = fed.bounds
        if any(bound.refused for bound in fed.bounds):
            ideal = feed(block, seen.exactly(), walk.known, *given).bounds
        bounds = self._bounds(stream, fed)
        writers: dict[str, Line] = {}
        for line, _ in block.lines:
            for seme in line.writes:
                writers.setdefault(seme, line)
        notes: dict[str, tuple[int, ...]] = {}
        for column in bounds:
            seme = names_of[column]
            if seme in walk.needed:
                bounds[column], notes[seme] = self._settle_rule(
                    seme, bounds[column], block, writers.get(seme)
                )
        if fed.within is not None:
            self._judge_sizes(fed.within)
        doubtful = walk.doubtful(seen)
        for line, places in block.lines:
            noted = {n for seme in line.writes for n in notes.get(seme, ())}
            noted |= {n for p in places for n in self._read(p, seen, doubtful, fed.within, line)}
            error = max(
                (fed.added[index[s]].error for s in line.writes if index[s] in fed.added),
                default=0.0,
            )
            found = [self._stretched(block.rules.rules[p], fed.bounds[p]) for p in places]
            never = any(ideal[p].refused for p in places)
            self._note_line(line, found, error, noted, place, never=never)
        names = frozenset(names_of[column] for column in fed.added)
        walk.pure -= names
        self._learn_flags(fed, names)
        return stream.put(bounds)

    def _read(
        self,
        place: int,
        seen: Stream,
        doubtful: AbstractSet[str],
        within: Within | None,
        line: Line,
    ) -> tuple[int, ...]:
        """The assumptions that what a rule reads keeps to what is declared, where it is read."""
        rule, walk = self.block.rules.rules[place], self.walk
        gate, curve = rule.gate, rule.curve
        read = set[str]() if curve is None else {*curve.form.read.coefficients}
        if doubtful.isdisjoint(read) and doubtful.isdisjoint(gate.positive | gate.negative):
            return ()
        notes = walk.promised([gate.violations()], seen, line.span, read=True)
        if curve is None:
            return notes
        notes += walk.promised([curve.form], seen, line.span, read=True)
        gated = bool(gate.positive or gate.negative or line.held)
        if gated and within is not None and within.ends[1][place] > curve.high:
            notes += walk.never_0(curve.form, seen, line.span)  # a closed gate might leak
        return notes

    def _judge_sizes(self, within: Within) -> None:
        """A block is refused if a hidden unit may come to a number that no format has."""
        block, units = self.block, within.units
        assert block.outer is not None
        written = block.outer.sums(units.terms, self.walk.number).most
        largest = np.maximum(units.sums.most, np.abs(block.offsets))
        span = block.lines[0][0].span if block.lines else None
        self.walk.overflows(np.append(largest, written), span, "hidden units")

    def _bounds(self, stream: Stream, fed: Fed) -> dict[int, Bound]:
        """What there was and what is added, or what stands in its place."""
        bounds, space = stream.plus(fed.added, self.walk.number), self.walk.program.space
        as_it_is = self.walk.program.norm in ("none", "split")  # else it reads another number
        for column, anew in fed.anew.items():
            allowed = space.ranges[space.names[column]]
            old, added = stream.at(column), fed.added[column].error
            bound = _anew(bounds[column], old, anew, allowed)
            if anew.error is not None and as_it_is:
                lost = max(0.0, bound.error - old.error - added)
                error = max(old.error, anew.error + lost)
                bound = bound._replace(error=error, relative=0.0, stray=error)
            bounds[column] = bound
        return bounds

    def _learn_flags(self, fed: Fed, added: frozenset[str]) -> None:
        """What is known of flags that lines write."""
        block = self.block
        lines = defaultdict[str, list[Case]](list)
        for line, places in block.lines:
            if any(seme in self.walk.stepped for seme in line.writes):
                holding = self.walk.known.holding([block.rules.rules[place] for place in places])
                for seme in line.writes:
                    lines[seme] += holding
        other = fed.loose | set(block.rules.bias or {})
        for seme in added:
            cases = lines.get(seme)
            self.walk.known.write(seme, None if cases is None or seme in other else tuple(cases))

    def _settle_rule(
        self, seme: str, bound: Bound, block: Block, line: Line | None
    ) -> tuple[Bound, tuple[int, ...]]:
        look: Callable[[str], Witness | None] = nothing
        plain = not block.rules.units and not block.rules.bias and self.walk.program.norm != "round"
        if line is not None and plain:
            look = partial(_by_rules, self.walk.program, block.rules.rules, self.walk.pure)
        span = line.span if line is not None else self.walk.program.places.get(seme)
        if span is None:
            return bound, ()
        writer = Writer(span, tied=False, looks=True, witness=look)
        return settled(seme, bound, writer, self.walk)

    def _stretched(self, rule: Rule, found: RuleBound) -> RuleBound:
        """A comparison of a distance, at a length beyond the declared one."""
        decodes = self.walk.program.kind == "decoder"
        longest, built = (
            sum(each) if decodes else max(each)
            for each in (self.walk.lengths, self.walk.program.lengths)
        )
        if rule.curve is None or longest <= built or found.margin is None:
            return found
        if not any(".cos[" in name for name in rule.curve.form.coefficients):
            return found
        names = rule.curve.form.coefficients
        periods = tuple(float(n.partition(".cos[")[2].rstrip("]")) for n in names if ".cos[" in n)
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
                line.span, max(margin, 0.0), worst.off, worst.step, self.walk.number.name
            )
            self.walk.refuse(problem, proven=never)
        old = (
            self.walk.report.rules[self.walk.rule_rows[key]] if key in self.walk.rule_rows else None
        )
        row = RuleRow(place, len(bounds), margin, error, tuple(sorted(notes)), line.span)
        if old is None:
            self.walk.rule_rows[key] = len(self.walk.report.rules)
            self.walk.report.rules.append(row)
        else:
            self.walk.report.rules[self.walk.rule_rows[key]] = _joined(old, row)


def _anew(bound: Bound, old: Bound, anew: Anew, allowed: Values) -> Bound:
    """What was there, or one of the values in its place: their differences are no news."""
    values = anew.values
    low, high = min(old.low, *(v.low for v in values)), max(old.high, *(v.high for v in values))
    kept = old.kept and anew.strict and all(_keeps(each, allowed) for each in values)
    low, high = max(low, bound.low), min(high, bound.high)
    return bound._replace(low=low, high=high, kept=bound.kept or kept)


def _keeps(values: Values, allowed: Values) -> bool:
    """Whether values are whole numbers of the declared steps."""
    second = fraction_of(values.low) + fraction_of(values.grain)
    second = on_steps(second, allowed) and bool(values.grain)
    return on_steps(values.low, allowed) and (second or values.low == values.high)


def _joined(old: RuleRow, new: RuleRow) -> RuleRow:
    margins = [row.margin for row in (old, new) if row.margin is not None]
    both = tuple(sorted({*old.assumed, *new.assumed}))
    error = max(old.error, new.error)
    return RuleRow(
        old.place, old.count + new.count, min(margins, default=None), error, both, old.span
    )


def _by_rules(
    program: Program, rules: Sequence[Rule], pure: frozenset[str], seme: str
) -> Witness | None:
    return by_rules(program, rules, seme, pure)
