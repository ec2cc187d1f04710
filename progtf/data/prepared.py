"""SCAN and COGS as run files read them: pairs with tabs, and the halves that figures are of.

Others' files stay as they are; `gzip` is made so that the same text has the same bytes.
"""

import gzip
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath

from progtf.data.errors import DataError

_TASKS = "tasks_"


def as_they_are(originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a set under their own names."""
    return {PurePosixPath(path).name: data for path, data in originals.items()}


def scan(originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """SCAN's files as `SPLIT.train.tsv.gz`, `SPLIT.test.tsv.gz` and `SPLIT.test_public.tsv.gz`.

    The last has every second row of a test, from the first on.

    Args:
        originals: `FOLDER/tasks_train_SPLIT.txt` and the like, lines `IN: command OUT: actions`.

    Raises:
        DataError: A line is none of these.
    """
    found = dict[str, bytes]()
    for path, data in originals.items():
        name = PurePosixPath(path).name
        if not name.startswith(_TASKS):
            found[name] = data
            continue
        kind, _, split = name.removeprefix(_TASKS).removesuffix(".txt").partition("_")
        rows = [_pair(line, path) for line in _lines(data)]
        found[f"{split}.{kind}.tsv.gz"] = packed(rows)
        if kind == "test":
            found[f"{split}.test_public.tsv.gz"] = packed(rows[::2])
    return found


def cogs(originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """COGS' files as they are, and `gen_public.tsv`: of each category every second row.

    Raises:
        DataError: A line of `gen.tsv` has no category.
    """
    found, seen, half = as_they_are(originals), Counter[bytes](), list[bytes]()
    for number, line in enumerate(_lines(found["gen.tsv"]), start=1):
        if line.count(b"\t") != 2:
            raise DataError("this line is no sentence, form and category", "gen.tsv", number)
        category = line.rpartition(b"\t")[2]
        if seen[category] % 2 == 0:
            half.append(line)
        seen[category] += 1
    return {**found, "gen_public.tsv": b"".join(line + b"\n" for line in half)}


def blimp_words(originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """BLiMP's words, with what describes them as `vocabulary.md`."""
    found = as_they_are(originals)
    found["vocabulary.md"] = found.pop("vocab_documentation.md")
    return found


def packed(lines: list[bytes]) -> bytes:
    """Lines as a file of gzip, which does not tell when it was made."""
    return gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0)


def _lines(data: bytes) -> list[bytes]:
    return data.removesuffix(b"\n").split(b"\n")


def _pair(line: bytes, path: str) -> bytes:
    question, out, answer = line.partition(b" OUT: ")
    if not out or not question.startswith(b"IN: "):
        raise DataError("a line is no `IN: command OUT: actions`", path)
    return question.removeprefix(b"IN: ") + b"\t" + answer
