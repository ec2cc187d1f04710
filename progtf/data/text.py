"""Question and answer lines, read in large pieces and checked: bytes in, lengths out."""

from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.data.errors import DataError
from progtf.data.problem import MAX_ANSWER, MAX_QUESTION, Problem
from progtf.data.tokens import CHARACTERS

PIECE = 1 << 22
"""Bytes read at a time."""

NEWLINE = ord("\n")
_ALLOWED = np.zeros(256, bool)
_ALLOWED[np.frombuffer(CHARACTERS.encode() + b"\n", np.uint8)] = True


class Text(NamedTuple):
    """Some problems, one after the other: question, answer, question, answer, no line ends.

    Shapes:
        characters       byte
        question_length  problem
        answer_length    problem
    """

    characters: NDArray[np.uint8]
    question_length: NDArray[np.uint8]
    answer_length: NDArray[np.uint8]


def text_of(problems: Sequence[Problem]) -> Text:
    """Returns problems as a text."""
    lengths = [(len(problem.question), len(problem.answer)) for problem in problems]
    characters = "".join(question + answer for question, answer in problems).encode("ascii")
    question_length, answer_length = np.array(lengths, np.uint8).reshape(-1, 2).T
    return Text(np.frombuffer(characters, np.uint8), question_length, answer_length)


def read_text(file: IO[bytes], name: str) -> Iterator[Text]:
    """Yields the problems of a file of alternating question and answer lines.

    Args:
        file: Open for reading bytes.
        name: What to call the file in messages.

    Raises:
        DataError: A line is empty, too long, has a character that the dataset does not have or
            is not ended; the last question has no answer; or there is nothing.
    """
    rest, line = b"", 1
    while piece := file.read(PIECE):
        data = rest + piece
        whole = _end_of_pairs(data)
        rest = data[whole:]
        if whole:
            yield _checked(data[:whole], name, line)
            line += data.count(b"\n", 0, whole)
        _check_rest(rest, name, line)
    if rest:
        _check_end(rest, name, line)
    if not rest and line == 1:
        raise DataError("the file is empty", name)


def _end_of_pairs(data: bytes) -> int:
    """Returns where the last whole pair of lines ends."""
    end = data.rfind(b"\n") + 1
    if data.count(b"\n", 0, end) % 2:
        end = data.rfind(b"\n", 0, end - 1) + 1
    return end


def _checked(data: bytes, name: str, first_line: int) -> Text:
    characters = np.frombuffer(data, np.uint8)
    is_end = characters == NEWLINE
    ends = np.flatnonzero(is_end)
    lengths = np.diff(ends, prepend=-1) - 1
    wrong = (lengths == 0) | (lengths > np.resize([MAX_QUESTION, MAX_ANSWER], lengths.size))
    strange = np.flatnonzero(~_ALLOWED[characters])
    wrong[np.searchsorted(ends, strange)] = True
    if wrong.any():
        offset = int(wrong.argmax())
        raise _mistake(data.split(b"\n", offset + 1)[offset], name, first_line + offset)
    lengths = lengths.astype(np.uint8)
    return Text(characters[~is_end], lengths[::2], lengths[1::2])


def _mistake(line: bytes, name: str, number: int) -> DataError:
    """Returns the error of a line that is not as it should be."""
    kind, limit = ("question", MAX_QUESTION) if number % 2 else ("answer", MAX_ANSWER)
    if not line:
        return DataError(f"the {kind} is empty", name, number, _ALTERNATE)
    if strange := _strange(line):
        return DataError(strange, name, number, _hint(line))
    return DataError(f"the {kind} has more than {limit} characters", name, number, _ALTERNATE)


def _strange(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    for column, character in enumerate(text, start=1):
        if character not in CHARACTERS:
            return f"character {column}, {character!r}, is not one of the dataset's 69 characters"
    return ""


def _hint(line: bytes) -> str:
    if line.endswith(b"\r"):
        return "the file has Windows line ends; `dos2unix` mends them"
    return f"the characters are {CHARACTERS}"


_ALTERNATE = "question lines and answer lines take turns"
_UNENDED = "the file may be cut short; if it is whole, end the last line with a line end"


def _check_rest(rest: bytes, name: str, line: int) -> None:
    """A line that is already too long is an error before its end is found."""
    for offset, begun in enumerate(rest.split(b"\n", 2)[:2]):
        if len(begun) > (MAX_ANSWER if offset else MAX_QUESTION):
            raise _mistake(begun[:1000], name, line + offset)


def _check_end(rest: bytes, name: str, line: int) -> None:
    question, ended, answer = rest.partition(b"\n")
    if not ended or answer:
        unended = line + bool(ended)
        raise DataError("the last line has no line end", name, unended, _UNENDED)
    if question:
        raise DataError("the last question has no answer", name, line, _ALTERNATE)
    raise DataError("the question is empty", name, line, _ALTERNATE)
