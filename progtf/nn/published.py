"""Models from files in the names that the published code gives its weights."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from progtf.nn.encoder_decoder import EncoderDecoder
from progtf.nn.models import TPTransformer, Transformer
from progtf.nn.patterns import present
from progtf.nn.presets import Shape
from progtf.nn.published_file import EXAMPLE, read_tensors
from progtf.nn.published_names import CODE, FILTER, ROLE, TABLE, slots

Tensors = Mapping[str, Tensor]
_N_HEADS = 8
_SAME = 2e-5
_SHOWN = 3
"""Names that a message gives of many."""
_WITH_ROLES = re.compile(rf"{re.escape(ROLE)}\.|.*\.W_[qkvro]\.")
_FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
_SIZES = {TABLE: "symbols, width", FILTER: "filter, width", CODE: "1, positions, width"}
"""The tensors that tell the sizes of a model, and what they tell."""


def load_published(path: str | Path, n_heads: int | None = None) -> TPTransformer | Transformer:
    """The model in a file of the published code, in evaluation mode.

    The file is one of safetensors or of ``torch.save``; names may have a prefix
    (``read_tensors``). Numbers of any of the usual float formats become float32. Weights do not
    tell how many heads share them: unless ``n_heads`` says so, the file's own example (``source``,
    ``target``, ``logits``) decides, and without one it is the published 8.

    Raises:
        OSError: if it cannot be read.
        ValueError: for names that are missing or mean nothing, and for a tensor of another shape or
            dtype than the rest of the file calls for.
    """
    found = read_tensors(Path(path))
    example = {name: found[name] for name in EXAMPLE if name in found}
    weights = {name: tensor for name, tensor in found.items() if name not in example}
    if n_heads is None and {"source", "target", "logits"} <= example.keys():
        return _nearest(weights, example, str(path))
    return _model(weights, _N_HEADS if n_heads is None else n_heads, str(path))


@torch.no_grad()
def published_tensors(model: EncoderDecoder) -> dict[str, Tensor]:
    """The weights of a model in the published names and shapes."""
    return {name: slot.clone(memory_format=torch.contiguous_format) for name, slot in slots(model)}


def _nearest(weights: Tensors, example: Tensors, path: str) -> TPTransformer | Transformer:
    """The model whose number of heads reproduces the file's own example."""
    shape = _shape(weights, 1, path)
    _check_example(example, shape, path)
    divisors = [count for count in range(1, shape.d_model + 1) if shape.d_model % count == 0]
    best, least = None, float("inf")
    for count in sorted(divisors, key=lambda count: abs(count - _N_HEADS)):
        model = _model(weights, count, path)
        miss = _miss(model, example)
        if best is None or miss < least:
            best, least = model, miss
        if least < _SAME:
            break
    assert best is not None
    return best


def _check_example(example: Tensors, shape: Shape, path: str) -> None:
    """Complains of an example that is none of a model with these sizes."""
    for name in ("source", "target"):
        ids = example[name]
        if ids.dtype != torch.int64 or ids.ndim != 2 or not 0 < ids.shape[1] <= shape.max_length:
            raise ValueError(
                f"{path}: {name} has shape {tuple(ids.shape)} and dtype {_dtype(ids)}; an example"
                f" has (questions, symbols) of int64, of {shape.max_length} symbols at most"
            )
        if not bool(((ids >= 0) & (ids < shape.n_symbols)).all()):
            raise ValueError(f"{path}: {name} has numbers of none of the {shape.n_symbols} symbols")
    wanted = (*example["target"].shape, shape.n_symbols)
    logits = example["logits"]
    if logits.shape != wanted or len(example["source"]) != wanted[0] or not _usual(logits):
        raise ValueError(
            f"{path}: logits have shape {tuple(logits.shape)} and dtype {_dtype(logits)}; the"
            f" example calls for {wanted} of floats"
        )


@torch.no_grad()
def _miss(model: EncoderDecoder, example: Tensors) -> float:
    """The largest difference from the stored logits at unpadded positions."""
    target = example["target"]
    difference = model(example["source"], target) - example["logits"]
    return difference[present(target, model.pad)].abs().max().item()


@torch.no_grad()
def _model(weights: Tensors, n_heads: int, path: str) -> TPTransformer | Transformer:
    kind = TPTransformer if any(map(_WITH_ROLES.match, weights)) else Transformer
    shape = _shape(weights, n_heads, path)
    with torch.device("meta"):  # sizes alone, which a file may have wrong
        due = {name: tuple(slot.shape) for name, slot in slots(kind(shape))}
    _check(weights, due, path)
    model = kind(shape)
    for name, slot in slots(model):
        slot.copy_(weights[name])
    return model.eval()


def _check(weights: Tensors, due: Mapping[str, tuple[int, ...]], path: str) -> None:
    """Complains of names, and of the first tensor that is not as it is due."""
    missing = [name for name in due if name not in weights]
    others = sorted(weights.keys() - due.keys())
    if missing:
        are = f"{missing[0]} is missing" if len(missing) == 1 else f"missing are {_some(missing)}"
        there = f"; it has {_some(others)} there" if others else ""
        held = len(due) - len(missing)
        raise ValueError(f"{path} holds {held} of {len(due)} tensors: {are}{there}")
    if others:
        raise ValueError(
            f"{path} holds all {len(due)} tensors, and others that mean nothing here:"
            f" {_some(others)}"
        )
    for name, wanted in due.items():
        _check_kind(weights[name], name, path)
        if tuple(weights[name].shape) != wanted:
            found = tuple(weights[name].shape)
            raise ValueError(f"{path}: {name} has shape {found}; the rest calls for {wanted}")
        if not bool(weights[name].isfinite().all()):
            raise ValueError(f"{path}: {name} has numbers that are none: NaN or without end")


def _check_kind(tensor: Tensor, name: str, path: str) -> None:
    if not _usual(tensor):
        raise ValueError(
            f"{path}: {name} has dtype {_dtype(tensor)}; plain numbers of"
            f" {', '.join(str(each).removeprefix('torch.') for each in _FLOATS)} are due"
        )


def _usual(tensor: Tensor) -> bool:
    return tensor.dtype in _FLOATS and tensor.layout == torch.strided and not tensor.is_meta


def _dtype(tensor: Tensor) -> str:
    layout = "" if tensor.layout == torch.strided else f" ({tensor.layout})".replace("torch.", "")
    return f"{tensor.dtype}".removeprefix("torch.") + layout


def _some(names: Sequence[str]) -> str:
    """The first of some names, and how many there are."""
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _shape(weights: Tensors, n_heads: int, path: str) -> Shape:
    """The sizes that the weights tell."""
    for name, sizes in _SIZES.items():
        if name not in weights:
            raise ValueError(_lacks(name, weights, path))
        _check_kind(weights[name], name, path)
        found = tuple(weights[name].shape)
        one = found[:1] == (1,) or name != CODE
        if len(found) != len(sizes.split(",")) or 0 in found or not one:
            raise ValueError(f"{path}: {name} has shape {found}; it has to be ({sizes})")
    n_symbols, d_model = weights[TABLE].shape
    d_ff, max_length = weights[FILTER].shape[0], weights[CODE].shape[1]
    layers = _n_layers(weights, "encoder"), _n_layers(weights, "decoder")
    return Shape(n_symbols, d_model, d_ff, n_heads, *layers, max_length=max_length)


def _lacks(name: str, weights: Tensors, path: str) -> str:
    """What is said of a file without a name that tells sizes: what it has, and what is due."""
    lacks = [each for each in _SIZES if each not in weights]
    others = f" nor {', '.join(lacks[1:])}" if lacks[1:] else ""
    has = f"; it begins with {_some(sorted(weights))}" if weights else ""
    return f"{path} holds {len(weights)} tensors, but not {name}{others}{has}"


def _n_layers(weights: Tensors, side: str) -> int:
    """How many layers have weights; those whose numbers leave some out are missed by name."""
    found = (re.match(rf"{side}\.layers\.(\d+)\.", name) for name in weights)
    return len({match[1] for match in found if match})
