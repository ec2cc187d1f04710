"""What heads read on their way, and what is told of it by the lexicon alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from operator import mul

import numpy as np

from progtf.exact.heads import Sight, Written
from progtf.exact.rules import PLATEAU
from progtf.exact.stream import Stream, vectors
from progtf.exact.walk import Walk
from progtf.program.arrays import Array
from progtf.program.forms import Form
from progtf.program.model import BOS, EOS, Head, Program
from progtf.rational import fraction_of
from progtf.weights.maps import Path

MOST_KINDS = 64
"""So many kinds of tokens are held against each other."""


def sight_of(
    walk: Walk, heads: Sequence[Written], stream: Stream, memory: Stream | None, place: str
) -> Sight:
    """What some heads of a layer read, which is the same for all of them."""
    here = walk.strictly(walk.seen(stream, walk.known))
    alike = memory is None and walk.stopped is None
    there = here if alike else walk.strictly(walk.seen(*walk.read(stream, memory)))
    length = walk.tokens(place) if memory is None else walk.lengths[0]
    limits = _limits(walk, [each.head for each in heads], stream)
    return Sight(
        here, there, walk.program.space, length, walk.reach(place), walk.number, walk.stepped,
        True, limits,
    )  # fmt: skip


def told(walk: Walk, head: Head, sight: Sight, place: str) -> Sight:
    """With what the lexicon tells: whether what matches stands once in every text.

    Of a head that reads what tokens have it is not taken that it finds 1, 2, 4, 8 ... of them
    where any other number would be seen: any text may have three that are alike.
    """
    reads = {n for f in head.features for form in (f.query, f.key) for n in form.read.coefficients}
    here = head.source == "self" and walk.program.norm in ("none", "split")
    if not (reads <= walk.pure and here) or any(part.periods for part in head.parts):
        return sight
    end = _found_end(walk, head, sorted(reads))
    if end is not None and not _can_be_written(walk.program, end, place):
        return replace(sight, alone=True)
    return replace(sight, few=end is not None or not _shows(walk, head, sight))


def _found_end(walk: Walk, head: Head, reads: Sequence[str]) -> str | None:
    """The one end of a text that a head finds, whoever reads, if it finds no other token."""
    program = walk.program
    spelled = {seme for vector in program.spelled for seme in vector}
    if not head.features or not spelled.isdisjoint(reads):
        return None
    kinds: dict[tuple[float, ...], list[str]] = {}
    for token, vector in vectors(program):
        kinds.setdefault(tuple(vector.get(name, 0.0) for name in reads), []).append(token)
    if len(kinds) > MOST_KINDS:
        return None
    numbers = [dict(zip(reads, kind, strict=True)) for kind in kinds]
    sides = [[f.query for f in head.features], [f.key for f in head.features]]
    asks, keys = ([[_value(form, kind) for form in side] for kind in numbers] for side in sides)
    if head.normalize == "queries":
        asks, keys = keys, asks
    found = {_best(head, ask, keys, list(kinds.values())) for ask in asks}
    return found.pop() if len(found) == 1 else None


def _best(
    head: Head, ask: Sequence[Fraction], keys: Sequence[Sequence[Fraction]], of: Sequence[list[str]]
) -> str | None:
    """The end that one query finds alone, in every text."""
    scores = [sum(map(mul, ask, key), Fraction(0)) for key in keys]
    null = None if head.null is None else fraction_of(head.null.score)
    top = max(scores)
    if null is not None:
        best = [tokens for score, tokens in zip(scores, of, strict=True) if score >= null]
        if null in scores or not best:
            return None
    else:
        best = [tokens for score, tokens in zip(scores, of, strict=True) if score == top]
    if len(best) != 1 or len(best[0]) != 1 or best[0][0] not in (BOS, EOS):
        return None
    (end,) = best[0]
    seen = head.look == "all" or head.look == "upto" and end == BOS
    return end if seen or null is not None else None


def _value(form: Form, kind: Mapping[str, float]) -> Fraction:
    """What a form comes to at a token."""
    each = (
        fraction_of(factor) * fraction_of(kind[n]) for n, factor in form.read.coefficients.items()
    )
    return sum(each, fraction_of(form.constant))


def _can_be_written(program: Program, end: str, place: str) -> bool:
    """Whether an end may stand within a text: a decoder writes it; typed, readers refuse it."""
    decodes = place.startswith("decoder")
    return decodes and (program.kind == "decoder" and end == EOS or end in program.outputs)


def _shows(walk: Walk, head: Head, sight: Sight) -> bool:
    """Whether three alike tokens, which any text may have, would be seen in what is written."""
    ranges = walk.program.space.ranges
    each = (ranges[seme] for channel in head.channels for seme in channel.writes)
    share = (sight.length + 1) * sight.number.roundoff
    return any(
        values.grain and share * max(-values.low, values.high) >= PLATEAU * values.grain
        for values in each
    )


def _limits(walk: Walk, heads: Sequence[Head], stream: Stream) -> Array:
    """The largest amounts of what one channel of one head writes, and nothing before it."""
    writers = Counter(s for head in heads for c in head.channels for s in c.writes)
    writers.update(seme for head in heads for seme in head.bias)
    single = [s for s, count in writers.items() if count == 1 and s in walk.stepped]
    columns = np.array([walk.index[seme] for seme in single], dtype=np.int64)
    low, high, _, _ = walk.declared
    columns = columns[stream.sizes[columns] == 0]
    found = np.full(len(low), np.inf)
    found[columns] = np.maximum(-low, high)[columns]
    return found


def written_of(walk: Walk, path: Path, head: Head) -> Written:
    """A head with its entries, made once."""
    if path not in walk.made:
        walk.made[path] = Written.of(path, head, walk.maps(path), walk.program)
    made = walk.made[path]
    assert isinstance(made, Written)
    return made
