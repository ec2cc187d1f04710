"""Affine maps in the row-vector convention, and the number format they compute in."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.derived import Derived
from progtf.nn.precision import Precision, autocasts, follow_autocast
from progtf.nn.products import Places, Product, Sums, add, again, sparsely

Residual = Float[Tensor, "*rows d_residual"]
Columns = Float[Tensor, "d_residual *rows"]
Image = Float[Tensor, "*rows d_out"]


def apart(numbers: Tensor) -> bool:
    """Whether every column of a residual lies in one piece of memory, and not every row."""
    return numbers.dim() > 1 and numbers.stride(-1) != 1


def columns(numbers: Residual) -> Columns:
    """The columns of a residual, one after another; of those that lie apart nothing is copied."""
    return numbers.permute(2, 0, 1) if numbers.dim() == THREE else numbers.movedim(-1, 0)


def beside(numbers: Columns) -> Residual:
    """Columns as a residual again: the shape of one, and every column in one piece of memory."""
    return numbers.permute(1, 2, 0) if numbers.dim() == THREE else numbers.movedim(0, -1)


def side_by_side(parts: Sequence[Tensor]) -> Tensor:
    """The columns of several residuals; those that lie apart still do."""
    if len(parts) == 1:
        return parts[0]
    if not apart(parts[0]):
        return torch.cat([*parts], dim=-1)
    return beside(torch.cat([columns(part) for part in parts]))


THREE = 3
"""Axes of a residual, as nearly always: to say their order is faster than to move one."""
_NARROW = (torch.bfloat16, torch.float16)
MANY = 8
"""Columns that `gather` reads faster than `index_select`: row by row, and not one after another.

Its gradient would keep the whole source.
"""


class Affine(nn.Module):
    """``source @ weight + bias``: source = row, target = column, as the notation writes it.

    A map may read some columns of its source, and be meant for some columns of a residual: it
    gathers the ones, multiplies a small block, and `add_to` adds to the others. Weights stored in
    bfloat16 or float16 are widened before use.

    Args:
        d_in: columns that are read.
        d_out: columns that are given.
        reads: which columns of the source are read; None: all, in order.
        writes: which columns of a residual the image is added to; None: all, in order.

    Shapes:
        source   ... d_source  as wide as what is read where ``reads`` is None
        weight   d_in d_out
        bias     d_out
        returns  ... d_out

    Attributes:
        frozen: no gradient passes to the source.
        precision: what surrounds the product.
    """

    frozen = False
    precision: Precision = staticmethod(follow_autocast)
    reads: Places | None
    writes: Places | None

    def __init__(
        self, d_in: int, d_out: int, reads: Places | None = None, writes: Places | None = None
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_in, d_out))
        self.bias = nn.Parameter(torch.empty(d_out))
        self.register_buffer("reads", reads, persistent=False)
        self.register_buffer("writes", writes, persistent=False)
        self._draw(d_in)
        self._products: Derived[dict[int, Product]] = Derived()

    @torch.no_grad()
    def _draw(self, d_in: int) -> None:
        """First numbers; a map that reads nothing, as before its own are put in, has none."""
        if not d_in:
            self.bias.zero_()
            return
        nn.init.uniform_(self.weight, -(d_in**-0.5), d_in**-0.5)
        nn.init.uniform_(self.bias, -(d_in**-0.5), d_in**-0.5)

    def read(self, source: Float[Tensor, "*rows d_source"]) -> Float[Tensor, "*rows d_in"]:
        """The columns that the map reads."""
        if self.frozen:
            source = source.detach()
        reads = self.reads
        if reads is None:
            return source
        if apart(source):
            return beside(columns(source).index_select(0, reads))
        if reads.shape[0] < MANY or torch.is_grad_enabled():
            return source.index_select(-1, reads)
        return source.gather(-1, reads.expand(*source.shape[:-1], -1))

    def forward(
        self, source: Float[Tensor, "*rows d_source"], *, was_read: bool = False
    ) -> Float[Tensor, "*rows d_out"]:
        """The image of a source, or of the columns of it that were read."""
        if apart(source):
            return self._of_columns(source, was_read=was_read)
        source = source if was_read else self.read(source)
        weight, bias = _wide(self.weight), _wide(self.bias)
        with self.precision(source.device):
            return self._image(self._cast(source, weight), weight, bias)

    def _of_columns(self, source: Residual, *, was_read: bool) -> Image:
        """The image of a source whose columns lie apart, in columns."""
        given = columns(source.detach() if self.frozen else source)
        product = self.product(len(given), was_read=was_read)
        with self.precision(source.device):
            image = product(self._cast(given, product.weight).flatten(1))
        return beside(torch.unflatten(image, 1, source.shape[:-1]))

    def product(self, d_source: int, *, was_read: bool = False) -> Product:
        """What multiplies so many columns; as long as the network is the same it is not made again.

        Of a matrix of which most is 0 only the rest is multiplied, but not by autocast, which would
        have compressed rows in bfloat16.
        """
        reads = None if was_read else self.reads
        narrow = self.weight.dtype in _NARROW or autocasts(self.weight.device)
        if narrow or torch.is_grad_enabled() or torch.compiler.is_compiling():
            return self._product(_wide(self.weight).t(), reads)
        made = self._products.of(self, dict)
        d_source = len(self.weight) if reads is None else d_source
        if d_source not in made:
            sparse = sparsely(self.weight.t(), reads, d_source)
            whole = sparse is None
            made[d_source] = self._product(self.weight.t(), reads) if whole else self._few(sparse)
        return made[d_source]

    def _product(self, weight: Tensor, reads: Places | None) -> Product:
        return Product(weight, _wide(self.bias)[:, None], reads)

    def _few(self, weight: Tensor) -> Product:
        """The product by a matrix in compressed rows."""
        return self._product(weight, None)

    def _cast(self, source: Tensor, weight: Tensor) -> Tensor:
        if source.dtype == weight.dtype or autocasts(source.device):
            return source
        return source.to(weight.dtype)

    def _image(self, source: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return functional.linear(source, weight.t(), bias)

    def add_to(
        self, residual: Residual, update: Float[Tensor, "*rows d_out"], *, in_place: bool = False
    ) -> Residual:
        """The residual with the map's image added where it writes."""
        writes = self.writes
        if writes is None:
            return residual.add_(update) if in_place else residual + update
        update = update.to(residual.dtype)
        if apart(residual):
            given, update = columns(residual), columns(update)
            if in_place and given.is_contiguous():  # of two axes it takes half as long
                add(given.flatten(1), writes, update.flatten(1))
                return residual
            return beside((given.index_add_ if in_place else given.index_add)(0, writes, update))
        return (residual.index_add_ if in_place else residual.index_add)(-1, writes, update)


class SharedSums(Affine):
    """``(source @ weight)[of] + bias``: targets that differ in their bias alone share one sum.

    They see the same rounded number, so that the difference of two is that of their biases, and a
    staircase of many units costs one column.

    Shapes:
        weight   d_in d_sum
        of       d_out        the sum that each target begins with
        bias     d_out
        returns  ... d_out
    """

    of: Sums

    def __init__(self, d_in: int, of: Sums, reads: Places | None = None) -> None:
        super().__init__(d_in, len(of.unique()), reads)
        self.bias = nn.Parameter(torch.zeros(len(of)))
        self.register_buffer("of", of, persistent=False)

    def _image(self, source: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return functional.linear(source, weight.t()).index_select(-1, self.of) + bias

    def _product(self, weight: Tensor, reads: Places | None) -> Product:
        return Product(weight, _wide(self.bias)[:, None], reads, self.of)

    def _few(self, weight: Tensor) -> Product:
        return again(self._product(weight, None))


def _wide(numbers: Tensor) -> Tensor:
    return numbers.float() if numbers.dtype in _NARROW else numbers


def store_weights(module: nn.Module, dtype: torch.dtype) -> None:
    """Stores every affine map below ``module`` in ``dtype``; tables and scores stay as they are."""
    for part in module.modules():
        if isinstance(part, Affine):
            part.to(dtype)
