"""What is computed of a text once, as long as what computes it does not change."""

from collections.abc import Callable

from jaxtyping import Bool, Float, Int
from torch import Tensor

Source = Int[Tensor, "batch src"]
Real = Bool[Tensor, "batch src"]
Vectors = Float[Tensor, "batch src d_kept"]


class KeptTexts:
    """Vectors of the symbols of texts, by these symbols; batches may be padded as they like."""

    def __init__(self) -> None:
        self.kept: dict[bytes, Tensor] = {}

    def of(self, source: Source, real: Real, compute: Callable[[Source, Real], Vectors]) -> Vectors:
        """The vectors of every text; 0 at padding.

        Args:
            source: symbols, one text a row.
            real: False at padding, which is behind a text.
            compute: gives the vectors of those that are not kept yet.
        """
        keys = [row[there].cpu().numpy().tobytes() for row, there in zip(source, real, strict=True)]
        if missing := [number for number, key in enumerate(keys) if key not in self.kept]:
            found = compute(source[missing], real[missing])
            for number, row in zip(missing, found, strict=True):
                self.kept[keys[number]] = row[real[number]].clone()
        rows = [self.kept[key] for key in keys]
        result = rows[0].new_zeros(*source.shape, rows[0].shape[-1])
        for vectors, row in zip(result, rows, strict=True):
            vectors[: len(row)] = row
        return result
