"""In which number format layers compute, whatever surrounds them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock
from typing import Any

import torch

from progtf.nn.hooks import notes

Precision = Callable[[torch.device], AbstractContextManager[object]]
"""What surrounds a layer's arithmetic: `follow_autocast`, `full_products` or `full_precision`."""


_NOTHING = nullcontext()


def follow_autocast(_device: torch.device) -> AbstractContextManager[object]:
    """Learned layers compute in whatever format an enclosing autocast asks for."""
    return _NOTHING


def full_products(device: torch.device) -> AbstractContextManager[object]:
    """Float32 numbers are multiplied as such, also where the process allows TF32 or bfloat16.

    A graph of `torch.compile` keeps to what its process allows.
    """
    products = _PRODUCTS.get(device.type)
    if products is None or torch.compiler.is_compiling() or not products.needed():
        return _NOTHING
    return products


def full_precision(device: torch.device) -> AbstractContextManager[object]:
    """Written layers compute in float32 at least, also under autocast and without TF32.

    Where nothing is to be done, that is found out once an answer.
    """
    known = notes()
    if known is None:
        return _full_precision(device)
    kind = device.type
    if kind not in known:
        known[kind] = isinstance(_full_precision(device), nullcontext)
    return _NOTHING if known[kind] else _full_precision(device)


def is_precise(device: torch.device) -> bool:
    """Whether written layers compute so anyway, with nothing around them."""
    return full_precision(device) is _NOTHING


def _full_precision(device: torch.device) -> AbstractContextManager[object]:
    products = full_products(device)
    if not autocasts(device):
        return products
    alone = torch.autocast(device.type, enabled=False)
    return alone if isinstance(products, nullcontext) else _both(alone, products)


@contextmanager
def _both(*surroundings: AbstractContextManager[object]) -> Iterator[None]:
    one, other = surroundings
    with one, other:
        yield


def autocasts(device: torch.device) -> bool:
    """Whether an enclosing autocast asks for a format on a device."""
    return _can_autocast(device.type) and torch.is_autocast_enabled(device.type)


def _can_autocast(kind: str) -> bool:
    """Whether a kind of device knows autocast; a graph of `torch.compile` need not ask torch."""
    known = _AUTOCAST.get(kind)
    return torch.amp.autocast_mode.is_autocast_available(kind) if known is None else known


_AUTOCAST = {kind: torch.amp.autocast_mode.is_autocast_available(kind) for kind in ("cpu", "cuda")}


class _Products(AbstractContextManager[None]):
    """Keeps float32 products whole while any thread is inside: the setting is the process's."""

    def __init__(self, backend: Any) -> None:
        self.backend, self.lock = backend, Lock()
        self.inside, self.before = 0, ""

    def needed(self) -> bool:
        """Whether the process allows something coarser, or only does not because of us."""
        return self.inside > 0 or self.backend.fp32_precision not in ("ieee", "none")

    def __enter__(self) -> None:
        with self.lock:
            if not self.inside:
                self.before, self.backend.fp32_precision = self.backend.fp32_precision, "ieee"
            self.inside += 1

    def __exit__(self, *_error: object) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside:
                self.backend.fp32_precision = self.before


class _Before29:
    """The setting as torch had it before 2.9, one for all devices."""

    @property
    def fp32_precision(self) -> str:
        allowed = torch.get_float32_matmul_precision()
        return "ieee" if allowed == "highest" else allowed

    @fp32_precision.setter
    def fp32_precision(self, allowed: str) -> None:
        torch.set_float32_matmul_precision("highest" if allowed == "ieee" else allowed)


def _setting(module: str) -> Any:
    matmul = getattr(getattr(torch.backends, module), "matmul", None)
    return matmul if hasattr(matmul, "fp32_precision") else _Before29()


_PRODUCTS: dict[str, _Products] = {
    kind: _Products(_setting(module)) for kind, module in (("cuda", "cuda"), ("cpu", "mkldnn"))
}
