"""FSDP2: parameters, gradients and moments divided among processes, for models past one GPU."""

from torch import nn
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

from progtf.nn import FeedForward, RoleAttention


def shard(loss: nn.Module) -> nn.Module:
    """The module with its attention and feed-forward layers sharded, each by itself."""
    for part in loss.modules():
        if isinstance(part, RoleAttention):
            fully_shard(part)
            register_fsdp_forward_method(part, "keys_values")
        elif isinstance(part, FeedForward):
            fully_shard(part)
    fully_shard(loss)
    return loss
