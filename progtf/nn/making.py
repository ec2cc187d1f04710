"""How networks are made, whatever is set for the whole process: format, device, random numbers.

Torch makes a tensor in the format and on the device that somebody has set for all there are, and
draws from one generator for all. What is made here has its own of each, in this thread alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

_PLACED = frozenset({
    torch.arange, torch.as_tensor, torch.empty, torch.empty_strided, torch.eye, torch.full,
    torch.linspace, torch.normal, torch.ones, torch.rand, torch.randint, torch.randn,
    torch.randperm, torch.scalar_tensor, torch.tensor, torch.zeros,
})  # fmt: skip
"""Functions that make a tensor of what is no tensor."""
_FLOATS = frozenset({
    torch.empty, torch.empty_strided, torch.eye, torch.linspace, torch.ones, torch.rand,
    torch.randn, torch.scalar_tensor, torch.zeros,
})  # fmt: skip
"""Those of them that make floats of everything."""
_DRAWN = frozenset({
    torch.bernoulli, torch.multinomial, torch.normal, torch.rand, torch.randint, torch.randn,
    torch.randperm, Tensor.bernoulli, Tensor.bernoulli_, Tensor.exponential_, Tensor.multinomial,
    Tensor.normal_, Tensor.random_, Tensor.uniform_,
})  # fmt: skip
"""Functions that draw."""
_FILLING = frozenset(each for each in _DRAWN if each.__name__.endswith("_"))
"""Those of them that draw into a tensor."""


class _Making(TorchFunctionMode):
    """On the processor and in float32, unless it is said otherwise; drawn by one generator.

    ``weightless``: wherever it is said to be, a tensor has a shape alone, and takes no memory.
    """

    def __init__(self, seed: int, *, weightless: bool = False) -> None:
        super().__init__()
        self.weightless = weightless
        self.generator = torch.Generator("cpu").manual_seed(seed)

    def __torch_function__(
        self, func: Callable[..., Any], types: Sequence[type], args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        del types
        given = dict(kwargs or {})
        module = getattr(func, "__module__", "")
        if self.weightless and (func in _FILLING or module == nn.init.__name__):
            return given["tensor"] if "tensor" in given else args[0]
        if func in _PLACED and not any(isinstance(each, Tensor) for each in args):
            if self.weightless:
                given["device"] = "meta"
            elif given.get("device") is None:
                given["device"] = "cpu"
            if given.get("dtype") is None and (func in _FLOATS or _says_floats(args, given)):
                given["dtype"] = torch.float32
        elif func is torch.as_tensor and given.get("device") is None:
            given["device"] = args[0].device
        draws = func in _DRAWN or "generator" in given  # as those of `nn.init` have it
        if draws and given.get("generator") is None:
            given["generator"] = self.generator
        return func(*args, **given)


def _says_floats(args: Sequence[Any], given: Mapping[str, Any]) -> bool:
    """Whether numbers are written with a point."""
    numbers = [*args, *given.values()]
    return any(
        isinstance(each, float) or (isinstance(each, (list, tuple)) and _are_floats(each))
        for each in numbers
    )


def _are_floats(numbers: Sequence[Any]) -> bool:
    return not any(isinstance(each, Tensor) for each in numbers) and np.asarray(numbers).dtype == (
        np.float64
    )


@contextmanager
def making(seed: int | None = None) -> Iterator[None]:
    """While it lasts tensors are made as they are where nobody has set anything.

    They are ordinary ones, on the processor, in float32 where no format is named. With ``seed``,
    what is drawn comes from a generator of its own, and is the same numbers each time.
    """
    if seed is None and _is_ordinary():
        yield
        return
    with torch.inference_mode(mode=False), _Making(seed or 0):
        yield


@contextmanager
def weightless() -> Iterator[None]:
    """While it lasts, what is made has shapes and no numbers, also what ``making`` makes."""
    with torch.inference_mode(mode=False), _Making(0, weightless=True):
        yield


def _is_ordinary() -> bool:
    cpu = torch.device("cpu")
    plain = torch.get_default_dtype() is torch.float32 and torch.get_default_device() == cpu
    return plain and not torch.is_inference_mode_enabled()
