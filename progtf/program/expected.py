"""Whether an answer is what an example expects."""

import re
from collections.abc import Iterator, Sequence

from progtf import numbers
from progtf.notation.render import SemeError
from progtf.numbers import ABSENT, DECIMALS, Written
from progtf.program.answers import Answer
from progtf.program.arrays import Array
from progtf.program.interface import Dimension, Interface
from progtf.program.model import is_generated
from progtf.program.tokens import InputError
from progtf.program.vectors import read_written

_WITHIN = re.compile(r"(?P<due>.*\S)\s+within\s+(?P<share>\S+)", re.DOTALL)


def agrees(answer: Answer, expected: str, interface: Interface, noise: float) -> bool:
    """Whether an answer is what an example expects.

    A residual is compared seme by seme for the tokens that the example names, in their order: a
    seme that is declared whole exactly, another at the digits that the example writes, and so is a
    score. Where the example ends as in ``within 0.01``, numbers may lie so far off. Everything else
    is compared as text.

    Args:
        answer: what was computed.
        expected: what the example says.
        interface: of the program.
        noise: the share of the larger of 1 and a number by which the format of weights may miss it.
    """
    if answer.score is None and answer.residual is None:
        return answer.text == expected
    due, within = _parted(expected)
    if answer.score is not None:
        number = numbers.written(due)
        return number is not None and numbers.agree(
            answer.score, number, within=within, noise=noise, decimals=DECIMALS
        )
    assert answer.residual is not None
    try:
        pieces = [piece.rpartition(":") for piece in due.split("|")]
        wanted = [
            (_unquoted(word.strip()), read_written(vector, interface.names[: interface.semes]))
            for word, _, vector in pieces
        ]
    except (InputError, SemeError):
        return False
    rows = iter(zip(answer.tokens, answer.residual, strict=True))
    semes = interface.space[: interface.semes]
    return all(_next_agrees(rows, word, due, semes, within, noise) for word, due in wanted)


def _parted(expected: str) -> tuple[str, float | None]:
    """What is expected, and how far off numbers may lie where that is said."""
    found = _WITHIN.fullmatch(expected.strip())
    share = None if found is None else numbers.written(found["share"])
    if found is None or share is None or share.value < 0:
        return expected, None
    return found["due"], share.value


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 2 and word[0] == word[-1] and word[0] in "'\"" else word


def _next_agrees(
    rows: Iterator[tuple[str, Array]],
    word: str,
    due: dict[str, Written],
    semes: Sequence[Dimension],
    within: float | None,
    noise: float,
) -> bool:
    for token, row in rows:
        if word in ("", token):
            return all(
                numbers.agree(
                    float(row[column]),
                    due.get(seme.name, ABSENT),
                    whole=seme.whole,
                    within=within,
                    noise=noise,
                )
                for column, seme in enumerate(semes)
                if seme.name in due or not is_generated(seme.name)
            )
    return False
