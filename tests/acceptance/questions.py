"""Questions of the Mathematics Dataset that lie in ``tests/data/math``."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from progtf.network.model import Model

FOLDER = Path("tests/data/math")


def read(path: Path) -> tuple[list[str], list[str]]:
    """Questions and answers of one file."""
    lines = path.read_text().splitlines()
    return lines[0::2], lines[1::2]


def said(number: Decimal) -> str:
    """A number as the data set prints it: no exponent, no zeros that do not count."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def numeral(number: int, base: int) -> str:
    """A whole number in a base up to 16."""
    sign, number, text = "-" if number < 0 else "", abs(number), ""
    while number:
        number, digit = divmod(number, base)
        text = "0123456789abcdef"[digit] + text
    return sign + (text or "0")


def all_right(model: Model, asked: Sequence[tuple[str, str]], gap: float = 0.9) -> None:
    """All answers to (question, answer) pairs are right, and clearly so."""
    answers = model.answers([question for question, _ in asked])
    wrong = [(q, a.text) for (q, e), a in zip(asked, answers, strict=True) if a.text != e]
    assert wrong == []
    assert min(answer.gap or 0.0 for answer in answers) > gap


def every_question_right(model: Model, module: str, gap: float = 0.9) -> None:
    """All answers to a module and to its extrapolation variants are right, and clearly so."""
    paths = [FOLDER / f"{module}{variant}.txt" for variant in ("", "_big", "_longer", "_more")]
    paths = [path for path in paths if path.exists()]
    assert paths
    for path in paths:
        all_right(model, list(zip(*read(path), strict=True)), gap)
