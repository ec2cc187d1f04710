"""Whether an answer is what an example expects."""

from collections.abc import Iterator, Sequence

from progtf.notation.render import SemeError
from progtf.program.answers import SHOWN_DECIMALS, Answer
from progtf.program.arrays import Array
from progtf.program.model import is_generated
from progtf.program.tokens import InputError
from progtf.program.vectors import read_vector


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
                if name in vector or not is_generated(name)
            )
    return False
