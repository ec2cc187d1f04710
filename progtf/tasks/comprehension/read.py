"""Questions about passages: from JSON lines, a passage a line, or the official JSON of SQuAD v1.1.

The official form is ``{"data": [{"title": ..., "paragraphs": [{"context": ..., "qas": [...]}]}]}``.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from progtf.content import once_a_file
from progtf.data.errors import STRICT, DataError, Told
from progtf.data.forms import form_of
from progtf.data.lines import whole_text
from progtf.data.pairs import records_of
from progtf.tasks.comprehension.texts import Question, Text

_DUE = (
    'a line is {"article": "...", "context": "...", "qas": [{"id": "...", "question": "...",'
    ' "answers": ["..."]}]}'
)
_OFFICIAL_DUE = (
    'SQuAD v1.1 is {"data": [{"title": "...", "paragraphs": [{"context": "...", "qas": [{"id":'
    ' "...", "question": "...", "answers": [{"text": "...", "answer_start": 0}]}]}]}]}'
)


def has_passages(path: Path) -> bool:
    """Whether a file has passages: JSON with a `context`, or that of SQuAD."""
    return path.is_file() and form_of(path) in ("passages", "SQuAD")


@once_a_file(4)
def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file; a file is read again only when it has changed.

    Raises:
        DataError: if the file is not there, is empty, or has a line that is no passage.
    """
    return questions_in(path)


def questions_in(path: Path, told: Told = STRICT) -> tuple[Question, ...]:
    """The questions of a file.

    Args:
        path: The file.
        told: Hears of records that are no passages.

    Raises:
        DataError: if the file is not there, or is empty.
    """
    try:
        passages = _read_official(path, told) if form_of(path) == "SQuAD" else _read(path, told)
        found = tuple(question for each in passages for question in each)
    except MemoryError:
        raise DataError("memory is too small for these passages", path) from None
    if not found and not told.count:
        raise DataError("there are no questions in this file", path)
    return found


def _read(path: Path, told: Told) -> Iterator[list[Question]]:
    for number, said in records_of(path, told):
        try:
            found = _passage(said)
        except KeyError as error:
            told.refuse(DataError(f"this passage lacks {error}", path, number, help=_DUE))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            told.refuse(DataError(f"no passage: {error}", path, number, help=_DUE))
        else:
            yield found


def _read_official(path: Path, told: Told) -> Iterator[list[Question]]:
    """The passages of SQuAD's own form; an article's title is its name."""
    title, text = "", whole_text(path)
    try:
        for article in json.loads(text)["data"]:
            title = str(article["title"])
            for number, paragraph in enumerate(article["paragraphs"], start=1):
                try:
                    found = _passage({**paragraph, "article": title})
                except (ValueError, TypeError, AttributeError, LookupError) as error:
                    what = f"lacks {error}" if isinstance(error, KeyError) else f"is none: {error}"
                    place = f"paragraph {number} of article `{title}` {what}"
                    told.refuse(DataError(place, path, help=_OFFICIAL_DUE))
                else:
                    yield found
    except KeyError as error:
        place = f"article `{title}`" if title else "this file"
        raise DataError(f"{place} lacks {error}", path, help=_OFFICIAL_DUE) from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"no passages of SQuAD: {error}", path, help=_OFFICIAL_DUE) from None


def _passage(said: dict[str, Any]) -> list[Question]:
    passage = Text.of(said["context"])
    if not passage.words:
        raise ValueError("its `context` has no words")
    return [
        Question(
            str(each["id"]), str(said["article"]), Text.of(each["question"]), passage,
            tuple(map(_answer, each["answers"])),
        )
        for each in said["qas"]
    ]  # fmt: skip


def _answer(said: Any) -> str:
    """An answer alone, or with where it begins, which is not read: all places count."""
    return str(said["text"] if isinstance(said, dict) else said)


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
