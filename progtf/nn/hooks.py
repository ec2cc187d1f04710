"""Who looks at what modules compute, gradients and hooks, and when they change."""

import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_module


def version(tensor: Tensor) -> tuple[int, int]:
    """What changes when a tensor, or what it holds, does."""
    return tensor.data_ptr(), 0 if tensor.is_inference() else tensor._version  # noqa: SLF001  as below


def watched(module: nn.Module) -> bool:
    """Whether somebody has put a hook anywhere in a module, or on all modules there are."""
    everywhere = torch_module._global_forward_hooks, torch_module._global_forward_pre_hooks  # noqa: SLF001  torch has no other word for it
    return any(everywhere) or _hooked(module)


def _hooked(module: nn.Module) -> bool:
    """Without `Module.modules`, which takes as long as a small layer."""
    parts: list[nn.Module | None] = [module]
    for part in parts:  # which grows on the way
        if part is not None:
            if part._forward_hooks or part._forward_pre_hooks:  # noqa: SLF001  as above
                return True
            parts += part._modules.values()  # noqa: SLF001  as above
    return False


def observed(module: nn.Module) -> bool:
    """Whether gradients, or hooks in a module, may look again at what they have seen."""
    return torch.is_grad_enabled() or torch.compiler.is_compiling() or watched(module)


Stamp = tuple[tuple[int, int], ...] | None


def bits(network: nn.Module) -> int:
    """Of all numbers that it computes with; within one process."""
    arrays = (each.detach().cpu() for each in _tensors(network))
    return hash(tuple((each.dtype, _as_numpy_knows(each).numpy().tobytes()) for each in arrays))


def _as_numpy_knows(tensor: Tensor) -> Tensor:
    return tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor


def stamp(network: nn.Module) -> Stamp:
    """Another one after every change that torch counts; None where a hook may change anything."""
    return None if watched(network) else tuple(map(version, _tensors(network)))


def _tensors(module: nn.Module) -> list[Tensor]:
    """All that a module holds, without `Module.parameters`, which asks for names."""
    found: list[Tensor | None] = []
    parts: list[nn.Module | None] = [module]
    for part in parts:  # which grows on the way
        if part is not None:
            found += part._parameters.values()  # noqa: SLF001  as above
            found += part._buffers.values()  # noqa: SLF001  as above
            parts += part._modules.values()  # noqa: SLF001  as above
    return [tensor for tensor in found if tensor is not None]
