"""Whether an answer is what an example expects."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from progtf import numbers
from progtf.notation.did_you_mean import nearest
from progtf.notation.render import SemeError
from progtf.numbers import ABSENT, DECIMALS, MOST_DIGITS, Written
from progtf.program.interface import Dimension, Interface
from progtf.program.model import is_generated
from progtf.program.tokens import InputError
from progtf.program.vectors import read_written

if TYPE_CHECKING:  # editors in a browser check examples without numpy
    from progtf.program.answers import Answer
    from progtf.program.arrays import Array
    from progtf.program.speaking import Speaker

Semes = Sequence[Dimension]
_WITHIN = re.compile(r"(?P<due>.*\S)\s+within\s+(?P<share>\S+)", re.DOTALL)


def agrees(answer: "Answer", expected: str, interface: Interface, noise: float) -> bool:
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
        return number is not None and _score_agrees(
            answer.score, number, within, noise, answer, interface.space
        )
    assert answer.residual is not None
    try:
        wanted = _rows(due, interface)
    except (InputError, SemeError):
        return False
    rows = iter(zip(answer.tokens, answer.residual, strict=True))
    semes = interface.space[: interface.semes]
    return all(_next_agrees(rows, word, due, semes, within, noise) for word, due in wanted)


def check_expected(expected: str, interface: Interface) -> None:
    """Looks whether any answer of a program could be what an example expects.

    Raises:
        InputError: for a residual that is none or has a name that no seme has, a score that is no
            number, a class that there is not, and a token that is never written.
    """
    due, _ = _parted(expected)
    if interface.outputs:
        _check_written(expected, interface)
    elif interface.number:
        if numbers.written(due) is None:
            raise InputError(f"`{due}` is no number", due)
    elif interface.pool is not None:
        if expected not in interface.classes:
            hint = nearest(expected, interface.classes)
            said = f"no class is called `{expected}`" + (hint and f"; {hint}")
            raise InputError(said, expected)
    else:
        _rows(due, interface)


def _check_written(expected: str, interface: Interface) -> None:
    """Looks for a token that no output is; where tokens are joined, any text may be one."""
    known = dict.fromkeys(interface.outputs)
    single = interface.tokens.endswith("chars")
    if interface.join or any(len(token) > 1 if single else " " in token for token in known):
        return
    for token in expected if single else expected.split():
        if token not in known:
            hint = nearest(token, known)
            raise InputError(f"`{token}` is never written" + (hint and f"; {hint}"), token)


def _rows(due: str, interface: Interface) -> list[tuple[str, dict[str, Written]]]:
    """The tokens that an example names, each with its semes."""
    pieces = (piece.rpartition(":") for piece in due.split("|"))
    semes = interface.names[: interface.semes]
    return [(_unquoted(word.strip()), read_written(vector, semes)) for word, _, vector in pieces]


def _score_agrees(
    score: float, due: Written, within: float | None, noise: float, answer: "Answer", space: Semes
) -> bool:
    """A score is made of numbers as large as semes may be, and each may be missed by its share; of
    a network that is proven exact by what the proof says.
    """
    agree = partial(numbers.agree, score, due, within=within, noise=noise, decimals=DECIMALS)
    if agree() or not noise:
        return agree()
    widest = max((max(abs(seme.low), abs(seme.high)) for seme in space), default=1.0)
    proven = numbers.FINE if answer.outcome.verdict == "exact" else 0.0
    return agree(off=proven or min(numbers.FINE, noise * widest))


def found(answer: "Answer", expected: str, speaker: "Speaker", noise: float) -> str:
    """What was found in place of what is expected, with so many digits that the difference shows.

    Args:
        answer: what was computed, which does not agree with what is expected.
        expected: what the example says.
        speaker: shows the answer.
        noise: as ``agrees`` has it.
    """
    least = numbers.DIGITS if answer.score is None else DECIMALS
    tried = (speaker.with_digits(answer, n) for n in range(least, MOST_DIGITS + 1))
    differ = (each for each in tried if not agrees(each, expected, speaker.interface, noise))
    return next(differ, answer).text


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
    rows: "Iterator[tuple[str, Array]]",
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
