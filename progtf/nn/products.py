"""Products by affine maps of columns side by side, of which most weights are 0."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from warnings import catch_warnings, filterwarnings

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from progtf.equality import compared

Places = Int[Tensor, " place"]
Sums = Int[Tensor, " target"]
Stream = Float[Tensor, "d_residual row"]
Multiply = Callable[[Float[Tensor, "source row"]], Float[Tensor, "target row"]]
SPARSE = 8
"""Of so many weights one at most is not 0 where leaving out the others is faster."""
AGAIN = 8
"""So many products a target may be made again where several have one sum."""
FEW = 1 << 12
"""Numbers that are added where they belong one after another."""


@compared
class Product(NamedTuple):
    """An affine map as it multiplies columns, of all rows side by side.

    Attributes:
        weight: target by source; in compressed rows, all of the source is read as it stands.
        bias: in a column.
        reads: which columns of the source are read before; None: all.
        of: of each target the sum that it begins with; None: its own.
    """

    weight: Float[Tensor, "target source"]
    bias: Float[Tensor, "target 1"]
    reads: Places | None
    of: Sums | None = None

    def __call__(self, given: Float[Tensor, "source row"]) -> Float[Tensor, "target row"]:
        """The image, one column a row."""
        weight, bias, reads, of = self
        if reads is not None:
            given = given.index_select(0, reads)
        if of is None:
            return torch.addmm(bias, weight, given)
        sums = torch.mm(weight, given).index_select(0, of)
        return sums + bias if torch.is_grad_enabled() else sums.add_(bias)

    @property
    def bare(self) -> Multiply:
        """The same without asking what there is to do; of a small one that is a twentieth."""
        weight, bias, reads, of = self
        return partial(torch.addmm, bias, weight) if reads is None and of is None else self


def stacked(one: Product, other: Product) -> Product | None:
    """Two maps that read the same as one: the targets of the other below; None: not in one product.

    Every target is the sum that it was, for rows are multiplied each by itself.
    """
    weights = one.weight, other.weight
    sparse = all(weight.layout == torch.sparse_csr for weight in weights)
    if not sparse or one.of is not None or other.of is not None:
        return None
    ends = [weight.crow_indices() for weight in weights]
    rows = torch.cat([ends[0], ends[1][1:] + ends[0][-1]])
    sources = torch.cat([weight.col_indices() for weight in weights])
    numbers = torch.cat([weight.values() for weight in weights])
    weight = _in_rows(rows, sources, numbers, one.weight.shape[1])
    return Product(weight, torch.cat([one.bias, other.bias]), None)


def again(product: Product) -> Product:
    """Each target with a sum of its own, of the same products in the same order.

    To multiply few numbers again takes less time than to copy their sum, and to add to it.
    """
    weight, bias, _, of = product
    assert of is not None
    ends, counts = weight.crow_indices(), weight.crow_indices().diff().index_select(0, of)
    if counts.sum() > AGAIN * len(of):
        return product
    last = counts.cumsum(0, dtype=torch.int32)
    begin = ends.index_select(0, of) - (last - counts)
    entries = torch.arange(int(counts.sum()), device="cpu") + begin.repeat_interleave(counts)
    sources, numbers = (
        each.index_select(0, entries) for each in (weight.col_indices(), weight.values())
    )
    own = _in_rows(functional.pad(last, (1, 0)), sources, numbers, weight.shape[1])
    return Product(own, bias, None)


def add(
    stream: Stream,
    writes: Places | None,
    update: Float[Tensor, "target row"],
) -> None:
    """Adds columns to those of a residual where a map writes; None: to all of them.

    Of few numbers torch's ``index_put_`` takes half as long as its ``index_add_``, of many longer.
    """
    if writes is None:
        stream.add_(update)
    elif update.numel() <= FEW and update.is_cpu:
        stream.index_put_((writes,), update, accumulate=True)
    else:
        stream.index_add_(0, writes, update)


def sparsely(
    weight: Float[Tensor, "target read"], reads: Places | None, d_source: int
) -> Float[Tensor, "target source"] | None:
    """The matrix in compressed rows if that is faster; torch multiplies these by Intel's MKL.

    Every number that comes out is then the sum of its own products alone. In which order they are
    added up may depend on how many columns there are, to a rounding. Places are as wide as MKL's,
    or torch would copy them each time.
    """
    if weight.device.type != "cpu" or not torch.backends.mkl.is_available():
        return None
    n_targets, flat = weight.shape[0], weight.detach().t().reshape(-1).numpy()
    there = np.flatnonzero(flat)
    few = reads is not None and len(there) <= AGAIN * n_targets  # else they would be copied first
    if SPARSE * len(there) > len(flat) and not few:
        return None
    source, target = np.divmod(there, n_targets)
    order = np.argsort(target, kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(target, minlength=n_targets))).astype(np.int32)
    at = source if reads is None else reads.numpy()[source]
    places, numbers = at[order].astype(np.int32), flat[there][order]
    tensors = torch.from_numpy(ends), torch.from_numpy(places), torch.from_numpy(numbers)
    return _in_rows(*tensors, d_source)


def _in_rows(
    ends: Int[Tensor, " end"],
    sources: Int[Tensor, " entry"],
    numbers: Float[Tensor, " entry"],
    d_source: int,
) -> Float[Tensor, "target source"]:
    """A matrix of compressed rows."""
    with catch_warnings():
        filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        filterwarnings("ignore", message="Sparse invariant checks are implicitly disabled")
        size = ends.shape[0] - 1, d_source
        return torch.sparse_csr_tensor(
            ends, sources, numbers, size=size, check_invariants=False, device="cpu"
        )
