"""Layers of which rules are too much for one hidden layer, in two halves.

The heads of the layer and the comparisons of such rules become one layer, its rules another.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TypeGuard

from progtf.building.parts import Parts
from progtf.building.rounds import repeats, wrong_repeat
from progtf.notation import flat as f

Stacks = Mapping[str, Sequence[f.Block]]


@dataclass(frozen=True, slots=True)
class Split:
    """The layers of a program after splitting.

    Attributes:
        stacks: the layers of each stack.
        flags: the semes that comparisons became.
        loops: the loops, the flags of their rounds among what is of one round.
        ends: stack -> how many layers there are up to the end of each that was written; nothing
            of a stack that puts layers in order by what they read.
    """

    stacks: Stacks
    flags: tuple[str, ...]
    loops: tuple[f.Loop, ...]
    ends: Mapping[str, Sequence[int]]

    def number(self, stack: str, written: int) -> int:
        """The number of a layer of which the number in the text is known, both from 1."""
        ends = self.ends[stack]
        if written <= len(ends):
            return ends[written - 1]
        return written + (ends[-1] - len(ends) if ends else 0)


def split(stacks: Stacks, free: Callable[[f.Block], bool], parts: Parts, *, learns: bool) -> Split:
    """Splits layers where one hidden layer does not do.

    Args:
        stacks: the layers of each stack.
        free: whether a layer is placed part by part, so that comparisons find their own layers.
        parts: what rules come to; they are told of those that are made.
        learns: whether something is learned: then all rounds of a layer must have the same weights.
    """
    splitter = _Splitter(parts, free, learns)
    made = {stack: list(splitter.stack(blocks)) for stack, blocks in stacks.items()}
    loops = splitter.loops
    return Split(
        {
            stack: [_in_loop(block, loops) for some in each for block in some]
            for stack, each in made.items()
        },
        tuple(splitter.flags),
        tuple(loops.values()),
        {
            stack: () if any(map(free, stacks[stack])) else tuple(accumulate(map(len, each)))
            for stack, each in made.items()
        },
    )


@dataclass
class _Splitter:
    parts: Parts
    free: Callable[[f.Block], bool]
    learns: bool
    flags: dict[str, None] = field(default_factory=dict[str, None])
    loops: dict[str, f.Loop] = field(default_factory=dict[str, f.Loop])

    def stack(self, blocks: Iterable[f.Block]) -> Iterator[list[f.Block]]:
        """What each layer of a stack comes to."""
        layers = [block for block in blocks if block.keyword == "layer"]
        free = [rule for layer in layers if self.free(layer) for rule in _rules(layer)]
        behind = self.parts.divided(free, self.flags)
        for number, block in enumerate(blocks, start=1):
            if block.keyword != "layer":
                yield [block]
            elif self.free(block):
                yield [_with_rules(block, behind)]
            else:
                before = len(self.flags)
                yield list(self._halves(block, block.name or f"layer_{number}"))
                if block.loop is not None:
                    self._of_round(block.loop, tuple(self.flags)[before:])

    def _of_round(self, loop: f.Loop, flags: tuple[str, ...]) -> None:
        """Notes a loop, and flags that are 0 again when its next round begins."""
        known = self.loops.get(loop.name, loop)
        self.loops[loop.name] = replace(known, resets=known.resets + flags)

    def _halves(self, block: f.Block, name: str) -> Iterator[f.Block]:
        """The layer, or its halves, one round after another."""
        rounds, group = repeats(block.children), list(_rules(block))
        alike = rounds > 1 and (self.learns or _marked(block))
        behind = self.parts.divided([] if alike else group, self.flags)
        if not behind or wrong_repeat(block.children):
            yield block
            return
        heads = tuple(c for c in block.children if _is(c, "head"))
        rest = tuple(c for c in block.children if not _is(c, "head") and not isinstance(c, f.Field))
        inside = block.rounds or (block.children if rounds > 1 else ())
        for number in range(rounds):
            behind = self.parts.divided(group, self.flags) if number else behind
            tests = tuple(test for *first, _ in behind.values() for test in first)
            compared = f.Block("feedforward", "", tests, block.span)
            yield replace(block, name=f"{name}.tests", children=(*heads, compared), rounds=inside)
            later = {id_: (last,) for id_, (*_, last) in behind.items()}
            rules = replace(block, name=name, children=rest, rounds=inside)
            yield _with_rules(rules, later)


def _in_loop(block: f.Block, loops: Mapping[str, f.Loop]) -> f.Block:
    return block if block.loop is None else replace(block, loop=loops[block.loop.name])


def _is(child: f.Statement, keyword: str) -> TypeGuard[f.Block]:
    return isinstance(child, f.Block) and child.keyword == keyword


def _marked(block: f.Block) -> bool:
    """Whether some weight of a layer is trained."""
    values = (s.value for s in f.walk(block.children) if isinstance(s, f.Field))
    return any(entry.mark for value in values if isinstance(value, tuple) for entry in value)


def _rules(block: f.Block) -> Iterator[f.Rule]:
    return (
        rule
        for child in block.children
        if _is(child, "feedforward")
        for rule in child.children
        if isinstance(rule, f.Rule)
    )


def _with_rules(block: f.Block, instead: Mapping[int, Sequence[f.Rule]]) -> f.Block:
    """The layer with other rules in the place of some."""
    if not instead:
        return block
    children = tuple(
        replace(child, children=tuple(r for c in child.children for r in instead.get(id(c), (c,))))
        if _is(child, "feedforward")
        else child
        for child in block.children
    )
    return replace(block, children=children)
