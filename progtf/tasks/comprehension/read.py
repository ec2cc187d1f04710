"""Questions about passages from JSON lines: a passage a line, with its questions and answers."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from progtf.data.errors import DataError
from progtf.tasks.comprehension.texts import Question, Text

ENDINGS = (".jsonl", ".jsonl.gz")
_DUE = (
    'a line is {"article": "...", "context": "...", "qas": [{"id": "...", "question": "...",'
    ' "answers": ["..."]}]}'
)
_UNREADABLE = OSError, EOFError, zlib.error, UnicodeDecodeError


def has_passages(path: Path) -> bool:
    """Whether a file has passages: its name says JSON lines, and the first line has a `context`."""
    if not path.name.endswith(ENDINGS):
        return False
    try:
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
            said = json.loads(file.readline())
    except (*_UNREADABLE, ValueError, RecursionError):
        return False
    return isinstance(said, dict) and "context" in said


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file; a file is read again only when it has changed.

    Raises:
        DataError: if the file is not there, is empty, or has a line that is no passage.
    """
    try:
        state = path.stat()
    except OSError as error:
        raise DataError(str(error.strerror).lower(), path) from None
    return _questions(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _questions(path: Path, *state: int) -> tuple[Question, ...]:
    del state
    try:
        raw = path.read_bytes()
        lines = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode().splitlines()
    except _UNREADABLE as error:
        raise DataError(f"this file cannot be read: {error}", path) from None
    found = tuple(question for each in _read(lines, path) for question in each)
    if not found:
        raise DataError("there are no questions in this file", path)
    return found


def _read(lines: Sequence[str], path: Path) -> Iterator[list[Question]]:
    for number, line in enumerate(lines, start=1):
        try:
            yield _passage(json.loads(line))
        except KeyError as error:
            raise DataError(f"this passage lacks {error}", path, number, help=_DUE) from None
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(f"no passage: {error}", path, number, help=_DUE) from None


def _passage(said: dict[str, Any]) -> list[Question]:
    passage = Text.of(said["context"])
    if not passage.words:
        raise ValueError("its `context` has no words")
    return [
        Question(
            str(each["id"]), str(said["article"]), Text.of(each["question"]), passage,
            tuple(map(str, each["answers"])),
        )
        for each in said["qas"]
    ]  # fmt: skip


def by_article(
    questions: Sequence[Question], share: float, seed: int
) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """About so great a share of the articles held back, and the others; no article is in both.

    Which ones, their names and the seed say, and nothing else.
    """
    names = sorted(
        {question.article for question in questions},
        key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest(),
    )
    held = set(names[: round(share * len(names))])
    return (
        tuple(question for question in questions if question.article in held),
        tuple(question for question in questions if question.article not in held),
    )
