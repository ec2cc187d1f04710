"""What heads write at worst: how far attention leaks, and how far their updates lie off."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from progtf.equality import compared
from progtf.exact.entries import Entries, Sums, missed
from progtf.exact.formats import FORMATS, Format, grid_of
from progtf.exact.lemmas import Share, lost_in_one, shares
from progtf.exact.search import Search, search
from progtf.exact.stream import HUGE, Bound, Stream
from progtf.program.arrays import Array
from progtf.program.forms import Form, Space
from progtf.program.model import Feature, Head, Program
from progtf.program.outcome import Held
from progtf.weights.maps import Map, Path

Maps = Mapping[str, tuple[Map, Map]]


@dataclass(frozen=True, eq=False)
class Written:
    """A written head with its entries.

    Attributes:
        path: where it stands.
        head: as the program has it, which is ``program``.
        query, key, value, role: its maps; role: None where nothing is bound.
        out: what its products write.
    """

    path: Path
    head: Head
    program: Program
    query: Entries
    key: Entries
    value: Entries
    role: Entries | None
    out: Entries
    n_products: int

    @classmethod
    def of(cls, path: Path, head: Head, maps: Maps, program: Program) -> "Written":
        """With the maps of its path."""
        width = program.width
        query, key, value = (Entries.of([maps[name]], width) for name in ("query", "key", "value"))
        query = query.besides(missed([f.query for f in head.features], program.space))
        key = key.besides(missed([f.key for f in head.features], program.space))
        role = Entries.of([maps["role"]], width) if "role" in maps else None
        n_products = len(maps["out"][0].sources)
        out = Entries.of([maps["out"]], n_products)
        return cls(path, head, program, query, key, value, role, out, n_products)


@compared
@dataclass(frozen=True, slots=True)
class Sight:
    """What a head sees.

    Attributes:
        here, there: the residuals that it reads.
        length: how many tokens there are at most; reach: how far two of them stand apart at most.
        agreeing: semes of which tokens that match equally are taken to have the same value.
        few: whether tokens that match equally are taken to be 1, 2, 4 ... in number.
        limits: of every column the largest amount it may have if one channel alone writes it.
        alone: whether one token at most can match.
    """

    here: Stream
    there: Stream
    space: Space
    length: int
    reach: int
    number: Format
    agreeing: frozenset[str]
    few: bool
    limits: Array
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Attention:
    """How surely a head finds what it looks for.

    Attributes:
        search: the smallest difference of scores.
        error: how far a score lies off at most.
        gap: what is left of the difference, times sharpness, in nats.
        share: what the softmax makes of it.
        finite: whether no score is too large for any format.
        few: whether it is taken that matches are 1, 2, 4 ... in number; single: that there is one,
            for several that are alike are not so in what is computed.
    """

    search: Search
    error: float
    gap: float
    share: Share
    finite: bool
    few: bool = False
    single: bool = False

    @property
    def leak(self) -> float:
        """The share of the attention that goes to what does not match, at most."""
        return self.share.leak


class Update(NamedTuple):
    """What one channel of a head adds to one seme.

    Attributes:
        bound: the number that is added, what adding it up loses left out.
        leaked: the part of its error that is due to leaking attention.
        tied: whether tokens that match equally could have different values.
        limit: sums of some tokens are taken to stay below it, on the way to that of all.
        single: whether it is taken that the head finds one token.
    """

    target: str
    bound: Bound
    leaked: float
    tied: bool
    limit: float = math.inf
    single: bool = False


def attend(written: Written, sight: Sight) -> Attention:
    """The attention of a head at its worst (lemma 5)."""
    head = written.head
    found = search(head, sight.space, sight.reach)
    if sight.alone:
        found = replace(found, unique=True, ties=False)
    error, snapped, largest = _score_error(written, sight)
    match = [part.match for part in head.parts]
    equal = found.unique or not match or snapped and min(match) >= 0 < sum(match)
    off = 2 * error + _null_error(head, sight.number)
    gap = math.inf if found.gap == math.inf else head.sharpness * (found.gap - off)
    finite = largest * max(head.sharpness, 1.0) < HUGE
    rivals = sight.length + 1 if head.look != "self" else 1
    apart = 0.0 if equal and not found.ties else head.sharpness * off
    share = shares(gap, apart, rivals, sight.number, alone=found.unique)
    again = shares(gap, apart, rivals, sight.number, alone=True)
    if found.unique or not sight.few:
        return Attention(found, error, gap, share, finite)
    if again.exact:
        return Attention(found, error, gap, again, finite, few=True)
    single = shares(gap, 0.0, rivals, sight.number, alone=True)
    if not single.exact:
        return Attention(found, error, gap, share, finite)
    words, held = f"head `{head.name}` finds one token", Held.of_head("one", head)
    found = replace(found, unique=True, ties=False, assumed={**found.assumed, words: held})
    return Attention(found, error, gap, single, finite, single=True)


def _score_error(written: Written, sight: Sight) -> tuple[float, bool, float]:
    """How far a score can lie off, before sharpness, whether all but 0 are exact (lemma 2), and how
    large one is at most, the null key's, too.
    """
    number, head = sight.number, written.head
    null = 0.0 if head.null is None else abs(head.null.score)
    if not head.features:
        return 0.0, True, null
    query = written.query.sums(sight.here.terms, number)
    key = written.key.sums(sight.there.terms, number)
    scored = [
        _scored(query, key, place, paired=all(group >= 0 for group in _groups(feature, sight)))
        for place, feature in enumerate(head.features)
    ]
    apart = [_worst([scored[p] for p in group]) for group in _one_hot(head.features, sight)]
    size = sum(part.size for part in apart)
    error = sum(part.error for part in apart)
    grid = min((part.grid for part in scored if part.size), default=math.inf)
    terms = sum(1 for part in apart if part.size)
    lost = lost_in_one(terms, size, size, grid, error, number)
    if grid_of(head.sharpness) != head.sharpness:
        error += 2 * number.roundoff * size
    snapped = (
        not lost
        and error <= grid * number.roundoff / 4
        and not (query.lost.any() or key.lost.any())
    )
    parts = sum(part.size for part in scored)  # the largest number on the way
    return error + lost, snapped, max(parts, null, *_sizes(query, key))


def _sizes(query: Sums, key: Sums) -> tuple[float, float]:
    """How large queries and keys are at most, on the way."""
    return float(query.most.max(initial=0.0)), float(key.most.max(initial=0.0))


def _null_error(head: Head, number: Format) -> float:
    """How far the score of the null key lies off, before sharpness; it is not stored narrowly."""
    if head.null is None:
        return 0.0
    rest = head.sharpness * head.null.score
    kept = FORMATS["float64" if number.bits > FORMATS["float32"].bits else "float32"]
    off = abs(head.null.score - kept.stored(head.null.score))
    return off + abs(rest - kept.stored(rest)) / head.sharpness + number.roundoff * off


class Scored(NamedTuple):
    """What one feature adds to a score: at most, on which grid, and how far it lies off.

    ``stray``: what it adds where its query, or its key, is exactly 0; ``both``: where both are;
    ``paired``: whether queries exclude each other, and keys too.
    """

    size: float
    error: float
    grid: float
    stray: float
    both: float
    paired: bool


def _scored(query: Sums, key: Sums, place: int, *, paired: bool) -> Scored:
    off_here = float(query.error[place] + query.lost[place])
    off_there = float(key.error[place] + key.lost[place])
    a = max(-float(query.low[place]), float(query.high[place]))
    b = max(-float(key.low[place]), float(key.high[place]))
    error = a * off_there + b * off_here + off_here * off_there
    stray = max(
        float(query.stray[place]) * (b + off_there), float(key.stray[place]) * (a + off_here)
    )
    grid = float(query.grid[place] * key.grid[place]) if a and b else math.inf
    both = float(query.stray[place]) * float(key.stray[place])
    return Scored((a + off_here) * (b + off_there), error, grid, min(stray, error), both, paired)


def _worst(group: Sequence[Scored]) -> Scored:
    """Features of which one query at most is up, or one key, or both (lemma 5)."""
    if len(group) == 1:
        return group[0]
    beside = sum(part.both for part in group) + max(part.stray - part.both for part in group)
    if not all(part.paired for part in group):
        beside = sum(part.stray for part in group)
    size = max(part.size for part in group) + beside
    return group[0]._replace(
        size=size, error=max(part.error for part in group) + beside,
        grid=min(part.grid for part in group),
    )  # fmt: skip


def _one_hot(features: Sequence[Feature], sight: Sight) -> Iterator[list[int]]:
    """The features of a head in groups, of each of which one query or one key at most is up."""
    groups: dict[object, list[int]] = {}
    for place, feature in enumerate(features):
        here, there = _groups(feature, sight)
        both = here >= 0 and there >= 0
        one = ("query", here) if here >= 0 else ("key", there) if there >= 0 else ("alone", place)
        found = ("both", here, there) if both else one
        groups.setdefault(found, []).append(place)
    yield from groups.values()


def _groups(feature: Feature, sight: Sight) -> tuple[float, float]:
    """The groups of its query and of its key, -1 for none."""
    here = _group(feature.query, sight.here, sight)
    return here, _group(feature.key, sight.there, sight)


def _group(form: Form, stream: Stream, sight: Sight) -> float:
    """The group of flags that a form is a multiple of one of, or -1."""
    flag = _flag(form)
    return -1.0 if flag is None else float(stream.group[sight.space.index[flag]])


def _flag(form: Form) -> str | None:
    """The one seme that a form is a multiple of."""
    names = [name for name, factor in form.coefficients.items() if factor]
    return names[0] if len(names) == 1 and not form.constant else None
