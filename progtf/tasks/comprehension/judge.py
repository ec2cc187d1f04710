"""How answers are judged: exact match and F1, as the official evaluation of SQuAD v1.1 counts them.

Rajpurkar et al. 2016, section 6.1. Answers are compared in lower case, without punctuation and
articles; each is held against that of the right ones that is best for it.
"""

import string
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

_ARTICLES = frozenset(("a", "an", "the"))
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class Judged(NamedTuple):
    """Of one answer, or the mean over several; 0 to 1.

    Attributes:
        exact: whether it is a right answer.
        f1: the harmonic mean of the shares of its words, and of those of the right answer, that
            are in both.
    """

    exact: float
    f1: float


def judged(answer: str, right: Iterable[str]) -> Judged:
    """An answer beside the right ones.

    Raises:
        ValueError: if there are no right ones.
    """
    both = [_beside(_words(answer), _words(each)) for each in right]
    if not both:
        raise ValueError("no right answer is known")
    return Judged(max(each.exact for each in both), max(each.f1 for each in both))


def mean(found: Iterable[Judged]) -> Judged:
    """The mean of some; zeros of none."""
    several = list(found)
    count = max(len(several), 1)
    return Judged(sum(each.exact for each in several) / count, sum(e.f1 for e in several) / count)


def _words(answer: str) -> list[str]:
    plain = answer.lower().translate(_NO_PUNCTUATION)
    return [word for word in plain.split() if word not in _ARTICLES]


def _beside(said: list[str], due: list[str]) -> Judged:
    same = sum((Counter(said) & Counter(due)).values())
    f1 = 2 * same / (len(said) + len(due)) if same else 0.0
    return Judged(float(said == due), f1)
