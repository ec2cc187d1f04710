"""The patterns of written heads as they answer: masks are added, and a column stands for the null.

A score gets -inf where a head never looks, `PADDED` at padding, and the null's own score where a
head may rest on it. For heads without a null it is a last resort, open to readers with nothing
else to read: better than padding, worse than anything real.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

from progtf.nn import KeysValues, WrittenSoftmax, WrittenSoftmaxOverReaders, look_mask

Query = Float[Tensor, "batch head dst d_key"]
Filler = Float[Tensor, "batch head dst d_filler"]
Present = Bool[Tensor, "batch src"] | None
Share = Float[Tensor, "batch head reader width"]

LAST_RESORT, PADDED = -1e25, -1e35
SHORTEST = 16  # torch's softmax takes several times as long over fewer columns


class LeanSoftmax:
    """What `WrittenSoftmax` computes.

    Shapes:
        share  batch head dst width  sources, then the null, then nothing; rows sum to 1
    """

    def __init__(self, pattern: WrittenSoftmax, dtype: torch.dtype) -> None:
        self.sharpness = pattern.sharpness.to(dtype)[:, None, None]
        null = (pattern.sharpness * pattern.null_score).to(dtype)
        self.looks = Looks(pattern.looks, torch.where(pattern.owns_null, null, LAST_RESORT))
        filler = pattern.null_filler.to(dtype)[:, None, :]
        self.filler = filler if bool(filler.any()) else None
        self.alone = set(pattern.looks) == {"self"} and not bool(pattern.owns_null.any())

    def __call__(self, query: Query, offered: KeysValues, present: Present) -> Filler:
        key, value, _ = offered
        n_dst, n_src = query.shape[-2], key.shape[-2]
        if self.alone:
            return value[..., n_src - n_dst :, :]
        share = self.looks.share(query * self.sharpness @ key.mT, present)
        filler = share[..., :n_src] @ value
        return filler if self.filler is None else filler + share[..., n_src, None] * self.filler


class LeanSoftmaxOverReaders:
    """What `WrittenSoftmaxOverReaders` computes; a source that nobody may read rests on the null.

    Shapes:
        share  batch head src width  readers, then the null, then nothing; rows sum to 1
    """

    def __init__(self, pattern: WrittenSoftmaxOverReaders, dtype: torch.dtype) -> None:
        self.sharpness = pattern.sharpness.to(dtype)[:, None, None]
        null = torch.full_like(self.sharpness[:, 0, 0], LAST_RESORT)
        self.looks = Looks(pattern.looks, null, turned=True)

    def __call__(self, query: Query, offered: KeysValues, present: Present) -> Filler:
        key, value, _ = offered
        if present is not None:
            value = value * present[:, None, :, None].to(value.dtype)
        share = self.looks.share(key * self.sharpness @ query.mT, present)
        return share[..., : query.shape[-2]].mT @ value


class Looks:
    """Where each head of a group may look, added to its scores.

    Attributes:
        null: the score of each head's null.
        turned: sources choose among readers.
    """

    def __init__(
        self, looks: tuple[str, ...], null: Float[Tensor, " head"], *, turned: bool = False
    ) -> None:
        self.looks, self.null, self.turned = looks, null, turned
        self.sizes, self.bias = (-1, -1), null  # of the last batch: those of one length are many

    def share(self, score: Float[Tensor, "batch head reader read"], present: Present) -> Share:
        """The softmax of scores and null."""
        n_read = score.shape[-1]
        bias = self._bias(score.shape[-2], n_read)
        wide = functional.pad(score, (0, bias.shape[-1] - n_read)).add_(bias)
        if present is not None:
            padding = torch.zeros_like(present, dtype=score.dtype).masked_fill_(~present, PADDED)
            wide[..., :n_read] += padding[:, None, None, :]
        return wide.softmax(dim=-1)

    def _bias(self, n_readers: int, n_read: int) -> Float[Tensor, "head reader width"]:
        if self.sizes != (n_readers, n_read):
            sides = (n_read, n_readers) if self.turned else (n_readers, n_read)
            allowed = look_mask(self.looks, *sides, self.null.device)  # type: ignore[arg-type]
            width = max(SHORTEST, n_read + 1)
            bias = self.null.new_full((len(self.looks), n_readers, width), -torch.inf)
            bias[..., :n_read].masked_fill_(allowed.mT if self.turned else allowed, 0.0)
            bias[..., n_read] = self.null[:, None]
            self.sizes, self.bias = (n_readers, n_read), bias
        return self.bias
