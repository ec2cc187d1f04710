"""What operations on stored numbers lose at most, whatever the order in which they are done.

Every lemma is stated and proven in `docs/exactness.md`; the names here are the names there. All of
them hold for arrays, entry by entry.
"""

from typing import NamedTuple

import numpy as np

from progtf.exact.formats import Format
from progtf.program.arrays import Array

EXP = 8.0
"""How many roundoffs the exponential function may lie off; libraries promise 1 to 4 ulp. What is
nearer to 0 than a quarter of a roundoff is taken to 1."""
MARGIN = 1.01
"""For what is of higher order."""
LONGEST = 40  # terms: beyond, doubling an error says nothing


def lost_in_sum(
    terms: Array, most: Array, products: Array, grid: Array, error: Array, number: Format
) -> Array:
    """Lemmas 1, 2 and 3: what products and sums of so many terms lose, beyond the inputs' errors.

    Args:
        terms: how many are not 0.
        most: no sum of some of the terms is larger.
        products: the sum of the amounts of those that are rounded before they are added.
        grid: a power of two that all exact terms are multiples of; 0: none.
        error: how far all terms together lie off before they are added.
        number: the format.
    """
    u = number.roundoff
    with np.errstate(invalid="ignore", over="ignore"):
        fits = (grid > 0) & (most <= grid * number.counts)
        snaps = fits & (error <= grid * u / 4)
        second = np.maximum(1.0 - 2 * terms * u, 0.5)  # of higher order
        rounded = u * (np.maximum(terms - 1, 0) * most + products) / second
        rounded = np.where(2 * terms * u > 0.5, np.inf, rounded)
        doubled = np.where(
            fits & (terms < LONGEST), (2.0 ** np.minimum(terms, LONGEST) - 1) * error, np.inf
        )
    return np.where(snaps, 0.0, np.minimum(rounded, doubled))


def lost_in_one(
    terms: float, most: float, products: float, grid: float, error: float, number: Format
) -> float:
    """The same of a single sum."""
    given = [np.array(float(each)) for each in (terms, most, products, grid, error)]
    return float(lost_in_sum(given[0], given[1], given[2], given[3], given[4], number))


def lost_in_product(size: Array, grid: Array, error: Array, number: Format) -> Array:
    """Lemma 4: what one product loses; ``error``: how far it lies off before it is rounded."""
    u, fits = number.roundoff, (size > 0) & (size <= grid * number.counts)
    snapped = np.where(error <= grid * u / 4, 0.0, np.minimum(error, u * size))
    return np.where(fits, snapped, u * size)


class Share(NamedTuple):
    """What a softmax makes of exact shares.

    Attributes:
        leak: what goes to keys that do not match, at most.
        noise: by how much the shares of two matches differ, relatively.
        lost: how far the sum of all shares lies off 1, and each from what its score tells.
        exact: whether shares of matches are exact, and all others together below half a roundoff.
    """

    leak: float
    noise: float
    lost: float
    exact: bool


def shares(gap: float, apart: float, tokens: int, number: Format, *, alone: bool) -> Share:
    """Lemma 5: the shares of a softmax over so many tokens.

    Args:
        gap: by how many nats matches outscore the others, at least, in what is computed.
        apart: by how many nats the scores of two matches differ at most.
        tokens: how many there are at most.
        number: the format.
        alone: whether matches are 1, 2, 4, 8 ... in number.
    """
    u = number.roundoff
    leak = (
        0.0 if np.isinf(gap) else min(1.0, tokens * float(np.exp(-max(gap, 0.0))) * (1 + EXP * u))
    )
    if apart < u / 4 and leak < u / 4:  # exp is 1, and as many times 1 are added up exactly
        return Share(leak, 0.0, 0.0 if alone else 2 * u, exact=alone)
    return Share(leak, float(np.expm1(min(apart, 1.0))), (tokens + EXP + 2) * u, exact=False)
