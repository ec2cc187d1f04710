"""What a program says about an input, as text: the same for interpreter and network."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from progtf.notation import flat as f
from progtf.notation import spell
from progtf.notation.diagnostics import SemeError, Source
from progtf.notation.did_you_mean import nearest
from progtf.notation.expand import expand
from progtf.notation.files import Files
from progtf.notation.parser import parse_all
from progtf.program.forms import Array, add_to
from progtf.program.model import BOS, EOS
from progtf.program.tokens import InputError

DIGITS = 6
SHOWN_DECIMALS = 4
NOTHING = 1e-6
UP = 0.5
SLACK = 1e-3  # of a range: float32 rounds, and its softmax leaks a little
EXPLAINED = ("max", "sum")  # poolings in which one word can be the reason


@dataclass(frozen=True)
class Reason:
    """What speaks for a class: a seme that some class's score reads, and a word where it is up."""

    token: str
    position: int
    seme: str
    value: float


@dataclass(frozen=True)
class Outside:
    """A seme that has left its range at a token: what reads it may be wrong."""

    token: str
    position: int
    seme: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes:
        text: what ``progtf run`` prints.
        tokens: the input's tokens.
        residual: the last residual, shape (tokens, semes), where that is the answer.
        scores: class or token -> score, where there are some: pooled, or of the first token.
        score: the number that is the answer, of a program with ``score:``.
        gap: the smallest distance between the best and the second-best score; None without scores.
        because: where the text is pooled by max or sum, which of the semes that count were found.
        outside: the first seme that the encoder left outside its range; None: all kept to theirs.
    """

    text: str
    tokens: tuple[str, ...]
    residual: Array | None = None
    scores: dict[str, float] | None = None
    gap: float | None = None
    because: tuple[Reason, ...] = ()
    score: float | None = None
    outside: Outside | None = None


def number_answer(score: float, tokens: Sequence[str], because: tuple[Reason, ...]) -> Answer:
    """An answer that is a number, printed to four decimals."""
    text = spell.number(round(score, SHOWN_DECIMALS))
    return Answer(text, tuple(tokens), because=because, score=score)


def reasons(
    read: Iterable[str], names: Sequence[str], tokens: Sequence[str], residual: Array
) -> Iterator[Reason]:
    """For every seme that classes read and that is up somewhere, every word where it is.

    Args:
        read: the semes.
        names: those of the columns of ``residual``.
        tokens: of the input.
        residual: the last one, shape (tokens, semes).
    """
    read = set(read)
    for position, column in np.argwhere(residual[: len(tokens)] > UP).tolist():
        if names[column] in read:
            value = rounded(float(residual[position, column]))
            yield Reason(tokens[position], position, names[column], value)


def first_outside(
    tokens: Sequence[str], residual: Array, ranges: Sequence[tuple[str, float, float]]
) -> Outside | None:
    """The first seme that is outside its range, flags left out: sums of them are often meant.

    Args:
        tokens: the input's tokens.
        residual: shape (tokens, semes) or wider.
        ranges: name, lowest and highest value of each seme.
    """
    if not ranges:
        return None
    low, high = np.array([(low, high) for _, low, high in ranges]).T
    slack = SLACK * np.maximum(1.0, np.maximum(abs(low), abs(high)))
    stream = residual[: len(tokens), : len(ranges)]
    over = (stream < low - slack) | (stream > high + slack)
    over &= (low != 0) | (high != 1)
    if not over.any():
        return None
    position, place = (int(index) for index in np.argwhere(over)[0])
    value = rounded(float(stream[position, place]))
    return Outside(tokens[position], position, ranges[place][0], value, *ranges[place][1:])


def show_vector(row: Array, names: Sequence[str]) -> str:
    """A vector in the notation, rounded to what a reader wants to see."""
    entries = [(name, rounded(value)) for name, value in zip(names, row[: len(names)], strict=True)]
    return spell.vector((name, value) for name, value in entries if value)


def rounded(value: float) -> float:
    """Six digits; what is no more than the leak of a softmax is nothing."""
    return 0.0 if abs(value) < NOTHING else float(f"{value:.{DIGITS}g}")


def show_residual(tokens: Sequence[str], residual: Array, names: Sequence[str]) -> str:
    """``dog: +noun +dog | cat: +noun +cat``: every token with its semes."""
    shown = [
        f"{spell.token(token)}: {show_vector(row, names)}"
        for token, row in zip(tokens, residual, strict=True)
        if token not in (BOS, EOS)
    ]
    return " | ".join(shown)


def read_vectors(text: str, names: Sequence[str]) -> list[dict[str, float]]:
    """``+pig -wombat | +pig``: vectors as an input or as an expected output.

    Raises:
        InputError: for anything else.
    """
    return [read_vector(piece, names) for piece in text.split("|")]


def read_vector(text: str, names: Sequence[str]) -> dict[str, float]:
    """One vector in the notation.

    Raises:
        InputError: for anything else.
    """
    if text.strip() == "0":
        return {}
    file, found = parse_all(Source("<input>", f"value: {' '.join(text.split())}"))
    flat, more = expand(file, Files())
    if found or more:
        raise InputError(f"`{text.strip()}` is not a vector: {(*found, *more)[0].headline}")
    vector: dict[str, float] = {}
    for entry in _entries(flat.statements):
        name = entry.terms[0].name
        if entry.kind != "vector" or name is None:
            raise InputError(f"`{text.strip()}` is not a vector such as `+pig -2wombat`")
        if name not in names:
            hint = nearest(name, names)
            raise InputError(f"no seme is called `{name}`" + (hint and f"; {hint}"))
        add_to(vector, name, entry.terms[0].coefficient)
    return vector


def _entries(statements: Iterable[f.Statement]) -> f.Entries:
    values = (s.value for s in statements if isinstance(s, f.NamedValue))
    return tuple(entry for value in values for entry in value)


def agrees(answer: Answer, expected: str, names: Sequence[str], tolerance: float) -> bool:
    """Whether an answer is what an example expects.

    A residual is compared seme by seme for the tokens that the example names, in their order, up to
    ``tolerance`` times the larger of 1 and the value, and so is a score; everything else is
    compared as text.
    """
    if answer.score is not None:
        return _close(answer.score, expected, tolerance)
    if answer.residual is None:
        return answer.text == expected
    try:
        pieces = [piece.rpartition(":") for piece in expected.split("|")]
        wanted = [
            (_unquoted(word.strip()), read_vector(vector, names)) for word, _, vector in pieces
        ]
    except (InputError, SemeError):
        return False
    rows = iter(zip(answer.tokens, answer.residual, strict=True))
    return all(_next_agrees(rows, word, vector, names, tolerance) for word, vector in wanted)


def _close(score: float, expected: str, tolerance: float) -> bool:
    """Whether a score is the number that an example expects, up to the last decimal shown."""
    try:
        wanted = float(expected)
    except ValueError:
        return False
    return abs(score - wanted) <= 10**-SHOWN_DECIMALS + tolerance * max(1.0, abs(score))


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 2 and word[0] == word[-1] and word[0] in "'\"" else word


def _next_agrees(
    rows: Iterator[tuple[str, Array]],
    word: str,
    vector: dict[str, float],
    names: Sequence[str],
    tolerance: float,
) -> bool:
    for token, row in rows:
        if word in ("", token):
            return all(
                abs(row[column] - vector.get(name, 0.0)) <= tolerance * max(1.0, abs(row[column]))
                for column, name in enumerate(names)
            )
    return False
