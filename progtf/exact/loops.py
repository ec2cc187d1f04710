"""Layers that run again: the stream behind so many rounds, whichever of them is the last one."""

from collections.abc import Callable, Sequence

from progtf.exact import problems
from progtf.exact.falls import ends
from progtf.exact.rules import PLATEAU
from progtf.exact.stream import Bound, Stream
from progtf.exact.walk import Walk
from progtf.notation.spell import counted
from progtf.program.forms import FLAG, Form
from progtf.program.heard import unheard
from progtf.program.model import Layer, Loop
from progtf.program.outcome import Held

Once = Callable[[Stream], Stream]


def repeated(walk: Walk, layer: Layer, stream: Stream, once: Once) -> Stream:
    """The stream behind a layer that runs as often as it says.

    Where it is as it was before a round, that round stands for all that follow: so it must not have
    known which of them it is.
    """
    again = False
    for _ in range(layer.repeat):
        before, weak, stream = stream, len(walk.weak), once(stream)
        if not stream.same(before) or len(walk.weak) > weak:
            again = False
        elif again:
            break
        else:
            walk.known.again(_targets([layer]), ())
            again = True
    return stream


def looped(
    walk: Walk, layers: Sequence[Layer], stream: Stream, once: Once, *, causal: bool
) -> Stream:
    """The stream behind a loop of these layers; ``once``: that behind one round.

    What a round may find is what there was before the first one, or what any round left. Nothing is
    known in it of when a seme was written that rounds write.

    ``causal``: each place stops by itself, so that heads in any layer of a round may read what any
    round has left at a place before.
    """
    loop = layers[0].loop
    assert loop is not None
    written, before_it = _targets(layers) | {*loop.resets}, stream
    _judge(walk, layers[0], loop.asked, stream)
    flags = [name for name in loop.resets if walk.program.space.ranges[name] == FLAG]
    walk.pure -= written
    behind = None
    for _ in range(loop.most):
        _begin(walk, stream, written, flags, causal=causal)
        weak = len(walk.weak)
        left = once(_anew(walk, loop, stream))
        behind = left if behind is None else behind.either(left)
        before, stream = stream, stream.either(left)
        if stream.same(before) and len(walk.weak) == weak or not walk.report.exact:
            break
    assert behind is not None
    walk.stopped = None
    _judge(walk, layers[0], [loop.until], behind)
    if loop.falls is not None:
        ends(walk, layers, before_it, stream, causal=causal)
    elif loop in unheard(walk.program):
        most = counted(loop.most, "round")
        text = f"loop `{loop.name}` ends within {most}"
        walk.report.assume(text, layers[0].span, Held("loop", loop.name))
    if loop.asked:  # and behind no round at all nothing is known of what rounds write
        walk.known.again(written, ())
        behind = before_it.either(behind)
    return _with_end(walk, loop, behind)


def _anew(walk: Walk, loop: Loop, stream: Stream) -> Stream:
    """The stream in which semes of one round are 0."""
    zero, columns = Stream.zero(walk.program.space), [walk.index[name] for name in loop.resets]
    return stream.put({column: zero.at(column) for column in columns})


def _begin(
    walk: Walk, stream: Stream, written: frozenset[str], flags: Sequence[str], *, causal: bool
) -> None:
    """Another round begins: what may be read of places that have stopped, and what is known."""
    walk.known.again(written, ())
    walk.stopped = (stream, walk.known.copy()) if causal else None
    walk.known.again((), flags)


def _targets(layers: Sequence[Layer]) -> frozenset[str]:
    """All that layers write."""
    heads = (head.targets for layer in layers for head in (*layer.heads, *layer.cross))
    blocks = (layer.feedforward.targets for layer in layers if layer.feedforward is not None)
    return frozenset[str]().union(*heads, *blocks)


def _judge(walk: Walk, layer: Layer, flags: Sequence[str], behind: Stream) -> None:
    """A flag that begins or ends a loop must be told from none, as in a comparison."""
    walk.promised([Form({flag: 1.0}) for flag in flags], behind, layer.span)
    for flag in flags:
        error = behind.at(walk.index[flag]).error
        margin = 0.5 - error
        if margin < PLATEAU:
            problem = problems.threshold_margin(
                layer.span, max(margin, 0.0), error, 1.0, walk.number.name
            )
            walk.refuse(problem, proven=False)


def _with_end(walk: Walk, loop: Loop, stream: Stream) -> Stream:
    """The stream in which the loop may have said that it did not end."""
    column = walk.index[loop.unfinished]
    was = stream.at(column)
    ends = Bound(min(was.low, 1.0), max(was.high, 1.0), min(was.grid, 1.0), was.error, was.kept)
    walk.known.write(loop.unfinished, None)
    walk.pure -= {loop.unfinished}
    return stream.put({column: ends})
