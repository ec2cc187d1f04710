"""Several processes: each with all weights (DDP), or with a part of them (FSDP2).

FSDP2's modules are known by their methods: importing it takes a second, which most runs save.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from progtf.nn import Block
from progtf.training.config import RunError
from progtf.training.ranks import Ranks
from progtf.training.subject import Subject


class Loss(nn.Module):
    """What several processes share: from a batch to its loss, or to which answers are right."""

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject

    def forward(self, source: Tensor, answer: Tensor, *, judged: bool = False) -> Tensor:
        what = self.subject.right if judged else self.subject.loss
        return what(source, answer)


def shared(loss: Loss, ranks: Ranks, shard: bool) -> nn.Module:
    """The loss of one process among several.

    Raises:
        RunError: if one process is to share its weights with nobody.
    """
    if ranks.ranks == 1:
        if shard:
            raise RunError("`train.shard` divides the weights among processes: start several")
        return loss
    if not shard:
        return DistributedDataParallel(loss, broadcast_buffers=False)
    _divide(loss, ranks)
    return loss


def _divide(loss: Loss, ranks: Ranks) -> None:
    from torch.distributed.device_mesh import init_device_mesh  # noqa: PLC0415  slow
    from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method  # noqa: PLC0415  slow

    mesh = init_device_mesh(ranks.device.type, (ranks.ranks,))
    blocks = {id(part): part for part in loss.modules() if isinstance(part, Block)}
    for block in blocks.values():
        fully_shard(block, mesh=mesh)
        register_fsdp_forward_method(block, "recall")
    fully_shard(loss, mesh=mesh)


def no_sync(loss: nn.Module, *, last: bool) -> AbstractContextManager[object]:
    """Gradients are added up over processes once, at the last batch of a step."""
    if (divided := getattr(loss, "set_requires_gradient_sync", None)) is not None:
        divided(last)
    if last or not isinstance(loss, DistributedDataParallel):
        return nullcontext()
    return loss.no_sync()


@contextmanager
def whole_weights(loss: nn.Module) -> Iterator[None]:
    """Within, every process has all weights."""
    parts: list[Any] = [part for part in loss.modules() if hasattr(part, "unshard")]
    for part in parts:
        part.unshard()
    yield
    for part in parts:
        part.reshard()


def full(tensor: Any) -> Tensor:
    """A tensor of which each process has a part, put together; any other as it is."""
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def divided_as(tensor: Tensor, like: Any) -> Tensor:
    """A whole tensor, divided as another of the same shape is."""
    if not hasattr(like, "full_tensor") or tensor.shape != like.shape:
        return tensor
    from torch.distributed.tensor import distribute_tensor  # noqa: PLC0415  slow

    return distribute_tensor(tensor, like.device_mesh, like.placements)
