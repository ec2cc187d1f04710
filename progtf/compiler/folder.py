"""Models in folders: ``layout.json`` says what everything is called, ``weights.safetensors`` how
much. No source and no pickle is needed to load one.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_model as load_tensors
from safetensors.torch import save_file
from torch import nn
from torch.nn.utils.parametrize import is_parametrized

from progtf.atomic import part_of, publish, replacing
from progtf.compiler.compile import DTYPES
from progtf.compiler.free import fix_hybrid, whole
from progtf.compiler.layout import LayerLayout, Layout, from_json, to_json
from progtf.compiler.model import Model

LAYOUT, WEIGHTS = "layout.json", "weights.safetensors"
MOST_ROUNDS, LONGEST = 1024, 65_536


class FolderError(ValueError):
    """A folder that holds no model of ours, or a damaged one."""


def save(model: Model, folder: str | Path) -> None:
    """Writes a model; a killed write leaves the old model or an error, never a mixture.

    Entries that are being trained are written as what they are now.

    Raises:
        OSError: if the folder cannot be written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if any(is_parametrized(part) for part in model.network.modules()):
        model = whole(model)
    part = part_of(folder / WEIGHTS)
    save_file(_each_once(model.network), part)
    digest = hashlib.sha256(part.read_bytes()).hexdigest()
    description = {**to_json(model.layout), "dtype": stored_dtype(model), "sha256": digest}
    with part.open("rb") as handle:
        os.fsync(handle.fileno())
    part.chmod(0o666 & ~_umask())
    publish(part, folder / WEIGHTS)
    with replacing(folder / LAYOUT) as file:
        file.write(json.dumps(description, ensure_ascii=False, indent=1).encode())


def _each_once(network: nn.Module) -> dict[str, torch.Tensor]:
    """The tensors of a network; those of a repeated layer, which it shares, by their first names.

    The same weights are the same bytes then; ``save_model`` of safetensors notes the other names
    in an order of chance.
    """
    first: dict[int, tuple[str, torch.Tensor]] = {}
    for name, tensor in network.state_dict(keep_vars=True).items():
        first.setdefault(id(tensor), (name, tensor.detach().contiguous()))
    return dict(first.values())


def _umask() -> int:
    """What new files may not be: safetensors makes its own for the owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def stored_dtype(model: Model) -> str:
    """The name of the format that a model's weights are stored in."""
    dtype = model.network.embedding.vectors.dtype
    return next(name for name, known in DTYPES.items() if known == dtype)


def load_model(folder: str | Path) -> Model:
    """The model in a folder.

    Raises:
        FolderError: with what is wrong: a file missing, foreign, damaged or of another layout.
    """
    folder = Path(folder)
    layout, dtype, digest = _described(folder)
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise FolderError(f"{folder}: {WEIGHTS} is missing")
    if hashlib.sha256(weights.read_bytes()).hexdigest() != digest:
        raise FolderError(f"{weights}: damaged: these are not the weights that {LAYOUT} describes")
    _check_sizes(weights, layout)
    model = Model(layout).stored_as(DTYPES[dtype])
    try:
        load_tensors(model.network, str(weights))
    except (RuntimeError, SafetensorError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise FolderError(f"{weights}: does not fit {LAYOUT}: {reason}") from None
    return fix_hybrid(model)


def _described(folder: Path) -> tuple[Layout, str, str]:
    path = folder / LAYOUT
    if not path.is_file():
        raise FolderError(f"{folder}: no compiled model here: {LAYOUT} is missing")
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        dtype, digest = str(data.pop("dtype")), str(data.pop("sha256"))
        layout = from_json(data)
        _check_numbers(layout)
    except (UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FolderError(f"{path}: not the description of a compiled model: {error}") from None
    if dtype not in DTYPES:
        raise FolderError(f"{path}: number format `{dtype}` is none of {', '.join(DTYPES)}")
    return layout, dtype, digest


def _check_numbers(layout: Layout) -> None:
    """Numbers that would make a module far larger than the files are refused."""
    for stage in (*layout.encoder, *layout.decoder):
        if isinstance(stage, LayerLayout) and not 1 <= stage.repeat <= MOST_ROUNDS:
            raise ValueError(f"a layer that repeats {stage.repeat} times")
    if len(layout.lengths) != 2 or not all(0 < length <= LONGEST for length in layout.lengths):
        raise ValueError(f"lengths {layout.lengths}")
    if not len(layout.space) == layout.semes + 2 * len(layout.clocks) <= layout.width:
        raise ValueError(f"{len(layout.space)} names for a width of {layout.width}")


def _check_sizes(weights: Path, layout: Layout) -> None:
    try:
        with safe_open(str(weights), framework="pt") as file:
            shape = tuple(file.get_slice("embedding.vectors").get_shape())
    except SafetensorError as error:
        raise FolderError(f"{weights}: {error}") from None
    wanted = (len(layout.lexicon) + 2, layout.width)
    if shape != wanted:
        raise FolderError(f"{weights}: embedding of shape {shape}, {LAYOUT} describes {wanted}")


def same_weights(one: Model, other: Model) -> bool:
    """Whether two models have the same layout and the same bits."""
    mine, theirs = one.network.state_dict(), other.network.state_dict()
    return mine.keys() == theirs.keys() and all(
        a.dtype == b.dtype and torch.equal(_bits(a), _bits(b))
        for a, b in ((mine[key], theirs[key]) for key in mine)
    )


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(torch.uint8) if tensor.ndim else tensor
