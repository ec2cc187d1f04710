"""Published weights as a checkpoint: they keep their numbering of characters, and answer text."""

import json
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from progtf.data import SPECIALS, Vocabulary
from progtf.nn import TPTransformer, load_published
from progtf.training.config import Model, RunError
from progtf.training.networks import build_network, publish_network


def adopt_published(
    weights: Path, characters: Path, folder: Path, heads: int | None = None
) -> None:
    """Writes a checkpoint of weights that have the names of the published code.

    Args:
        weights: a safetensors file, as `progtf.nn.load_published` reads it.
        characters: their numbering, as ``read_characters`` reads it.
        folder: the checkpoint, which is not there yet.
        heads: of each block; None: as the file's own example tells, or else 8.

    Raises:
        RunError: if a file is not what it should be, or the folder is there.
    """
    for file in (weights, characters):
        if not file.is_file():
            raise RunError(f"{file}: there is no such file")
    try:
        network = load_published(weights, heads)
        vocabulary = Vocabulary("alphabet", read_characters(characters))
    except (OSError, SafetensorError) as error:
        raise RunError(f"{weights}: cannot be read: {error}") from None
    except ValueError as error:
        raise RunError(str(error)) from None
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
            tensors[name] = own[name]
    publish_network(folder, wanted, tensors, vocabulary)


def read_characters(path: Path) -> str:
    """The characters of a file in the order of their numbers, from 4 on.

    The file is a text of one line; or JSON (`.json`), a list of symbols or an object from symbols
    to numbers, in which the four specials come first, whatever they are called.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is something else.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".json":
        return text.removesuffix("\n")
    said: Any = json.loads(text)
    if isinstance(said, dict):
        said = sorted(said, key=said.__getitem__)
    symbols = said[len(SPECIALS) :] if isinstance(said, list) else None
    if symbols is None or not all(isinstance(each, str) and len(each) == 1 for each in symbols):
        raise ValueError(f"{path}: a list of symbols is due, four specials and then characters")
    return "".join(symbols)
