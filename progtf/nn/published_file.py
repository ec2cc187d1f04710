"""Tensors in a file of weights, whichever way it was saved, by the published names."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from progtf.bounded import check_ordinary

EXAMPLE = ("source", "target", "logits", "greedy")
"""What a file may have beside weights: an example of what they answer."""
_WITHIN = ("model", "state_dict", "model_state_dict")
"""Where a dictionary that training has saved keeps its weights."""
_PUBLISHED = re.compile(r"(.*?)(?:embedding|encoder\.layers|decoder\.layers)\.")
_HEADER = slice(8, 9)
"""Of a safetensors file: a number of 8 bytes stands before its JSON."""
_REFUSED = re.compile(r"GLOBAL ([\w.]+)")


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors in a file, by their names without the prefix that all of them have.

    A safetensors file is one, and so is what ``torch.save`` wrote: a dictionary of weights, or one
    that has such a dictionary under ``model`` or ``state_dict``. Nothing in it is run. A prefix is
    whatever stands before the published names, as ``module.`` of ``DataParallel``.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is neither, or holds other things than tensors.
    """
    check_ordinary(path)
    with path.open("rb") as file:
        begins = file.read(_HEADER.stop)
    if not begins:
        raise ValueError(f"{path}: the file is empty")
    found = _safetensors(path) if begins[_HEADER] == b"{" else _saved(path)
    prefix = _prefix(found)
    named = dict[str, Tensor]()
    for name, tensor in found.items():
        own = name.removeprefix(prefix)
        if own in named:
            raise ValueError(f"{path} holds {own} twice, with `{prefix}` before it and without")
        named[own] = tensor
    return named


def _prefix(names: Iterable[str]) -> str:
    """What most of the published names have before them."""
    found = Counter(match[1] for name in names if (match := _PUBLISHED.match(name)))
    return found.most_common(1)[0][0] if found else ""


def _safetensors(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path}: a damaged safetensors file: {error}") from None


def _saved(path: Path) -> dict[str, Tensor]:
    """The tensors of what ``torch.save`` wrote; of what it pickled nothing else is made."""
    try:
        with path.open("rb") as file, catch_warnings():  # a path's suffix would choose the format
            simplefilter("ignore")  # of a pickle that is none of torch's
            said: Any = torch.load(file, weights_only=True, map_location="cpu")
    except Exception as error:  # noqa: BLE001  a damaged pickle raises whatever its bytes say
        raise ValueError(f"{path}: {_why(error)}") from None
    while isinstance(said, Mapping) and (inner := _inner(said)) is not None:
        said = inner
    if not isinstance(said, Mapping) or not all(isinstance(name, str) for name in said):
        raise ValueError(f"{path}: a dictionary of weights by their names is due")
    for name, value in said.items():
        if not isinstance(value, Tensor):
            raise ValueError(  # noqa: TRY004  it is the file that is wrong
                f"{path}: {name} is no tensor, but of type {type(value).__name__}; a dictionary of"
                f" weights is due, alone or under {', '.join(f'`{key}`' for key in _WITHIN)}"
            )
    return dict(said)


def _inner(said: Mapping[Any, Any]) -> Mapping[Any, Any] | None:
    return next((said[key] for key in _WITHIN if isinstance(said.get(key), Mapping)), None)


def _why(error: Exception) -> str:
    if refused := _REFUSED.search(str(error)):
        return (
            f"it holds more than weights (`{refused[1]}`), and to read that would run its"
            " code; save the weights alone: `torch.save(model.state_dict(), FILE)`"
        )
    return "neither a safetensors file nor a whole one of `torch.save`"
