"""Published weights as a checkpoint: they keep their numbering of characters, and answer text."""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from progtf.bounded import read_bytes, why_unread
from progtf.data import SPECIALS, Vocabulary
from progtf.nn import TPTransformer, load_published
from progtf.texts import NotTextError, characters_of
from progtf.training.config import Model, RunError
from progtf.training.networks import DAMAGED, build_network, publish_network


def adopt_published(
    weights: Path, characters: Path, folder: Path, heads: int | None = None
) -> None:
    """Writes a checkpoint of weights that have the names of the published code.

    Args:
        weights: a file of safetensors or of ``torch.save``, as `progtf.nn.load_published` reads it.
        characters: their numbering, as ``read_characters`` reads it.
        folder: the checkpoint, which is not there yet.
        heads: of each block; None: as the file's own example tells, or else 8.

    Raises:
        RunError: if a file is not what it should be, or the folder is there.
    """
    for file in (weights, characters):
        if (why := why_unread(file)) is not None:
            raise RunError(f"{file}: {why}")
    try:
        vocabulary = read_characters(characters)
        network = load_published(weights, heads)
    except OSError as error:
        raise RunError(f"{error.filename or weights}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RunError(str(error)) from None
    except DAMAGED as error:
        raise RunError(f"{weights}: no published weights: {type(error).__name__} {error}") from None
    shape = network.shape
    if len(vocabulary) != shape.n_symbols:
        raise RunError(
            f"{characters}: {len(vocabulary.characters)} characters and {len(SPECIALS)} specials;"
            f" {weights} has rows for {shape.n_symbols} symbols"
        )
    kind = "tp" if isinstance(network, TPTransformer) else "transformer"
    wanted = Model(
        kind=kind, width=shape.d_model, filter=shape.d_ff, heads=shape.n_heads,
        layers=shape.n_encoder, norms="published", tied=True,
        role_embedding=kind == "tp",
    )  # fmt: skip
    if shape.n_encoder != shape.n_decoder:
        raise RunError(
            f"{weights}: {shape.n_encoder} blocks of the encoder, {shape.n_decoder} of the decoder;"
            " a network of `[model]` has as many of both"
        )
    own = build_network(wanted, 0, vocabulary).state_dict()
    tensors = network.state_dict()
    for name in own:
        if tensors[name].shape != own[name].shape:  # position codes of another length
            tensors[name] = _code(tensors[name], own[name], weights)
    publish_network(folder, wanted, tensors, vocabulary)


_NEAR = 1e-4
"""What position codes of the same kind differ by, that were computed in float32."""


def _code(found: Tensor, own: Tensor, weights: Path) -> Tensor:
    """Our position code, which is longer or shorter, if theirs is the same as far as both go."""
    both = min(len(found), len(own))
    if not torch.allclose(found[:both], own[:both], rtol=0, atol=_NEAR):
        raise RunError(
            f"{weights}: embedding.pe has {len(found)} positions, and is not the sinusoid by which"
            f" it could be brought to the {len(own)} that questions need"
        )
    return own


def read_characters(path: Path) -> Vocabulary:
    """The characters of a file in the order of their numbers, from 4 on.

    The file is a text of one line; or JSON (`.json`), a list of symbols or an object from symbols
    to numbers, in which the four specials come first, whatever they are called.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is something else.
    """
    try:
        text = characters_of(read_bytes(path))
        found = _symbols(json.loads(text)) if path.suffix == ".json" else text.removesuffix("\n")
        return Vocabulary("alphabet", found)
    except NotTextError as error:
        raise ValueError(
            f"{path}:{error.line}: {error.why}; of a `vocab.pt` of torchtext write the list `itos`"
            " as JSON"
        ) from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}: no JSON: {error.msg.lower()}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from None


def _symbols(said: Any) -> str:
    """The characters in a list of all symbols, or in an object from symbols to numbers."""
    if isinstance(said, dict):
        numbers = list(said.values())
        if any(type(each) is not int for each in numbers) or {*numbers} != {*range(len(numbers))}:
            raise ValueError(f"symbols are to have the numbers 0 to {len(said) - 1}, each one once")
        said = sorted(said, key=said.__getitem__)
    if not isinstance(said, list) or len(said) < len(SPECIALS):
        raise ValueError("a list of symbols is due, four specials and then characters")
    first, symbols = said[: len(SPECIALS)], said[len(SPECIALS) :]
    if any(each in SPECIALS for each in said) and tuple(first) != SPECIALS:
        raise ValueError(f"the first four symbols are to be {', '.join(SPECIALS)}, in this order")
    for number, each in enumerate(symbols, start=len(SPECIALS)):
        if not isinstance(each, str) or len(each) != 1:
            raise ValueError(f"symbol {number} is {json.dumps(each)}; one character is due")
    return "".join(symbols)
