"""Makes a network of the package of a checkpoint: `python scripts/ship_network.py FROM TO`.

Weights are kept in float16, and what only training needs is left out. A reader whose word vectors
came from a file gets all words of that file, so that it needs the file no more: `--vectors FILE`.
`--sure CHANCE` is the chance below which the network does not answer. A card that is there stays.
"""

import argparse
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file

from progtf.data import SPECIALS, Words
from progtf.sealed import seal
from progtf.tasks.comprehension import PASSAGE, PLACES, SELDOM
from progtf.training.folders import SETTINGS
from progtf.training.networks import kept_settings, read_settings, save_network
from progtf.training.reading import ROWS, TABLE, rows_of, vectors_in
from progtf.training.sureness import note_least_sure
from progtf.training.written_words import FOLDER as READS
from progtf.weights.folder import WEIGHTS

CARD = "README.md"


def ship(source: Path, target: Path, vectors: Path | None, sure: float | None) -> None:
    """Writes the folder of a network."""
    wanted, alphabet = read_settings(source)
    tensors = load_file(source / WEIGHTS)
    if vectors is not None:
        wanted = wanted.model_copy(
            update={"reading": wanted.reading.model_copy(update={"vectors": None})}
        )
        alphabet = _with_words(tensors, vectors)
    card = (target / CARD).read_text(encoding="utf-8") if (target / CARD).exists() else None
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    small = {name: _small(tensor) for name, tensor in tensors.items()}
    save_network(target, kept_settings(wanted, source), small, alphabet)
    _forget_places(target / SETTINGS)
    if sure is not None:
        note_least_sure(target, sure)
    seal(target)
    for file in target.rglob("*.safetensors"):
        file.chmod(0o644)
    if card is not None:
        (target / CARD).write_text(card, encoding="utf-8")


def _with_words(tensors: dict[str, torch.Tensor], vectors: Path) -> Words:
    """Puts all vectors of a file into the table; returns the symbols, which have all its words."""
    words = [line.partition(" ")[0] for line in vectors.read_text(encoding="utf-8").splitlines()]
    found = vectors_in(vectors, set(words))
    known = sorted(found)
    units = (PASSAGE, *PLACES, *known, SELDOM)
    first = 1 + len((PASSAGE, *PLACES))  # a network that learns vectors has some for these as well
    row = {word: n for n, word in enumerate(known, start=first)}
    table = torch.zeros(first + len(known), tensors[TABLE].shape[1])
    table[first:] = torch.stack([torch.from_numpy(found[word]) for word in known])
    tensors[TABLE], tensors[ROWS] = table, rows_of(units, row)
    assert len(tensors[ROWS]) == len(SPECIALS) + len(units)
    return Words(units, open=True)


def _forget_places(settings: Path) -> None:
    """What a network reads lies beside it: where it came from is nobody's business."""
    said = json.loads(settings.read_text(encoding="utf-8"))
    if said.get("reads"):
        said["reads"] = READS
    settings.write_text(json.dumps(said, ensure_ascii=False) + "\n", encoding="utf-8")


def _small(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(torch.float16 if tensor.is_floating_point() else torch.int32).contiguous()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--sure", type=float)
    said = parser.parse_args()
    ship(said.source, said.target, said.vectors, said.sure)
    size = sum(path.stat().st_size for path in said.target.rglob("*") if path.is_file())
    print(f"{said.target}: {size / 1e6:.1f} MB")
