"""What heads read on their way, and what is told of it by the lexicon alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from progtf.exact.heads import Sight, Written
from progtf.exact.rules import PLATEAU
from progtf.exact.stream import Stream, vectors
from progtf.exact.walk import Walk
from progtf.program.arrays import Array
from progtf.program.model import BOS, EOS, Head
from progtf.weights.maps import Path


def sight_of(
    walk: Walk, heads: Sequence[Written], stream: Stream, memory: Stream | None, place: str
) -> Sight:
    """What some heads of a layer read, which is the same for all of them."""
    here = walk.seen(stream, walk.known)
    alike = memory is None and walk.stopped is None
    there = here if alike else walk.seen(*walk.read(stream, memory))
    length = walk.tokens(place) if memory is None else walk.lengths[0]
    limits = _limits(walk, [each.head for each in heads], stream)
    return Sight(here, there, walk.program.space, length, walk.number, walk.stepped, True, limits)


def told(walk: Walk, head: Head, sight: Sight) -> Sight:
    """With what the lexicon tells: whether what matches stands once in every text."""
    keys = {n for f in head.features for n, factor in f.key.coefficients.items() if factor}
    queries = {n for f in head.features for n, factor in f.query.coefficients.items() if factor}
    if not keys | queries <= walk.pure or any(part.periods for part in head.parts):
        return sight
    always = head.look in ("all", "upto") and not queries
    choosy = queries if head.normalize == "queries" else keys
    found = head.null is not None or head.normalize == "queries" or always
    alone = bool(choosy) and choosy <= _ends(walk) and found
    return replace(sight, alone=alone, few=sight.few and (alone or not _shows(walk, head, sight)))


def _shows(walk: Walk, head: Head, sight: Sight) -> bool:
    """Whether three alike tokens, which any text may have, would be seen in what is written."""
    ranges = walk.program.space.ranges
    each = (ranges[seme] for channel in head.channels for seme in channel.writes)
    share = (sight.length + 1) * sight.number.roundoff
    return any(
        values.grain and share * max(-values.low, values.high) >= PLATEAU * values.grain
        for values in each
    )


def _ends(walk: Walk) -> frozenset[str]:
    """The semes that one token alone has, which stands once in every text."""
    found: dict[str, set[str]] = {}
    for token, vector in vectors(walk.program):
        for seme, value in vector.items():
            if value:
                found.setdefault(seme, set()).add(token)
    spelled = {seme for vector in walk.program.spelled for seme in vector}
    return frozenset(
        seme for seme, tokens in found.items()
        if len(tokens) == 1 and tokens <= {BOS, EOS} and seme not in spelled
    )  # fmt: skip


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
