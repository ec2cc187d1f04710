"""What is computed of a text once, as long as what computes it does not change."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.nn.bits import Bits
from progtf.nn.hooks import watched

Source = Int[Tensor, "batch src"]
Real = Bool[Tensor, "batch src"]
Vectors = Float[Tensor, "batch src d_kept"]
WHOLE = 1e-3
MOST = 2_000_000_000
"""Bytes that are kept; past that, texts are computed anew."""


class _Rows:
    """What some numbers have computed: text -> its vectors, in int8 where all are whole numbers.

    Threads may share it: what others compute never comes here.
    """

    def __init__(self, numbers: Sequence[Tensor]) -> None:
        self.bits = Bits.copied(numbers)
        self.rows: dict[bytes, Tensor] = {}
        self.size = 0

    def keep(self, fresh: dict[bytes, Tensor]) -> None:
        for key, row in fresh.items():
            if self.size < MOST:
                self.rows[key] = row
                self.size += row.numel() * row.element_size() + len(key)


class KeptTexts:
    """Vectors of the symbols of texts, by these symbols; batches may be padded as they like."""

    def __init__(self) -> None:
        self._last = _Rows([])

    @property
    def rows(self) -> dict[bytes, Tensor]:
        """What is kept now, by text."""
        return self._last.rows

    @property
    def size(self) -> int:
        """Bytes of all of it."""
        return self._last.size

    def of(
        self,
        source: Source,
        real: Real,
        compute: Callable[[Source, Real], Vectors],
        module: nn.Module | None = None,
        numbers: Sequence[Tensor] = (),
    ) -> Vectors:
        """The vectors of every text; 0 at padding.

        Args:
            source: symbols, one text a row.
            real: False at padding, which is behind a text.
            compute: gives the vectors of those that are not kept yet.
            module: what computes them: when a bit of it changes all are computed anew, and
                nothing is kept while somebody looks at it; None: it never changes.
            numbers: what else it computes with.
        """
        last = self._now(module, numbers)
        lengths, symbols = real.sum(dim=1).tolist(), source.to("cpu", torch.int32)
        keys = [row[:n].numpy().tobytes() for row, n in zip(symbols, lengths, strict=True)]
        fresh: dict[bytes, Tensor] = {}
        if missing := [number for number, key in enumerate(keys) if key not in last.rows]:
            at = torch.tensor(missing, device=source.device, dtype=torch.long)
            for number, row in zip(missing, compute(source[at], real[at]).cpu(), strict=True):
                fresh[keys[number]] = _packed(row[: lengths[number]])
            last.keep(fresh)
        found = [fresh[key] if key in fresh else last.rows[key] for key in keys]
        result = torch.zeros(*source.shape, found[0].shape[-1], dtype=torch.float32, device="cpu")
        for vectors, row in zip(result, found, strict=True):
            vectors[: len(row)] = row
        return result.to(source.device)

    def _now(self, module: nn.Module | None, numbers: Sequence[Tensor]) -> _Rows:
        """What is known of texts as long as these numbers are what they are."""
        if module is not None and watched(module):
            return _Rows([])
        own = () if module is None else (*module.parameters(), *module.buffers())
        last = self._last
        if not last.bits.same([*numbers, *own]):
            last = self._last = _Rows([*numbers, *own])
        return last

    def __reduce__(self) -> tuple[type["KeptTexts"], tuple[()]]:
        """A copy knows nothing yet."""
        return KeptTexts, ()


def _packed(row: Tensor) -> Tensor:
    """The vectors of one text: whole numbers as int8, anything else as it is.

    What is kept of a text depends on no other: a run that goes on meets it among others.
    """
    whole = row.round()
    fits = bool(((row - whole).abs() < WHOLE).all()) and bool((whole.abs() < 128).all())
    return whole.to(torch.int8) if fits else row.clone()
