"""What an answer depends on, semes by name, from the answer back to where a loop ends."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import NamedTuple

from progtf.once import once
from progtf.program.forms import Form, Space
from progtf.program.loops import by_loop
from progtf.program.model import Dense, FeedForward, Head, Layer, Loop, Program, Stage


class _Part(NamedTuple):
    """Something that writes: its targets, and what it reads here and of the encoder's output."""

    writes: AbstractSet[str]
    reads: AbstractSet[str]
    memory: AbstractSet[str] = frozenset()


@once
def unheard(program: Program) -> tuple[Loop, ...]:
    """The loops on whose end the answer does not depend.

    That a layer reads `NAME.unfinished` is not enough: what it writes must come to the answer.
    """
    looped = any(stage.loop is not None for stage in (*program.encoder, *program.decoder))
    return _unheard(program) if looped else ()


def _unheard(program: Program) -> tuple[Loop, ...]:
    found = list[Loop]()
    needed, memory = _answering(program), frozenset[str]()
    for stack in (program.decoder, program.encoder):
        for run in reversed([*by_loop(stack)]):
            loop = run[0].loop
            found += [loop] if loop is not None and loop.unfinished not in needed else []
            needed, asked = _before(program, run, needed)
            memory |= asked
        needed = memory | _of_learned(program) if program.kind == "seq2seq" else needed
    return tuple(reversed(found))


def _answering(program: Program) -> frozenset[str]:
    """What the answer is read from; where it is the residual, all but the ends of loops."""
    forms = [*program.outputs.values()]
    forms += [] if program.classify is None else program.classify.classes.values()
    read = frozenset(chain.from_iterable(_names(form, every=bool(program.marks)) for form in forms))
    if program.outputs or program.classify is not None:
        return read | _of_learned(program)
    stages = (*program.encoder, *program.decoder)
    return frozenset(program.space.names) - {s.loop.unfinished for s in stages if s.loop}


def _of_learned(program: Program) -> frozenset[str]:
    """What learned parts read: what they write, and to whom it matters, training says."""
    return frozenset() if program.learn is None else frozenset(program.learn.reads)


def _before(
    program: Program, run: Sequence[Stage], behind: AbstractSet[str]
) -> tuple[AbstractSet[str], AbstractSet[str]]:
    """What is needed before some layers, for what is needed behind; and of the encoder."""
    if isinstance(run[0], Dense):  # nothing is left of what was there
        forms = (form for name, form in run[0].weights.items() if name in behind)
        return frozenset(chain.from_iterable(map(_names, forms))), frozenset()
    needed, memory, count = set(behind), set[str](), -1
    blocks = [block for stage in reversed(run) for block in _blocks(stage, program.space)]
    while len(needed) != count:
        count = len(needed)
        for block in blocks:
            heard = [part for part in block if not part.writes.isdisjoint(needed)]
            needed.update(*(part.reads for part in heard))
            memory.update(*(part.memory for part in heard))
        if run[0].loop is None and run[0].repeat == 1:
            break
    return needed, memory


def _blocks(stage: Stage, space: Space) -> Iterator[list[_Part]]:
    """What writes in a layer, side by side, the last first; what a round hangs on with it."""
    assert isinstance(stage, Layer)
    rules = [] if stage.feedforward is None else [*_rules(stage.feedforward)]
    blocks = [rules, [_head(h, space) for h in stage.cross], [_head(h, space) for h in stage.heads]]
    if stage.loop is not None:
        writes = {name for block in blocks for part in block for name in part.writes}
        begins = {stage.loop.until, *stage.loop.asked}
        yield [_Part({stage.loop.unfinished, *writes}, begins)]
    yield from blocks


def _rules(block: FeedForward) -> Iterator[_Part]:
    every = bool(block.marks)
    for unit in block.units:
        yield _Part(_written(unit.writes, every=every), _names(unit.reads, every=every))
    for rule in block.rules:
        read = {*rule.gate.positive, *rule.gate.negative, rule.line.held} - {""}
        curve = () if rule.curve is None else _names(rule.curve.form, every=every)
        yield _Part(_written(rule.writes, every=every), read.union(curve))


def _head(head: Head, space: Space) -> _Part:
    """A head; one that has something to learn as a whole may come to read and write anything."""
    if head.learned:
        names = frozenset(space.names)
        return _Part(names, names, names if head.source == "encoder" else frozenset())
    every = bool(head.marks)
    here = [*(f.query for f in head.features), *(c.role for c in head.channels)]
    there = [*(f.key for f in head.features), *(c.filler for c in head.channels)]
    own, other = (
        frozenset(chain.from_iterable(_names(form, every=every) for form in forms))
        for forms in (here, there)
    )
    if head.source == "encoder":
        return _Part(head.targets, own, other)
    return _Part(head.targets, own | other)


def _written(writes: Mapping[str, float], *, every: bool) -> frozenset[str]:
    return frozenset([name for name, factor in writes.items() if factor or every])


def _names(form: Form, *, every: bool = False) -> frozenset[str]:
    """What a form reads; ``every``: with what is 0, which training may change."""
    return frozenset([name for name, factor in form.coefficients.items() if factor or every])
