"""``ask: "{answer}; {text}"``: what a text that asked becomes when the answer is there."""

import re

_HOLE = re.compile(r"\{(answer|text)\}")


def puts(ask: object) -> bool:
    """Whether a form says once each where an ``{answer}`` and the ``{text}`` that asked stand."""
    return isinstance(ask, str) and sorted(_HOLE.findall(ask)) == ["answer", "text"]


def put(ask: str, answer: str, text: str) -> str:
    """The text that is asked next; what looks like a hole in an answer or a text is none."""
    given = {"answer": answer, "text": text}
    return _HOLE.sub(lambda hole: given[hole[1]], ask)
