"""The names that the published code gives its weights, and where ours stand for them."""

from collections.abc import Iterator

from einops import rearrange
from torch import Tensor, nn

from progtf.nn.attention import HeadGroups
from progtf.nn.embedding import RoleEmbedding, SymbolEmbedding
from progtf.nn.encoder_decoder import EncoderDecoder
from progtf.nn.feedforward import FeedForward
from progtf.nn.transformer import Block, Sublayer

Slot = tuple[str, Tensor]
"""A published name and a view of our weight in the published shape."""

ROLE, TABLE, CODE = "embedding.linear", "embedding.tok_embedding.weight", "embedding.pe"
FILTER = "encoder.layers.0.densefilter.linear1.weight"
_WITH_ROLES = {"query": "W_q", "key": "W_k", "value": "W_v", "role": "W_r", "out": "W_o"}
_WITHOUT_ROLES = {"query": "w_q", "key": "w_k", "value": "w_v", "out": "linear"}


def slots(model: EncoderDecoder) -> Iterator[Slot]:
    """Every weight of a model in the published layout."""
    yield from _embedding_slots(model.embedding)
    for number, block in enumerate(model.encoder):
        yield from _under(f"encoder.layers.{number}", _block_slots(block, "MHA"))
    for number, block in enumerate(model.decoder):
        yield from _under(f"decoder.layers.{number}", _block_slots(block, "selfAttn"))


def _embedding_slots(embedding: nn.Module) -> Iterator[Slot]:
    if isinstance(embedding, RoleEmbedding):
        yield from _affine_slots(ROLE, embedding.role.weight, embedding.role.bias)
        embedding = embedding.symbols
    assert isinstance(embedding, SymbolEmbedding)
    yield TABLE, embedding.table.detach()
    yield CODE, rearrange(embedding.code, "position d_model -> 1 position d_model")


def _block_slots(block: Block, attention: str) -> Iterator[Slot]:
    """Norms are numbered in the order of use; the last is on the block's output."""
    assert block.attention is not None
    assert block.feed_forward is not None
    used: list[Sublayer[HeadGroups] | Sublayer[nn.Module]] = [block.attention]
    yield from _under(attention, _head_slots(block.attention.layer))
    if block.cross is not None:
        used.append(block.cross)
        yield from _under("encAttn", _head_slots(block.cross.layer))
    used.append(block.feed_forward)
    yield from _under("densefilter", _filter_slots(block.feed_forward.layer))
    norms = [sublayer.before for sublayer in used] + [block.feed_forward.after]
    for number, norm in enumerate(norms, start=1):
        assert isinstance(norm, nn.LayerNorm)
        yield f"layernorm{number}.weight", norm.weight.detach()
        yield f"layernorm{number}.bias", norm.bias.detach()


def _head_slots(heads: HeadGroups) -> Iterator[Slot]:
    (group,) = heads
    parts = group.parts()
    names = _WITH_ROLES if parts["role"][0].numel() else _WITHOUT_ROLES
    for part, name in names.items():
        yield from _affine_slots(name, *parts[part])


def _filter_slots(feed_forward: nn.Module) -> Iterator[Slot]:
    assert isinstance(feed_forward, FeedForward)
    for name, affine in (("linear1", feed_forward.inner), ("linear2", feed_forward.outer)):
        yield from _affine_slots(name, affine.weight, affine.bias)


def _affine_slots(name: str, weight: Tensor, bias: Tensor) -> Iterator[Slot]:
    """Ours is source = row, theirs is torch's target = row."""
    yield f"{name}.weight", weight.detach().T
    yield f"{name}.bias", bias.detach()


def _under(prefix: str, inner: Iterator[Slot]) -> Iterator[Slot]:
    return ((f"{prefix}.{name}", slot) for name, slot in inner)
