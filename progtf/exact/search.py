"""The smallest difference of scores that decides what a head reads."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from progtf.numbers import plain
from progtf.program.clocks import address_gap, ramp_gap
from progtf.program.forms import Form, Space
from progtf.program.model import Head, Part

_FINEST = 1 << 24
_ONE_SIDED = ("cos", "sin")


@dataclass(frozen=True, slots=True)
class Search:
    """How well a head tells what it looks for from everything else.

    Attributes:
        gap: the smallest difference of scores that matters, before sharpness.
        address: the difference that clocks make, None without any.
        unique: whether no two tokens can have the highest score.
        assumed: what the gap takes for granted.
    """

    gap: float
    address: float | None
    unique: bool
    assumed: tuple[str, ...]


def search(head: Head, space: Space, length: int) -> Search:
    """The search of a head in an input of ``length`` tokens."""
    if head.look == "self" and head.null is None:
        return Search(math.inf, None, unique=True, assumed=())
    clocked = [_clock_gap(part, length) for part in head.parts if part.periods]
    address = min(clocked, default=None)
    grid = _score_grid(head, space)
    gaps, assumed = [*clocked], list(_combined(head))
    if grid == 0:
        gaps.append(min(part.gap for part in head.parts if not part.periods))
        assumed.append(f"scores that differ, differ by {plain(gaps[-1])} at least")
    elif address is None or not _one_level(head):
        gaps.append(grid)
    if head.null is not None:
        if address is None and grid:
            gaps.append(abs(math.remainder(head.null.score, grid)) or grid)
        else:
            gaps.append(_halves(head, length))
            assumed += [f"of `{stem}` one holds at a token" for stem in _families(head)]
    unique = head.look == "self" or (address is not None and head.null is not None)
    return Search(min(gaps, default=math.inf), address, unique, tuple(dict.fromkeys(assumed)))


def _clock_gap(part: Part, length: int) -> float:
    if part.kind == "nearest":
        return ramp_gap(part.periods[0], length)
    return address_gap(part.periods, length + part.shift)


def _score_grid(head: Head, space: Space) -> float:
    """What all scores of the parts without clocks are multiples of; 0: nothing, infinite: none."""
    features = [f for part in head.parts if not part.periods for f in part.features]
    found = ((lattice(f.query, space), lattice(f.key, space)) for f in features)
    return common(a * b for a, b in found if math.inf not in (a, b))


def _one_level(head: Head) -> bool:
    """Whether the parts without clocks give all their matches the same score."""
    return all(p.match == p.high for p in head.parts if not p.periods)


def _combined(head: Head) -> Iterator[str]:
    """What must hold where several parts are added up."""
    if head.null is None and any(part.kind == "address" for part in head.parts):
        yield "a token stands where it looks"
    parts = [part for part in head.parts if part.kind not in ("condition", "address")]
    graded = [part for part in parts if part.match != part.high]
    alone = len(parts) == 1 and all(part.kind != "address" for part in head.parts)
    if graded and not alone and (len(graded) > 1 or head.null is None):
        yield "one part's score does not make up for another's"


def _halves(head: Head, length: int) -> float:
    """The null key between the lowest match and the highest miss, as they are at this length."""
    assert head.null is not None
    match = sum(part.match for part in head.parts)
    high = sum(part.high for part in head.parts)
    misses = [high - part.high + _miss(part, length) for part in head.parts if part.selective]
    return max(0.0, min(match - head.null.score, head.null.score - max(misses, default=-math.inf)))


def _miss(part: Part, length: int) -> float:
    return part.high - _clock_gap(part, length) if part.kind == "address" else part.miss


def _families(head: Head) -> Iterator[str]:
    """The families whose members a match compares."""
    features = [f for part in head.parts if part.kind in ("match", "raw") for f in part.features]
    names = [n for f in features for form in (f.query, f.key) for n in form.coefficients]
    stems = dict.fromkeys(name.partition("[")[0] for name in names if "[" in name)
    yield from (stem for stem in stems if stem.rpartition(".")[2] not in _ONE_SIDED)


def lattice(form: Form, space: Space) -> float:
    """What all values of a form are multiples of; 0: there is none, infinite: it is 0."""
    grids = [abs(form.constant)]
    for name, factor in form.coefficients.items():
        values = space.ranges[name]
        if factor and values.grain == 0 and values.low != values.high:
            return 0.0
        grids += [abs(factor * values.low), abs(factor * values.grain)]
    return common(grid for grid in grids if grid)


def common(grids: Iterable[float]) -> float:
    """The greatest common divisor; infinite of nothing, 0 if one is 0."""
    found, given = Fraction(0), set(grids)
    if all(float(grid).is_integer() for grid in given):
        return 0.0 if 0.0 in given else float(gcd(*map(int, given))) or math.inf
    for grid in given:
        part = Fraction(grid).limit_denominator(_FINEST)
        if part == 0:
            return 0.0
        above = gcd(found.numerator * part.denominator, part.numerator * found.denominator)
        found = Fraction(above, found.denominator * part.denominator)
    return float(found) or math.inf
