"""What heads keep of a state, and what a Hadamard product keeps of a whole tensor product.

Both are questions of Schlag et al. 2019: section 6.1 and appendix A.2. All of it is counted on
positions where nothing was fitted.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.analysis.coordinates import explained, regressed
from progtf.equality import compared

Array = NDArray[np.float64]
RIDGE = 1e-6
"""Of the variance of a value, of the map that leads from it back to the state."""
SMALL = 1e-9
"""Of the size of a system of equations: what holds a solution near the one before."""
SPREAD = 1e-4
"""Of the mean variance: what every direction is taken to vary, where few positions were seen."""
ENOUGH = 1e-4
"""A round that lowers the error by a smaller share is the last one."""


class Kept(NamedTuple):
    """How well a state is told from a value: R², mean over its numbers, and mean squared error."""

    explained: float
    error: float


def kept(values: Array, states: Array, fitted: NDArray[np.bool_]) -> Kept:
    """Section 6.1: an affine map from one head's value of a state back to the state.

    Args:
        values: position d_filler.
        states: position d_model.
        fitted: where the map is fitted; it is scored elsewhere.
    """
    slopes, base = regressed(values[fitted], states[fitted], RIDGE)
    due, told = states[~fitted], values[~fitted] @ slopes + base
    each = explained(due, told)
    varies = each[~np.isnan(each)]
    share = float(varies.mean()) if len(varies) else float("nan")
    return Kept(share, float(np.square(told - due).mean()))


def mean_of(heads: Iterable[Kept]) -> Kept:
    """Both numbers, averaged across heads; NaN if one of them is."""
    explained, error = np.mean([*heads], axis=0).tolist()
    return Kept(explained, error)


class Shares(NamedTuple):
    """Of the variance of filler ⊗ role, what some directions keep.

    Attributes:
        free: principal directions, the most that is possible.
        products: the product of two vectors that is nearest to each of these.
        unpaired: products of a principal direction of fillers and one of roles, the strongest.
        paired: the first of fillers with the first of roles, the second with the second, and so on.
    """

    free: float
    products: float
    unpaired: float
    paired: float


def shares(filler: Array, role: Array, count: int) -> Shares:
    """Appendix A.2: how far the principal directions of what is bound pair off.

    Args:
        filler: position d_filler.
        role: position d_role.
        count: directions that are kept.
    """
    across = np.cov(_products(filler, role), rowvar=False)
    best = _principal(across, count)
    left, right = _nearest_products(best, role.shape[1])
    m, n = (np.linalg.svd(each, full_matrices=False)[2] for each in (filler, role))
    products = np.einsum("iv,jr->ijvr", m, n).reshape(len(m), len(n), -1)
    every = products.reshape(-1, products.shape[-1])
    strong = np.argsort(-np.einsum("pd,de,pe->p", every, across, every))[:count]
    pairs = np.stack([products[c, c] for c in range(min(count, len(m), len(n)))])
    parts = best, _joined(left, right), every[strong].T, pairs.T
    return Shares(*(_share(across, part) for part in parts))


def _products(filler: Array, role: Array) -> Array:
    return np.einsum("pv,pr->pvr", filler, role).reshape(len(role), -1)


def _principal(across: Array, count: int) -> Array:
    return np.linalg.eigh(across)[1][:, ::-1][:, :count]


def _nearest_products(directions: Array, d_role: int) -> tuple[Array, Array]:
    """The two vectors whose product is nearest to each direction: d component, twice."""
    left, _, right = np.linalg.svd(
        directions.T.reshape(directions.shape[1], -1, d_role), full_matrices=False
    )
    return left[:, :, 0].T, right[:, 0, :].T


def _joined(left: Array, right: Array) -> Array:
    """The product of each two vectors as one direction."""
    return np.einsum("vc,rc->vrc", left, right).reshape(-1, left.shape[1])


def _share(across: Array, part: Array) -> float:
    basis = np.linalg.qr(part)[0]
    whole = float(np.trace(across))
    return float(np.trace(basis.T @ across @ basis)) / whole if whole else 1.0


@compared
class Pairs(NamedTuple):
    """Maps after which a Hadamard product stands for a whole one.

    ``((filler @ of_filler) * (role @ of_role)) @ out + bias`` is near to what
    ``(filler ⊗ role) @ out`` was before.

    Shapes:
        of_filler  d_filler component
        of_role    d_role component
        out        component d_model
        bias       d_model
    """

    of_filler: Array
    of_role: Array
    out: Array
    bias: Array

    def update(self, filler: Array, role: Array) -> Array:
        """What the head writes."""
        return ((filler @ self.of_filler) * (role @ self.of_role)) @ self.out + self.bias

    def bound(self, filler: Array, role: Array) -> float:
        """The share of the variance of filler ⊗ role that lies within these products."""
        across = np.cov(_products(filler, role), rowvar=False)
        return _share(across, _joined(self.of_filler, self.of_role))


def compressed(filler: Array, role: Array, out: Array, count: int, rounds: int) -> Pairs:
    """Pairs of directions for which a head's update changes least.

    They begin as appendix A.2 says: each principal direction of filler ⊗ role, by the product that
    is nearest to it. Then the three maps are fitted in turns to what the head writes, each by least
    squares, which never raises the error.

    Args:
        filler: position d_filler.
        role: position d_role.
        out: (d_filler d_role) d_model.
        count: of pairs.
        rounds: the most there are of such turns; 0: the directions stay as they begin.
    """
    products = _products(filler, role)
    across = np.cov(products, rowvar=False)
    across += SPREAD * np.trace(across) / len(across) * np.eye(len(across))
    sizes = filler.shape[1], role.shape[1]
    left, right = _nearest_products(_principal(across, count), sizes[1])
    written = _written(left, right, across, out)
    before = _missed(left, right, written, across, out)
    for _ in range(rounds):
        square, due = across.reshape(*sizes, *sizes), (across @ out @ written.T)
        left = _solved(left, right, written, square, due.reshape(*sizes, count))
        square = square.transpose(1, 0, 3, 2)
        due = due.reshape(*sizes, count).transpose(1, 0, 2)
        right = _solved(right, left, written, square, due)
        left, right = (each / _length(each) for each in (left, right))
        written = _written(left, right, across, out)
        now = _missed(left, right, written, across, out)
        if before - now < ENOUGH * before:
            break
        before = now
    bias = products.mean(axis=0) @ (out - _joined(left, right) @ written)
    return Pairs(left, right, written, bias)


def _written(left: Array, right: Array, across: Array, out: Array) -> Array:
    """The best map from the components to what the head writes."""
    part = _joined(left, right)
    found: Any = np.linalg.lstsq(part.T @ across @ part, part.T @ across @ out)[0]
    return found


def _solved(own: Array, other: Array, written: Array, square: Array, due: Array) -> Array:
    """The best vectors on one side of the products, where all else is given."""
    size, count = own.shape
    alike = np.einsum("jc,kd,vjwk->cvdw", other, other, square, optimize=True)
    system = (alike * (written @ written.T)[:, None, :, None]).reshape(size * count, -1)
    wanted = np.einsum("jc,vjc->cv", other, due).ravel()
    hold = SMALL * max(float(np.trace(system)) / len(system), np.finfo(float).tiny)
    system[np.diag_indices_from(system)] += hold
    return np.linalg.solve(system, wanted + hold * own.T.ravel()).reshape(count, size).T


def _length(vectors: Array) -> Any:
    return np.maximum(np.linalg.norm(vectors, axis=0), np.finfo(float).tiny)


def _missed(left: Array, right: Array, written: Array, across: Array, out: Array) -> float:
    rest = out - _joined(left, right) @ written
    return float(np.einsum("do,de,eo->", rest, across, rest, optimize=True))


def explained_together(due: Array, found: Array) -> float:
    """The share of the variance of all columns together that is found; 1 if there is none."""
    whole = float(np.square(due - due.mean(axis=0)).sum())
    return 1 - float(np.square(due - found).sum()) / whole if whole else 1.0
