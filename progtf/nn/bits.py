"""All bits of some tensors, held against what they are now.

Torch counts how often a tensor is changed in its place, but not by ``.data`` or by a numpy array
that shares its memory. So whoever must know that nothing has changed looks at the numbers.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import torch
from numpy.typing import NDArray
from torch import Tensor

from progtf.equality import compared

_WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Whole numbers by their bytes, to look at the bits of others."""
SMALL = 1 << 12
"""Bytes that are copied in less time than torch takes to be asked about them."""


def words(tensor: Tensor) -> Tensor:
    """The numbers of a tensor as whole ones of the same bits: NaN is itself, and -0 is not 0."""
    plain = tensor.detach().contiguous()
    return plain.view(_WORDS[plain.element_size()])


@compared
class _Seen(NamedTuple):
    """Where the numbers of tensors lie, and how to look at them there.

    Attributes:
        places: of each tensor.
        few: the bytes of those that are small; many: the words of the others.
    """

    places: list[list[Any]]
    few: list[NDArray[Any]]
    many: list[Tensor]

    @classmethod
    def of(cls, tensors: Sequence[Tensor], places: list[list[Any]]) -> "_Seen":
        seen = [words(each) for each in tensors]
        small = [each.is_cpu and each.numel() * each.element_size() <= SMALL for each in seen]
        few = [each.numpy() for each, is_small in zip(seen, small, strict=True) if is_small]
        many = [each for each, is_small in zip(seen, small, strict=True) if not is_small]
        return cls(places, few, many)


class Bits:
    """The bits of some tensors, which nobody else may change.

    Args:
        tensors: of which these are the bits; they are not copied.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.tensors = list(tensors)
        seen = _Seen.of(tensors, [])
        self._few, self._many = [each.tobytes() for each in seen.few], seen.many
        self._kinds = [*map(_kind, tensors)]
        self._last = _Seen([], [], [])

    @classmethod
    def copied(cls, tensors: Sequence[Tensor]) -> "Bits":
        """Those of copies, made now."""
        return cls([each.detach().clone() for each in tensors])

    def same(self, tensors: Sequence[Tensor]) -> bool:
        """Whether others are on the same devices, in the same formats, and have these bits."""
        places = [[*map(asked, tensors)] for asked in _PLACE]
        seen = self._last  # threads may share it
        if seen.places != places:
            if [*map(_kind, tensors)] != self._kinds:
                return False
            seen = _Seen.of(tensors, places)
            if all(each.is_contiguous() for each in tensors):  # else these are copies
                self._last = seen
        few = [each.tobytes() for each in seen.few]
        return few == self._few and all(map(torch.equal, seen.many, self._many))


_PLACE = Tensor.data_ptr, Tensor.stride, attrgetter("shape"), attrgetter("dtype")
"""Which numbers are a tensor's, of all in memory."""


def _kind(tensor: Tensor) -> tuple[object, ...]:
    return tensor.shape, tensor.dtype, tensor.device


def content(tensors: Sequence[Tensor]) -> tuple[object, ...] | None:
    """What tells a few small tensors from others; None: they have no numbers to look at."""
    if any(each.is_meta or type(each.data) is not Tensor for each in tensors):
        return None
    return tuple(
        (each.dtype, each.shape, each.device, words(each).cpu().numpy().tobytes())
        for each in tensors
    )
