"""What may write something where some semes are 0 at every token, layer after layer.

Nothing is taken for granted about what numbers may be: what is not surely 0 may be anything.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from progtf.program.forms import Form
from progtf.program.model import FeedForward, Head, Loop, Program, Rule
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


def ahead_of(program: Program, zero: Names) -> "Ahead":
    """What may write something where some semes of the encoder are 0."""
    ahead = Ahead(program, zero)
    memory = ahead.stack("encoder", NONE)
    ahead.stack("decoder", memory)
    return ahead


def has(program: Program) -> Names:
    """The semes that some token has before the first layer."""
    given = [*program.lexicon.values(), program.unknown or {}, *program.spelled]
    return frozenset([name for vector in given for name, value in vector.items() if value])


@dataclass(frozen=True, eq=False)
class Ahead:
    """Goes through the layers with the names that may be other than 0.

    Attributes:
        adding: of every layer what its rules, units, channels and constants may write.
        closed: the comparisons of every layer that stand behind a closed gate.
        idle: the loops that run no round.
    """

    program: Program
    zero: Names
    adding: dict[Place, dict[Key, Names]] = field(
        default_factory=lambda: defaultdict[Place, dict[Key, Names]](dict)
    )
    closed: dict[Place, set[int]] = field(default_factory=dict[Place, set[int]])
    idle: set[str] = field(default_factory=set[str])

    def stack(self, name: Stack, memory: AbstractSet[str]) -> AbstractSet[str]:
        """The names that may be other than 0 behind the last layer."""
        clocks = self.program.space.names[self.program.semes :]
        alive = {*has(self.program), *clocks}
        zero = self.zero if name == "encoder" else NONE
        for run in runs(self.program, name):
            loop = run[0].loop
            if loop is None:
                self._once(run, alive, memory, zero)
            elif alive.issuperset(loop.asked):
                self._loop(run, loop, alive, memory, zero)
            else:
                self.idle.add(loop.name)
        return alive

    def _once(
        self, run: Sequence[Placed], alive: set[str], memory: AbstractSet[str], zero: Names
    ) -> None:
        for each in run:
            for _ in range(each.layer.repeat):
                self._layer(each, alive, memory)
                alive -= zero

    def _loop(
        self,
        run: Sequence[Placed],
        loop: Loop,
        alive: set[str],
        memory: AbstractSet[str],
        zero: Names,
    ) -> None:
        """Rounds until nothing becomes more than 0: the last of them finds what any may find."""
        before = -1
        while before != len(alive):
            before = len(alive)
            self._once(run, alive, memory, zero)
        alive.add(loop.unfinished)

    def _layer(self, placed: Placed, alive: set[str], memory: AbstractSet[str]) -> None:
        adding = self.adding[placed.place]
        for group in GROUPS:
            here = frozenset(alive)  # heads side by side do not read each other
            for key, head in placed.heads(group):
                for own, names in _head(head, here, here if group == "heads" else memory):
                    adding[(*key, *own)] = names
                    alive |= names
        if placed.layer.feedforward is not None:
            alive |= self._block(placed.place, placed.layer.feedforward, frozenset(alive))

    def _block(self, place: Place, block: FeedForward, alive: Names) -> Names:
        """What rules that are not held back write, and units that may be above 0 (Eq. 7)."""
        found: dict[Key, Names] = {}
        if block.bias:
            found[BIAS,] = _written(block.bias)
        for number, rule in enumerate(block.rules):
            if _may_write(rule, alive):
                found["rules", number] = _written(rule.writes)
        for number, unit in enumerate(block.units):
            if unit.reads.constant > 0 or not read(unit.reads).isdisjoint(alive):
                found["units", number] = _written(unit.writes)
        shut = {n for n, each in enumerate(block.compared) if not alive >= each.gate.positive}
        self.closed[place] = shut
        self.adding[place] |= found
        return NONE.union(*found.values())


def _head(head: Head, here: Names, there: AbstractSet[str]) -> list[tuple[Key, Names]]:
    """What is retrieved where something is read, times a role that is not 0 (Eq. 4 and 6)."""
    found: list[tuple[Key, Names]] = [((BIAS,), _written(head.bias))] if head.bias else []
    if is_quiet(head) and not here >= head.required:
        return found  # all readers rest on the null key
    for number, channel in enumerate(head.channels):
        rests = head.null is not None and bool(head.null.filler[number])
        if (rests or _may_be(channel.filler, there)) and _may_be(channel.role, here):
            found.append(((number,), _written(channel.writes)))
    return found


def is_quiet(head: Head) -> bool:
    """Whether a head has a null key, and that writes nothing."""
    return head.null is not None and not any(head.null.filler)


def _written(writes: Mapping[str, float]) -> Names:
    return frozenset([name for name, factor in writes.items() if factor])


def _may_be(form: Form, alive: AbstractSet[str]) -> bool:
    """Whether a form may be other than 0."""
    return bool(form.constant) or not read(form).isdisjoint(alive)


def _may_write(rule: Rule, alive: Names) -> bool:
    """Whether the flag that holds a rule back may be other than 0.

    A gate that only others of its flags close is taken to be open, though nothing passes: that all
    of its flags are 0 or 1 is a promise, by which a network lets nothing pass either.
    """
    return not rule.line.held or rule.line.held in alive
