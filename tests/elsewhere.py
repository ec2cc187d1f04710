"""A device that is not there: tensors that say they are elsewhere and are computed here.

On a GPU, an operation on tensors of two devices fails; ``Elsewhere`` makes it fail without one.
"""

import importlib
from contextlib import ExitStack, contextmanager

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only

DEVICE = torch.device("meta")
"""Torch knows it, and computes nothing on it by itself."""
_MOVES = (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)
_PACKED = (torch.ops.aten._pack_padded_sequence.default,)
_LENGTHS = (*_PACKED, torch.ops.aten._pad_packed_sequence.default, torch.ops.aten.lstm.data)
"""Lengths of sequences are to be on the processor."""
_INDEXED = (
    torch.ops.aten.index.Tensor,
    torch.ops.aten.index_put.default,
    torch.ops.aten.index_put_.default,
)
"""Tensors may be indexed by tensors of the processor."""


class Elsewhere(torch.Tensor):
    """A tensor that says that it is on another device."""

    @staticmethod
    def __new__(cls, here):
        return torch.Tensor._make_wrapper_subclass(
            cls, here.shape, strides=here.stride(), storage_offset=here.storage_offset(),
            dtype=here.dtype, device=DEVICE,
        )  # fmt: skip

    def __init__(self, here):
        self.here = here

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return _computed(func, args, kwargs or {})


def _computed(func, args, kwargs):
    tensors = [part for part in tree_flatten((args, kwargs))[0] if isinstance(part, torch.Tensor)]
    away = any(isinstance(tensor, Elsewhere) for tensor in tensors)
    _check(func, tensors, away)
    goes = kwargs.get("device")
    if goes is not None:
        away = torch.device(goes) == DEVICE
        kwargs = {**kwargs, "device": torch.device("cpu")}
    args_here, kwargs_here = tree_map_only(Elsewhere, lambda t: t.here, (args, kwargs))
    result = func(*args_here, **kwargs_here)
    if not func._schema.returns:
        return None
    if func._schema.is_mutable and func._schema.name.endswith("_"):
        return args[0]
    if func in _PACKED:
        return Elsewhere(result[0]), result[1]
    return tree_map_only(torch.Tensor, Elsewhere, result) if away else result


def _check(func, tensors, away):
    others = tensors[1:] if func in _INDEXED else tensors
    here = [t for t in others if t.dim() and not isinstance(t, Elsewhere)]
    if func in (*_INDEXED, *_LENGTHS):
        here = [t for t in here if t.is_floating_point()]
    if away and here and func not in _MOVES:
        raise AssertionError(f"{func}: {[tuple(t.shape) for t in here]} are on another device")


class _Dispatched(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return _computed(func, args, kwargs or {})


class _Called(TorchFunctionMode):
    """What torch does with data before any operation."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.Tensor.tolist and isinstance(args[0], Elsewhere):
            return args[0].here.tolist()
        if func is torch.tensor and kwargs.get("device") == DEVICE:
            return func(*args, **{**kwargs, "device": "cpu"}).to(DEVICE)
        return func(*args, **kwargs)


@contextmanager
def another_device(monkeypatch):
    """Within, ``DEVICE`` is a device on which everything works that works on a GPU."""
    autocast = torch.autocast
    monkeypatch.setattr(torch, "autocast", lambda kind, *more, **options: autocast(
        "cpu" if kind == DEVICE.type else kind, *more, **options))  # fmt: skip
    for name in ("torch.optim.adam", "torch.optim.optimizer"):
        module = importlib.import_module(name)
        if hasattr(module, "_get_fused_kernels_supported_devices"):
            monkeypatch.setattr(
                module, "_get_fused_kernels_supported_devices", lambda: [DEVICE.type]
            )
    with ExitStack() as stack:
        stack.enter_context(_Called())
        stack.enter_context(_Dispatched())
        yield DEVICE
