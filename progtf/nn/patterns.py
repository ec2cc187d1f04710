"""From queries and keys to fillers: what a pattern is, and the learned one."""

from typing import Protocol, runtime_checkable

from einops import rearrange
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.nn.masks import look_mask

Query = Float[Tensor, "batch head dst d_key"]
Key = Float[Tensor, "batch head src d_key"]
Value = Float[Tensor, "batch head src d_filler"]
Filler = Float[Tensor, "batch head dst d_filler"]
Present = Bool[Tensor, "batch src"]


@runtime_checkable
class Pattern(Protocol):
    """Retrieves fillers (Eq. 4) by the match of queries with keys (Eq. 5).

    ``present`` is False where the source is padding, which stands at the end. The readers are
    the last of the source positions, so that a decoder's next step is the same call with one
    query.

    Attributes:
        cacheable: a step with cached keys gives what the whole sequence would.
        cross: may read another sequence than its own.
    """

    cacheable: bool
    cross: bool

    def check(self, n_heads: int, d_filler: int) -> None:
        """Raises ValueError unless the pattern is made for heads of this number and size."""

    def __call__(self, query: Query, key: Key, value: Value, present: Present | None) -> Filler: ...


class ScaledSoftmax(nn.Module):
    """The learned pattern, softmax(q·k / √d_key) of Eq. 5, over all positions or up to one's own.

    Causal reading needs no padding mask: no real position stands after padding. What a row of
    padding alone yields is not defined. Dropout falls on the pattern.
    """

    def __init__(self, *, causal: bool = False, dropout: float = 0.0) -> None:
        super().__init__()
        self.causal = causal
        self.cacheable = causal
        self.cross = not causal
        self.dropout = dropout

    def check(self, n_heads: int, d_filler: int) -> None:
        """Fits heads of any number and size."""

    def forward(
        self, query: Query, key: Key, value: Value, present: Present | None = None
    ) -> Filler:
        """What each reader finds."""
        n_dst, n_src = query.shape[-2], key.shape[-2]
        mask = None
        if self.causal and 1 < n_dst < n_src:
            mask = look_mask(("upto",), n_dst, n_src, query.device)
        elif present is not None and not self.causal:
            mask = rearrange(present, "batch src -> batch 1 1 src")
        return functional.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=mask,
            dropout_p=self.dropout if self.training else 0.0,
            is_causal=self.causal and n_dst == n_src > 1,
        )
