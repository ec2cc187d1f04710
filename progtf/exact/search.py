"""The smallest difference of scores that decides what a head reads."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from progtf.numbers import plain
from progtf.program.clocks import address_gap, ramp_gap
from progtf.program.forms import Form, Space
from progtf.program.model import Head, Part
from progtf.program.outcome import Held
from progtf.rational import fraction_of

_ONE_SIDED = ("cos", "sin")


@dataclass(frozen=True, slots=True)
class Search:
    """How well a head tells what it looks for from everything else.

    Attributes:
        gap: the smallest difference of scores that matters, before sharpness.
        address: the difference that clocks make, None without any.
        unique: whether no two tokens, and no token and the null key, can have the highest score.
        ties: whether the null key may have the score of a match.
        assumed: what the gap takes for granted, in words, and what that says.
    """

    gap: float
    address: float | None
    unique: bool
    ties: bool
    assumed: Mapping[str, Held]


def search(head: Head, space: Space, reach: int) -> Search:
    """The search of a head among tokens that stand ``reach`` apart at most."""
    if head.look == "self" and head.null is None:
        return Search(math.inf, None, unique=True, ties=False, assumed={})
    clocked = [_clock_gap(part, reach) for part in head.parts if part.periods]
    address, grid = min(clocked, default=None), _score_grid(head, space)
    gaps, told, ties = [*clocked], set[str](), False
    if grid == 0:
        gaps.append(min(part.gap for part in head.parts if not part.periods))
        told.add("apart")
    elif grid is not None and (address is None or not _one_level(head)):
        gaps.append(float(grid))
    if head.null is not None:
        if address is None and grid:
            rest = fraction_of(head.null.score) % grid
            ties = not rest
            gaps.append(float(min(rest, grid - rest) or grid))
        else:
            gaps.append(_halves(head, reach))
            ties = not gaps[-1] > 0
            told |= {*_families(head)}
    told |= {*_combined(head)}
    gap = min(gaps, default=math.inf)
    unique = not ties and (head.look == "self" or head.null is not None and _single(head))
    return Search(gap, address, unique, ties, dict(_assumed(head, told, gap)))


def _single(head: Head) -> bool:
    """Whether what a head looks for is at one place: at one distance, or nearest on one side."""
    for part in head.parts:
        if part.offset is not None:
            return True
        others = all(other.match == other.high for other in head.parts if other is not part)
        if part.kind == "nearest" and others and head.source == "self":
            return head.look in ("before", "upto", "after")
    return False


def _assumed(head: Head, told: set[str], gap: float) -> Iterator[tuple[str, Held]]:
    """Assumptions about a search in words, each with what it says."""
    if "apart" in told:
        yield (
            f"scores of head `{head.name}` that differ, differ by {plain(gap)} at least",
            Held.of_head("apart", head, gap),
        )
    if "there" in told:
        least = sum(part.match for part in head.parts) - gap / 2
        yield f"a token stands where head `{head.name}` looks", Held.of_head("there", head, least)
    for family in sorted(told - {"apart", "there"}):
        yield f"of `{family}` one holds at a token", Held("hot", family)


def _clock_gap(part: Part, length: int) -> float:
    if part.kind == "nearest":
        return ramp_gap(part.periods[0], length)
    return address_gap(part.periods, length + part.shift)


def _score_grid(head: Head, space: Space) -> Fraction | None:
    """What all scores of the parts without clocks are multiples of; 0: nothing, None: all are 0."""
    features = [f for part in head.parts if not part.periods for f in part.features]
    found = [product(lattice(f.query, space), lattice(f.key, space)) for f in features]
    return Fraction(0) if 0 in found else common(each for each in found if each)


def _one_level(head: Head) -> bool:
    """Whether the parts without clocks give all their matches the same score."""
    return all(p.match == p.high for p in head.parts if not p.periods)


def _combined(head: Head) -> Iterator[str]:
    """What must hold where several parts are added up, so that one does not make up for another."""
    if head.null is None and any(part.kind == "address" for part in head.parts):
        yield "there"
    parts = [part for part in head.parts if part.kind not in ("condition", "address")]
    graded = [part for part in parts if part.match != part.high]
    alone = len(parts) == 1 and all(part.kind != "address" for part in head.parts)
    if graded and not alone and (len(graded) > 1 or head.null is None):
        yield "apart"


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


def lattice(form: Form, space: Space) -> Fraction | None:
    """What all values of a form are multiples of; 0: there is none, None: it is always 0."""
    grids = [fraction_of(form.constant)]
    for name, factor in form.coefficients.items():
        values = space.ranges[name]
        if factor and values.grain == 0 and values.low != values.high:
            return Fraction(0)
        times = fraction_of(factor)
        grids += [times * fraction_of(values.low), times * fraction_of(values.grain)]
    return common(grids)


def common(grids: Iterable[Fraction]) -> Fraction | None:
    """The greatest common divisor of all that are not 0; None: all are."""
    found = Fraction(0)
    for part in {*grids}:
        above = gcd(found.numerator * part.denominator, part.numerator * found.denominator)
        found = Fraction(above, found.denominator * part.denominator)
    return found or None


def product(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    """What the products of two numbers are multiples of, by what these are multiples of."""
    return None if one is None or other is None else one * other
