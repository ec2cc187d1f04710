"""Numbers, vectors and matrices as text that reads back to the same bits."""

import json
import re
from collections.abc import Iterable, Mapping

from progtf.notation.names import shadow
from progtf.numbers import exact as number

_PLAIN_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*(?:\[[^\[\]]*\])?")

UNFINISHED = ".unfinished"
"""Behind the name of a loop: the seme that says that it did not come to its end."""

_OPENING = ("for", "unknown", "classify")  # lines of a lexicon or an output that are no token's


def counted(count: int, what: str) -> str:
    """``1 example``, ``2 examples``."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def term(value: float, name: str, *, first: bool = False) -> str:
    """``+pig``, ``-2.1pig``."""
    return of_amount(number(value), name, first=first)


def of_amount(amount: str, name: str, *, first: bool = False) -> str:
    """The same of a number that is a text already: ``-2.1`` and ``pig``."""
    sign = "-" if amount.startswith("-") else "" if first else "+"
    amount = amount.removeprefix("-")
    if amount == "1":
        return f"{sign}{name}"
    return f"{sign}{amount}{' ' if 'e' in amount else ''}{name}"


def text_sign(value: float) -> bool:
    """Whether a number is written with a minus; -0.0 is."""
    return number(value).startswith("-")


def vector(entries: Iterable[tuple[str, float]]) -> str:
    """``+pig -2.1wombat``; ``0`` for a vector without entries."""
    return " ".join(term(value, name) for name, value in entries) or "0"


def entry(value: float, source: str, target: str) -> str:
    """``3pig>wombat``."""
    return f"{term(value, source, first=True)}>{target}"


def matrix(entries: Iterable[tuple[str, str, float]]) -> str:
    """``pig>pig, 3pig>wombat``."""
    return ", ".join(entry(value, source, target) for source, target, value in entries)


def form(coefficients: Mapping[str, float], constant: float) -> str:
    """``2say - 4``: a linear form, as rules and outputs have it."""
    parts = [(value, name) for name, value in coefficients.items()]
    if constant or not parts:
        parts.append((constant, ""))
    text = ""
    for place, (value, name) in enumerate(parts):
        sign = "-" if text_sign(value) else "+" if place else ""
        shown = term(abs(value), name, first=True) if name else number(abs(value))
        text += f" {sign} {shown}" if place else f"{sign}{shown}"
    return text


def mark(test: str, text: str) -> str:
    """What is asked of a word: ``contains "n't"``, ``unknown "-ed"``, ``capitals``."""
    match test:
        case "ending":
            return f"unknown {quoted(f'-{text}')}"
        case "beginning":
            return f"unknown {quoted(f'{text}-')}"
        case "capital" | "digits":
            return f"unknown {test}"
        case "capitals":
            return test
        case _:
            return f"{test} {quoted(text)}"


def close(sign: str, after: Iterable[str]) -> str:
    """``"?" after "What" "Is"``."""
    said = " ".join(map(quoted, after))
    return f"{quoted(sign)} after {said}" if said else quoted(sign)


def read_as(text: str, meant: str, where: str) -> str:
    """``"can't" as "can not" inside``."""
    return f"{quoted(text)} as {quoted(meant)} {where}".rstrip()


def token(text: str) -> str:
    """A token as lexicons write it: bare where that reads back, quoted otherwise."""
    cast = shadow(text)
    special = re.fullmatch(r"<\w+>", cast)
    bare = re.fullmatch(r"[^\W\d_](?:[\w'-]*[\w'])?", cast) and text not in _OPENING
    return text if special or bare else quoted(text)


def quoted(text: str) -> str:
    """A string literal."""
    return json.dumps(text, ensure_ascii=False)


def is_name(text: str) -> bool:
    """Whether a text can stand as a name in the notation."""
    return _PLAIN_NAME.fullmatch(shadow(text)) is not None
