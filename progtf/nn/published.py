"""Models from files in the names that the published code gives its weights."""

import re
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

from progtf.nn.encoder_decoder import EncoderDecoder
from progtf.nn.models import TPTransformer, Transformer
from progtf.nn.patterns import present
from progtf.nn.presets import Shape
from progtf.nn.published_names import CODE, FILTER, ROLE, TABLE, slots

Tensors = Mapping[str, Tensor]
_PREFIX = "weights/"
_N_HEADS = 8
_SAME = 2e-5


def load_published(path: str | Path, n_heads: int | None = None) -> TPTransformer | Transformer:
    """The model in a safetensors file of the published code, in evaluation mode.

    Names may stand below ``weights/``. Weights do not tell how many heads share them: unless
    ``n_heads`` says so, the file's own example (``source``, ``target``, ``logits``) decides, and
    without one it is the published 8.

    Raises:
        ValueError: a tensor is missing, or has another shape than the rest of the file calls for.
    """
    tensors = load_file(path)
    weights = {name.removeprefix(_PREFIX): tensor for name, tensor in tensors.items()}
    if n_heads is None and {"source", "target", "logits"} <= tensors.keys():
        return _nearest(weights, str(path))
    return _model(weights, _N_HEADS if n_heads is None else n_heads, str(path))


@torch.no_grad()
def published_tensors(model: EncoderDecoder) -> dict[str, Tensor]:
    """The weights of a model in the published names and shapes."""
    return {name: slot.clone(memory_format=torch.contiguous_format) for name, slot in slots(model)}


def _nearest(weights: Tensors, path: str) -> TPTransformer | Transformer:
    """The model whose number of heads reproduces the file's own example."""
    d_model = _need(weights, TABLE, path).shape[1]
    divisors = [count for count in range(1, d_model + 1) if d_model % count == 0]
    best, least = None, float("inf")
    for count in sorted(divisors, key=lambda count: abs(count - _N_HEADS)):
        model = _model(weights, count, path)
        miss = _miss(model, weights)
        if best is None or miss < least:
            best, least = model, miss
        if least < _SAME:
            break
    assert best is not None
    return best


@torch.no_grad()
def _miss(model: EncoderDecoder, example: Tensors) -> float:
    """The largest difference from the stored logits at unpadded positions."""
    target = example["target"]
    difference = model(example["source"], target) - example["logits"]
    return difference[present(target, model.pad)].abs().max().item()


@torch.no_grad()
def _model(weights: Tensors, n_heads: int, path: str) -> TPTransformer | Transformer:
    kind = TPTransformer if f"{ROLE}.weight" in weights else Transformer
    model = kind(_shape(weights, n_heads, path))
    due = dict(slots(model))
    missing = [name for name in due if name not in weights]
    if missing:
        held = len(due) - len(missing)
        raise ValueError(f"{path} holds {held} of {len(due)} tensors: {missing[0]} is missing")
    for name, slot in due.items():
        if weights[name].shape != slot.shape:
            found, wanted = tuple(weights[name].shape), tuple(slot.shape)
            raise ValueError(f"{path}: {name} has shape {found}; the rest calls for {wanted}")
        slot.copy_(weights[name])
    return model.eval()


def _shape(weights: Tensors, n_heads: int, path: str) -> Shape:
    n_symbols, d_model = _need(weights, TABLE, path).shape
    return Shape(
        n_symbols,
        d_model,
        d_ff=_need(weights, FILTER, path).shape[0],
        n_heads=n_heads,
        n_encoder=_n_layers(weights, "encoder"),
        n_decoder=_n_layers(weights, "decoder"),
        max_length=_need(weights, CODE, path).shape[1],
    )


def _n_layers(weights: Tensors, side: str) -> int:
    found = (re.match(rf"{side}\.layers\.(\d+)\.", name) for name in weights)
    return max((int(match[1]) + 1 for match in found if match), default=0)


def _need(weights: Tensors, name: str, path: str) -> Tensor:
    if name not in weights:
        raise ValueError(f"{path} holds {len(weights)} tensors, but not {name}")
    return weights[name]
