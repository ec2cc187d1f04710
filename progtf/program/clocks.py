"""Clocks: pairs (cos, sin) that turn once in so many tokens; together the positional encoding.

Vaswani et al. 2017, section 3.5, with periods chosen by the program.
"""

import math
from functools import lru_cache
from itertools import pairwise

from progtf.notation.spell import number
from progtf.program.forms import Form, power_of_two_above

LADDER = 8


def cos_name(period: float) -> str:
    """The seme of a clock's cosine."""
    return f"cos[{number(period)}]"


def sin_name(period: float) -> str:
    """The seme of a clock's sine."""
    return f"sin[{number(period)}]"


def period_of(name: str) -> float:
    """The period of the clock whose hand a seme is; 0 of any other seme."""
    hand, _, period = name.removesuffix("]").partition("[")
    return float(period) if hand in ("cos", "sin") and period else 0.0


def ladder(length: int) -> tuple[float, ...]:
    """Periods 8, 64, 512 ...: a ladder that tells all positions below ``length`` well apart."""
    periods = [float(LADDER)]
    while periods[-1] < 2 * length:
        periods.append(periods[-1] * LADDER)
    return tuple(periods)


def ramp_period(length: int) -> float:
    """A clock so slow that its sine grows over the whole input, at its end still half as fast."""
    return power_of_two_above(6 * length)


def rotated(period: float, tokens: float) -> tuple[Form, Form]:
    """The hand of a clock moved on by ``tokens``: forms of its cosine and its sine."""
    c, s = math.cos(2 * math.pi * tokens / period), math.sin(2 * math.pi * tokens / period)
    cos, sin = cos_name(period), sin_name(period)
    return Form({cos: c, sin: -s} if s else {cos: c}), Form({sin: c, cos: s} if s else {sin: c})


COUNTED = 65_536
"""Positions that are tried one by one; for more of them what holds for all is said."""


@lru_cache(maxsize=256)
def address_gap(periods: tuple[float, ...], length: int) -> float:
    """How much the right position outscores the next best one, at any distance below ``length``.

    Of more than `COUNTED` positions it is a bound. Take clocks of which each period divides the
    next, the longest at least ``length``. A distance is a multiple of some of them and not of the
    next one: that clock then is off by the ratio of both at least.
    """
    if length > COUNTED:
        ladder = [1.0]
        for period in sorted(periods):
            if (period / ladder[-1]).is_integer() and (max(periods) / period).is_integer():
                ladder.append(period)
        if ladder[-1] < length:
            return 0.0
        return min(1 - math.cos(2 * math.pi * a / b) for a, b in pairwise(ladder))
    turns = [2 * math.pi / period for period in periods]
    return min(sum(1 - math.cos(n * turn) for turn in turns) for n in range(1, max(2, length)))


def ramp_gap(period: float, length: int) -> float:
    """The smallest step of the slow sine between neighbouring positions: as it bends, the last."""
    if length > COUNTED and 4 * length <= period:
        last, before = (2 * math.pi * n / period for n in (length - 1, length - 2))
        return math.sin(last) - math.sin(before)
    sines = [math.sin(2 * math.pi * n / period) for n in range(max(2, length))]
    return min(after - before for before, after in pairwise(sines))
