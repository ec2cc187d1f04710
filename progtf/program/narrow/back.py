"""Which of the parts that may write something the answer depends on, from the last layer back."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from progtf.program.heard import unheard
from progtf.program.model import FeedForward, Head, Loop, Program
from progtf.program.narrow.ahead import Ahead, is_quiet
from progtf.program.narrow.places import (
    BIAS,
    GROUPS,
    NONE,
    Key,
    Names,
    Place,
    Placed,
    Stack,
    read,
    runs,
)


def back_of(program: Program, ahead: Ahead, wanted: Names) -> "Back":
    """What matters for what is ``wanted`` of the encoder; without that for the answer."""
    ends = () if wanted else tuple(each for each in unheard(program) if each.name not in ahead.idle)
    unfinished = {loop.unfinished for loop in ends}
    back = Back(program, ahead, ends, unfinished.union(wanted))
    if not wanted:
        back.stack("decoder", unfinished.union(*map(read, program.outputs.values())))
    back.stack("encoder", {*back.memory})
    return back


@dataclass(frozen=True, eq=False)
class Back:
    """Goes back through the layers with the names that somebody reads.

    Attributes:
        ahead: what may write something.
        ends: the loops that must come to their end.
        memory: what is read behind the encoder.
        kept: of every layer what its rules, units, channels and constants write for somebody.
        compared: the comparisons of every layer that stand in lines that somebody reads.
        loops: the loops that run and matter.
    """

    program: Program
    ahead: Ahead
    ends: tuple[Loop, ...]
    memory: set[str]
    kept: dict[Place, dict[Key, Names]] = field(
        default_factory=lambda: defaultdict[Place, dict[Key, Names]](dict)
    )
    compared: set[tuple[Place, int]] = field(default_factory=set[tuple[Place, int]])
    loops: set[str] = field(default_factory=set[str])

    def stack(self, stack: Stack, needed: set[str]) -> None:
        """All layers, from what is needed behind them; what they need comes to it."""
        for run in reversed(runs(self.program, stack)):
            loop = run[0].loop
            if loop is None:
                self._once(run, needed)
            elif loop.name not in self.ahead.idle:
                self._loop(run, loop, needed)

    def _once(self, run: Sequence[Placed], needed: set[str]) -> None:
        for each in reversed(run):
            for _ in range(each.layer.repeat):
                self._layer(each, needed)

    def _loop(self, run: Sequence[Placed], loop: Loop, needed: set[str]) -> None:
        """What matters in some round, and when there is one; a loop that adds nothing is none."""
        adds = (names for each in run for names in self.ahead.adding[each.place].values())
        if loop.unfinished not in needed and all(map(needed.isdisjoint, adds)):
            return
        self.loops.add(loop.name)
        needed.update((loop.until, loop.unfinished, *loop.asked))
        before = -1
        while before != len(needed):
            before = len(needed)
            self._once(run, needed)

    def _layer(self, placed: Placed, needed: set[str]) -> None:
        """What a layer writes to names that are needed; what it reads for that is needed, too."""
        if placed.layer.feedforward is not None:
            needed |= self._block(placed.place, placed.layer.feedforward, frozenset(needed))
        for group in reversed(GROUPS):
            behind = frozenset(needed)  # heads side by side do not read each other
            there = self.memory if group == "cross" else needed
            for key, head in placed.heads(group):
                self._head(placed.place, key, head, behind, needed, there)

    def _block(self, place: Place, block: FeedForward, needed: Names) -> set[str]:
        reads = set[str]()
        self._keeps(place, (BIAS,), needed)
        for number, rule in enumerate(block.rules):
            if self._keeps(place, ("rules", number), needed):
                reads |= rule.gate.positive | rule.gate.negative
                reads |= NONE if rule.curve is None else read(rule.curve.form)
        for number, unit in enumerate(block.units):
            if self._keeps(place, ("units", number), needed):
                reads |= read(unit.reads)
        for number, each in enumerate(block.compared):
            shut = number in self.ahead.closed.get(place, ())
            if not shut and not needed.isdisjoint(each.writes):
                self.compared.add((place, number))
                reads |= each.gate.positive | each.gate.negative | read(each.form)
        return reads

    def _head(
        self,
        place: Place,
        key: Key,
        head: Head,
        behind: Names,
        here: set[str],
        there: set[str],
    ) -> None:
        numbers = range(len(head.channels))
        some = [number for number in numbers if self._keeps(place, (*key, number), behind)]
        if not self._keeps(place, (*key, BIAS), behind) and not some:
            return
        if some and self._is_whole(head):
            some = [*numbers]
            self.kept[place] |= {(*key, number): Names(head.targets) for number in numbers}
        for feature in head.features:
            here |= read(feature.query)
            there |= read(feature.key)
        for number in some:
            here |= read(head.channels[number].role)
            there |= read(head.channels[number].filler)

    def _keeps(self, place: Place, key: Key, needed: Names) -> Names:
        """Notes what of that which something writes somebody reads."""
        found = self.ahead.adding[place].get(key, NONE) & needed
        if found:
            self.kept[place][key] = found
        return found

    def _is_whole(self, head: Head) -> bool:
        """Whether a head keeps all of its channels: those of a distance belong together."""
        clocks = {*self.program.space.names[self.program.semes :]}
        measures = any(not clocks.isdisjoint(each.filler.coefficients) for each in head.channels)
        return measures or (head.null is not None and not is_quiet(head))
