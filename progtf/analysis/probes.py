"""What can be read off vectors by a linear map, and what would be read off any.

A probe is fitted on some words and scored on others. Beside it stand what the words alone tell, and
a control task (Hewitt and Liang 2019): every word type has a tag drawn for it, so that a probe that
is good at it knows words, and not their tags.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from progtf.analysis.coordinates import SAME, explained, regressed

Vectors = NDArray[np.float32]
Chosen = NDArray[np.int64]
SHARE = 0.1
"""Of a word's occurrences, a tag that it has more often counts as one of its tags."""
TIMES = 5
"""Occurrences that tell whether a word is ambiguous."""
RIDGE = 1e-6
"""Of the variance of a residual, of a probe of semes."""


class Probe:
    """Multinomial logistic regression from standardised vectors to tags.

    Args:
        vectors: of the words on which it is fitted, word d.
        tags: theirs.
    """

    def __init__(self, vectors: Vectors, tags: Sequence[str]) -> None:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  an extra

        self._mean, self._spread = vectors.mean(axis=0), vectors.std(axis=0) + 1e-6
        self._map = LogisticRegression(max_iter=300, C=1.0)
        self._map.fit(self._standard(vectors), np.asarray(tags))

    def right(self, vectors: Vectors, tags: Sequence[str]) -> NDArray[np.bool_]:
        """Which words get their tags."""
        return np.asarray(self._map.predict(self._standard(vectors)) == np.asarray(tags))

    def _standard(self, vectors: Vectors) -> Vectors:
        return (vectors - self._mean) / self._spread


class Probed(NamedTuple):
    """How well a seme is read off residuals: R² where the probe was not fitted.

    Attributes:
        seme: its name.
        explained: R² of its values; control: of values that were drawn for each kind of token.
    """

    seme: str
    explained: float
    control: float


def probed(
    residuals: NDArray[np.float64], semes: NDArray[np.float64], names: Sequence[str],
    kinds: Sequence[str], fitted: NDArray[np.bool_],
) -> list[Probed]:  # fmt: skip
    """Ridge probes of all semes that vary, the best read first.

    Args:
        residuals: position d.
        semes: position seme: their values.
        names: of the semes.
        kinds: the token at every position.
        fitted: where probes are fitted; they are scored elsewhere.
    """
    varies = [n for n in range(len(names))
              if min(semes[part, n].std() for part in (fitted, ~fitted)) > SAME]  # fmt: skip
    due = semes[:, varies]
    text = [drawn(kinds, [str(value) for value in column]) for column in due.T.tolist()]
    scores: list[NDArray[np.float64]] = []
    for values in (due, np.array(text, dtype=float).T):
        slopes, base = regressed(residuals[fitted], values[fitted], RIDGE)
        scores.append(explained(values[~fitted], residuals[~fitted] @ slopes + base))
    found = (
        Probed(names[int(n)], float(own), float(control))
        for n, own, control in zip(varies, *scores, strict=True)
    )
    return sorted(found, key=lambda each: -each.explained)


def principal(vectors: Vectors, count: int) -> tuple[Vectors, Vectors]:
    """The mean, and the directions of most variance, d by count."""
    mean = vectors.mean(axis=0)
    _, directions = np.linalg.eigh(np.cov(vectors - mean, rowvar=False))
    return mean, directions[:, ::-1][:, :count].astype(np.float32)


def usual(words: Sequence[str], tags: Sequence[str]) -> tuple[dict[str, str], str]:
    """The most frequent tag of each word, and that of all together: the least to beat."""
    by_word: dict[str, Counter[str]] = defaultdict(Counter)
    for word, tag in zip(words, tags, strict=True):
        by_word[word][tag] += 1
    each = {word: counts.most_common(1)[0][0] for word, counts in by_word.items()}
    return each, Counter(tags).most_common(1)[0][0]


def ambiguous(words: Sequence[str], tags: Sequence[str]) -> set[str]:
    """The words that have two tags or more, each in a tenth of their occurrences."""
    by_word: dict[str, Counter[str]] = defaultdict(Counter)
    for word, tag in zip(words, tags, strict=True):
        by_word[word][tag] += 1
    return {
        word
        for word, counts in by_word.items()
        if counts.total() >= TIMES
        and sum(count >= SHARE * counts.total() for count in counts.values()) > 1
    }


def drawn(words: Sequence[str], tags: Sequence[str], seed: int = 0) -> list[str]:
    """The control task: for each word type one tag, drawn as often as tags occur."""
    chance, every = np.random.default_rng(seed), np.asarray(tags)
    of = {word: str(chance.choice(every)) for word in sorted(set(words))}
    return [of[word] for word in words]


def discreteness(attention: Vectors) -> tuple[float, float]:
    """The mean of Σ a², and the share of words whose greatest attention is above 0.9."""
    whole = float(np.square(attention).sum(axis=1).mean())
    return whole, float((attention.max(axis=1) > 0.9).mean())
