"""A question and its answer."""

from typing import NamedTuple

MAX_QUESTION, MAX_ANSWER = 160, 30
"""Characters; the published data has no longer ones."""


class Problem(NamedTuple):
    """A question and its answer."""

    question: str
    answer: str
