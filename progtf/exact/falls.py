"""That a loop ends: a sum of whole numbers that every round lowers (`falls: SUM`)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import floor, inf

from progtf.exact import problems
from progtf.exact.paths import NEAR, Case, TooManyError, behind
from progtf.exact.stream import Stream
from progtf.exact.walk import Walk
from progtf.notation import spell
from progtf.numbers import plain
from progtf.program.forms import Form, Space, Values
from progtf.program.model import BOS, Layer, Loop
from progtf.rational import fraction_of

MOST_CASES = 2_000


def ends(
    walk: Walk, layers: Sequence[Layer], before: Stream, any_round: Stream, *, causal: bool
) -> None:
    """Holds what is said to fall against what rounds do; what is not derived is told at its line.

    Args:
        walk: the way through the program.
        layers: of the loop.
        before: what there was before the first round.
        any_round: what a round may find, whichever it is.
        causal: whether each place stops by itself.
    """
    loop = layers[0].loop
    assert loop is not None
    assert loop.falls is not None
    span = walk.program.places.get(f"falls: {loop.name}", layers[0].span)
    walk.promised([loop.falls, Form({loop.until: 1.0})], any_round, span)
    try:
        most = _rounds(walk, layers, before, any_round, causal=causal)
    except UnprovenError as reason:
        problem = problems.does_not_fall(span, loop.name, str(reason))
    else:
        if most < loop.most:
            return
        problem = problems.falls_longer(span, loop.name, most + 1, loop.most)
    if problem not in walk.report.unproven:
        walk.report.unproven.append(problem)


class UnprovenError(Exception):
    """Why it cannot be shown that something falls."""


def _rounds(
    walk: Walk, layers: Sequence[Layer], before: Stream, any_round: Stream, *, causal: bool
) -> int:
    """After how many rounds a loop can still go on.

    Raises:
        UnprovenError: if it cannot be shown that it does not go on for ever.
    """
    if walk.program.hybrid or walk.program.norm not in ("none", "split"):
        raise UnprovenError("nothing is derived of what is learned, or read through a norm")
    loop = layers[0].loop
    assert loop is not None
    falls = loop.falls or Form()
    first = _first(walk, layers, loop, any_round)
    highest = _highest(falls, first, walk, before)
    if causal:  # a place that goes on has fallen, whatever others do
        least = _least(walk, layers, first, by=1.0, flag=float(loop.none))
        return floor(max(0.0, highest - least) + NEAR)
    if loop.none:  # a token that has the flag has fallen, and none has risen
        least = _least(walk, layers, first, by=0.0)
        _least(walk, layers, first, by=1.0, flag=1.0)
        return floor(walk.tokens("encoder") * max(0.0, highest - least) + NEAR)
    told = UnprovenError()
    for start in _one_token(walk, first):  # none has the flag, and here it has fallen
        try:
            least = _least(walk, layers, start, by=1.0, flag=0.0)
        except UnprovenError as reason:
            told = reason
        else:
            return floor(max(0.0, highest - least) + NEAR)
    raise told


def _first(walk: Walk, layers: Sequence[Layer], loop: Loop, any_round: Stream) -> Case:
    """What a round begins with, of all that what falls, and the flag, depend on."""
    wanted = _slice(layers, {*(loop.falls or Form()).coefficients, loop.until})
    bounds: dict[str, Values] = {}
    for name in wanted:
        bound, values = any_round.at(walk.index[name]), walk.program.space.ranges[name]
        low, high = max(values.low, bound.low), min(values.high, bound.high)
        bounds[name] = Values(min(low, high), max(low, high), values.grain)
        if name in loop.resets:
            bounds[name] = Values(0.0, 0.0, values.grain)
    return Case({name: Form({name: 1.0}) for name in wanted}, bounds)


def _slice(layers: Sequence[Layer], wanted: set[str]) -> frozenset[str]:
    """All that some semes depend on by way of rules.

    Raises:
        UnprovenError: if hidden units without rules write them.
    """
    blocks = [layer.feedforward for layer in layers if layer.feedforward is not None]
    before = 0
    while len(wanted) > before:
        before = len(wanted)
        for rule in (rule for block in blocks for rule in block.rules):
            if not wanted.isdisjoint(rule.writes):
                wanted |= rule.gate.positive | rule.gate.negative
                wanted |= set() if rule.curve is None else {*rule.curve.form.coefficients}
    if any(not wanted.isdisjoint(unit.writes) for block in blocks for unit in block.units):
        raise UnprovenError("weights that are no rules are not followed")
    return frozenset(wanted)


def _highest(falls: Form, first: Case, walk: Walk, before: Stream) -> float:
    """What a sum is at most at a token before the first round."""
    bounds = dict(first.bounds)
    for name in falls.coefficients:
        bound, values = before.at(walk.index[name]), walk.program.space.ranges[name]
        low, high = max(values.low, bound.low), min(values.high, bound.high)
        bounds[name] = Values(min(low, high), max(low, high), values.grain)
    return replace(first, bounds=bounds).highest(falls)


def _one_token(walk: Walk, first: Case) -> Iterator[Case]:
    """Tokens of which every text has one: any one, or the first one, of which more is known."""
    yield first
    if (vector := walk.program.lexicon.get(BOS)) is not None:
        told = {name: vector.get(name, 0.0) for name in first.bounds if name in walk.pure}
        given = {name: Values(x, x, first.bounds[name].grain) for name, x in told.items()}
        yield replace(first, bounds={**first.bounds, **given})


def _least(
    walk: Walk, layers: Sequence[Layer], first: Case, *, by: float, flag: float | None = None
) -> float:
    """The least that a round leaves of what falls; of rounds behind which the flag is so, if any.

    Raises:
        UnprovenError: if it does not fall by so much in each of them.
    """
    loop, left = layers[0].loop, list[float]()
    assert loop is not None
    assert loop.falls is not None
    for after in _behind(walk, layers, first):
        ends = after.read(Form({loop.until: 1.0}))
        case = after if flag is None else after.between(ends, flag, flag)
        if case is None:
            continue
        now = case.read(loop.falls)
        change = now + loop.falls.scaled(-1.0)
        most = case.highest(change)
        if fraction_of(most) > -fraction_of(by):
            shown = spell.form({n: x for n, x in change.coefficients.items() if x}, change.constant)
            raise UnprovenError(
                f"in a round it may change by {shown}, which is {plain(most)} at most"
            )
        left.append(-case.highest(now.scaled(-1.0)))
    return min(left, default=inf)


def _behind(walk: Walk, layers: Sequence[Layer], first: Case) -> Iterator[Case]:
    """All cases behind a round.

    Raises:
        UnprovenError: if there are too many.
    """
    space, cases = walk.program.space, [first]
    for number, layer in enumerate(each for one in layers for each in [one] * one.repeat):
        read = {t for head in layer.heads for t in head.targets if t in first.semes}
        cases = [_told(case, read, space, number) for case in cases] if read else cases
        if layer.feedforward is not None:
            try:
                each = (behind(layer.feedforward, space, case, MOST_CASES) for case in cases)
                cases = [case for found in each for case in found]
            except TooManyError:
                raise UnprovenError("there are too many cases to look at") from None
        if len(cases) > MOST_CASES:
            raise UnprovenError("there are too many cases to look at")
    yield from cases


def _told(case: Case, read: Iterable[str], space: Space, number: int) -> Case:
    """What heads write is anything that its seme can be."""
    fresh = {name: f"{name}, layer {number + 1}" for name in read}
    semes = {name: Form({told: 1.0}) for name, told in fresh.items()}
    bounds = {told: space.ranges[name] for name, told in fresh.items()}
    return replace(case, semes={**case.semes, **semes}, bounds={**case.bounds, **bounds})
