"""Question and answer lines, read in large pieces and checked: bytes in, lengths out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from progtf.data.errors import STRICT, DataError, Told
from progtf.data.problem import MAX_ANSWER, MAX_QUESTION, Problem
from progtf.data.tokens import PAPER, UNKNOWN, Vocabulary
from progtf.equality import compared
from progtf.texts import LONGEST, normal, why_no_text

PIECE = 1 << 22
"""Bytes read at a time."""

NEWLINE = ord("\n")


class Bytes(Protocol):
    """What gives the next bytes, of about so many."""

    def read(self, size: int, /) -> bytes: ...


@compared
class Text(NamedTuple):
    """Some problems, one after the other: question, answer, question, answer, no line ends.

    Characters are bytes as `Vocabulary.to_bytes` gives them.

    Shapes:
        characters       byte
        question_length  problem
        answer_length    problem
    """

    characters: NDArray[np.uint8]
    question_length: NDArray[np.uint8]
    answer_length: NDArray[np.uint8]


def text_of(problems: Sequence[Problem], vocabulary: Vocabulary = PAPER) -> Text:
    """Returns problems as a text."""
    lengths = [(len(problem.question), len(problem.answer)) for problem in problems]
    characters = vocabulary.to_bytes("".join(q + a for q, a in problems))
    question_length, answer_length = np.array(lengths, np.uint8).reshape(-1, 2).T
    return Text(np.frombuffer(characters, np.uint8), question_length, answer_length)


def read_text(
    file: Bytes,
    name: str,
    vocabulary: Vocabulary = PAPER,
    told: Told = STRICT,
    gone: Callable[[int], None] = lambda _: None,
) -> Iterator[Text]:
    """Yields the problems of a file of alternating question and answer lines.

    A line is wrong that is empty, too long or has a character that the vocabulary does not have.

    Args:
        file: UTF-8 with line feeds, as `progtf.texts.Cleaned` reads it.
        name: What to call the file in messages.
        vocabulary: The characters that it may have.
        told: Hears of lines that are wrong, of a last one that is not ended, and of a last question
            without an answer.
        gone: Told the number, from 0, of each problem that is refused.

    Raises:
        DataError: There is nothing; or the first of these, where nobody goes on.
    """
    reader = _Reader(name, vocabulary, told, gone)
    rest, line = b"", 1
    while piece := file.read(PIECE):
        data = rest + piece
        whole = _end_of_pairs(data)
        rest = data[whole:]
        if whole:
            yield reader.checked(data[:whole], line)
            line += data.count(b"\n", 0, whole)
        reader.check_rest(rest, line)
    if not rest and line == 1:
        raise DataError("the file is empty", name)
    if told.strict and rest:
        raise _unended(rest, name, line)
    if rest.strip(b"\n"):
        _question, ended, answer = rest.partition(b"\n")
        mistake = _unended(rest, name, line)
        if ended and answer:
            told.doubt(mistake)
            yield reader.checked(rest + b"\n", line)
        else:
            told.refuse(mistake)


def _end_of_pairs(data: bytes) -> int:
    """Returns where the last whole pair of lines ends."""
    end = data.rfind(b"\n") + 1
    if data.count(b"\n", 0, end) % 2:
        end = data.rfind(b"\n", 0, end - 1) + 1
    return end


@dataclass(frozen=True)
class _Reader:
    """Reads the lines of one file."""

    name: str
    vocabulary: Vocabulary
    told: Told = STRICT
    gone: Callable[[int], None] = lambda _: None

    def checked(self, data: bytes, first_line: int) -> Text:
        """The problems of whole pairs of lines."""
        if not data.isascii():
            text = normal(data.decode("utf-8", "replace")).replace("\n\ufeff", "\n")
            characters = self.vocabulary.to_bytes(text)
        else:
            characters = data
        characters = np.frombuffer(characters, np.uint8)
        is_end = characters == NEWLINE
        ends = np.flatnonzero(is_end)
        lengths = np.diff(ends, prepend=-1) - 1
        wrong = (lengths == 0) | (lengths > np.resize([MAX_QUESTION, MAX_ANSWER], lengths.size))
        strange = np.flatnonzero((self.vocabulary.table[characters] == UNKNOWN) & ~is_end)
        wrong[np.searchsorted(ends, strange)] = True
        keep = ~is_end
        if wrong.any():
            pairs = self._refused(data, first_line, wrong, lengths)
            keep &= np.repeat(np.repeat(~pairs, 2), lengths + 1)
            lengths = lengths[np.repeat(~pairs, 2)]
        lengths = lengths.astype(np.uint8)
        return Text(characters[keep], lengths[::2], lengths[1::2])

    def _refused(
        self, data: bytes, first_line: int, wrong: NDArray[np.bool_], lengths: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which pairs of lines are refused; of empty ones nothing is said."""
        pairs = wrong[::2] | wrong[1::2]
        said = pairs & ((lengths[::2] > 0) | (lengths[1::2] > 0))
        if self.told.strict:
            said = pairs
        lines = data.split(b"\n") if said.any() else []
        for pair in np.flatnonzero(pairs).tolist():
            if said[pair]:
                offset = 2 * pair + (not wrong[2 * pair])
                self.told.refuse(self._mistake(lines[offset], first_line + offset))
            self.gone((first_line - 1) // 2 + pair)
        return pairs

    def check_rest(self, rest: bytes, line: int) -> None:
        """A line that is already too long is an error before its end is found."""
        if not self.told.strict and len(rest) < LONGEST:
            return
        for offset, begun in enumerate(rest.split(b"\n", 2)[:2]):
            most = MAX_ANSWER if offset else MAX_QUESTION
            if len(begun) > most and len(begun[:1000].decode("utf-8", "ignore")) > most:
                raise self._mistake(begun[:1000], line + offset)

    def _mistake(self, line: bytes, number: int) -> DataError:
        """Returns the error of a line that is not as it should be."""
        kind, limit = ("question", MAX_QUESTION) if number % 2 else ("answer", MAX_ANSWER)
        if not line:
            return DataError(f"the {kind} is empty", self.name, number, _ALTERNATE)
        if strange := self._strange(line):
            return DataError(strange, self.name, number, self._hint(line))
        message = f"the {kind} has more than {limit} characters"
        return DataError(message, self.name, number, _ALTERNATE)

    def _strange(self, line: bytes) -> str:
        known = self.vocabulary.characters
        whose = "dataset" if self.vocabulary == PAPER else "alphabet"
        for column, character in enumerate(line.decode("utf-8", "replace"), start=1):
            if character not in known:
                is_not = f"is not one of the {whose}'s {len(known)} characters"
                return f"character {column}, {character!r}, {is_not}"
        return ""

    def _hint(self, line: bytes) -> str:
        if why := why_no_text(line.decode(errors="surrogateescape")):
            return why
        return f"the characters are {self.vocabulary.characters}"


_ALTERNATE = "question lines and answer lines take turns"
_UNENDED = "the file may be cut short; if it is whole, end the last line with a line end"


def _unended(rest: bytes, name: str, line: int) -> DataError:
    """What is wrong with the end of a file, behind its last whole pair of lines."""
    question, ended, answer = rest.partition(b"\n")
    if not ended or answer:
        unended = line + bool(ended)
        return DataError("the last line has no line end", name, unended, _UNENDED)
    if question:
        return DataError("the last question has no answer", name, line, _ALTERNATE)
    return DataError("the question is empty", name, line, _ALTERNATE)
