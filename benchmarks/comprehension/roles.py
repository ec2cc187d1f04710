"""What the roles that a network learned tell of parts of speech, beside controls."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from progtf.analysis.probes import Probe, ambiguous, discreteness, drawn, principal, usual
from progtf.analysis.roles import agreement
from progtf.nn.reading import LSTMPhrases
from progtf.tasks.comprehension import Question, read_questions
from progtf.training.answer import Reader
from progtf.training.word_roles import Seen, passages_of, read_tags, seen, untrained

ARTICLES = 12
"""Of training, on whose passages probes are fitted."""
WORDS = 12_000
"""On which a probe is fitted."""
COMPONENTS = 20
Vectors = NDArray[np.float32]
Row = dict[str, Any]


def probed(checkpoint: Path, data: Path, tags: Path, seed: int) -> Row:
    """What linear maps read off a network's roles, or off its states where it has no roles.

    Accuracies are percent of the words of the development articles that are no punctuation.
    """
    fit, test = questions(data / "train.jsonl.gz"), read_questions(data / "dev.jsonl.gz")
    reader = Reader.load(checkpoint, [*fit, *test])
    before = untrained(checkpoint, reader, seed + 100)
    pairs = [[_seen(each, some, tags) for some in (fit, test)] for each in (reader, before)]
    if isinstance(reader.network.phrases, LSTMPhrases):
        return _states(pairs)
    return _roles(pairs, len(reader.settings.reading.written))


@lru_cache(maxsize=1)
def questions(path: Path) -> tuple[Question, ...]:
    """Those of some training articles."""
    every = read_questions(path)
    names = sorted({question.article for question in every})[:ARTICLES]
    return tuple(question for question in every if question.article in names)


def _seen(reader: Reader, some: Sequence[Question], tags: Path) -> Seen:
    return seen(reader, passages_of(some), _tags(tags))


_tags = lru_cache(maxsize=1)(read_tags)


def _counted(words: Seen) -> NDArray[np.int64]:
    """Words that have a tag and are no punctuation."""
    pairs = zip(words.words, words.tags, strict=True)
    return np.array([n for n, (word, tag) in enumerate(pairs) if tag and word.isalnum()])


def _states(pairs: list[list[Seen]]) -> Row:
    """An LSTM's: its first principal components, and all of its outputs."""
    (fit, test), (fit_before, test_before) = pairs
    mean, directions = principal(fit.outputs, COMPONENTS)
    both = [(each.outputs - mean) @ directions for each in (fit, test)]
    mean, directions = principal(fit_before.outputs, COMPONENTS)
    earlier = [(each.outputs - mean) @ directions for each in (fit_before, test_before)]
    base = _baselines(fit, test)
    return {
        "components": _accuracy(fit, test, *both)[0],
        "untrained components": _accuracy(fit, test, *earlier)[0],
        "outputs": _accuracy(fit, test, fit.outputs, test.outputs)[0],
        **base,
    }


def _roles(pairs: list[list[Seen]], written: int) -> Row:
    """Those that were learned, from left to right."""
    (fit, test), (fit_before, test_before) = pairs
    mine = [each.roles[:, 0, written:] for each in (fit, test)]
    earlier = [each.roles[:, 0, written:] for each in (fit_before, test_before)]
    every, unclear = _accuracy(fit, test, *mine)
    every_before, unclear_before = _accuracy(fit, test, *earlier)
    at = _counted(test)
    largest = mine[1][at].argmax(axis=1)
    tags = [test.tags[n] for n in at]
    control = drawn([test.words[n].lower() for n in at], tags)
    squares, peaks = discreteness(mine[1][at])
    symbol_squares, symbol_peaks = discreteness(test.symbols[at, 0])
    row = {
        "roles": every, "untrained": every_before,
        "ambiguous": unclear, "untrained ambiguous": unclear_before, **_baselines(fit, test),
        "control task": _control(fit, test, *mine),
        "told": _told(largest, tags), "told of control": _told(largest, control),
        "role squares": round(squares, 3), "roles above 0.9": round(100 * peaks, 1),
        "symbol squares": round(symbol_squares, 3),
        "symbols above 0.9": round(100 * symbol_peaks, 1),
    }  # fmt: skip
    return row | (_outside(fit, test, mine, written) if written else {})


def _outside(fit: Seen, test: Seen, mine: list[Vectors], written: int) -> Row:
    """The words of which the program says nothing."""
    told = test.roles[:, 0, :written].any(axis=1)
    at = _counted(test)
    right = _probe(fit, mine[0]).right(mine[1][at], [test.tags[n] for n in at])
    return {
        "covered": round(100 * float(told[at].mean()), 1),
        "outside": round(100 * float(right[~told[at]].mean()), 1),
    }


def _probe(fit: Seen, vectors: Vectors) -> Probe:
    chosen = _sample(fit)
    return Probe(vectors[chosen], [fit.tags[n] for n in chosen])


def _sample(fit: Seen) -> NDArray[np.int64]:
    at = _counted(fit)
    return np.random.default_rng(0).permutation(at)[:WORDS]


def _accuracy(fit: Seen, test: Seen, some: Vectors, others: Vectors) -> tuple[float, float]:
    """Of all counted words, and of the ambiguous ones."""
    at = _counted(test)
    right = _probe(fit, some).right(others[at], [test.tags[n] for n in at])
    unclear = _unclear(fit)
    hard = np.array([test.words[n].lower() in unclear for n in at])
    return round(100 * float(right.mean()), 1), round(100 * float(right[hard].mean()), 1)


def _unclear(fit: Seen) -> set[str]:
    at = _counted(fit)
    return ambiguous([fit.words[n].lower() for n in at], [fit.tags[n] for n in at])


def _baselines(fit: Seen, test: Seen) -> Row:
    """The tag that a word usually has; for all words, and for ambiguous ones."""
    at, of = _counted(fit), _counted(test)
    each, most = usual([fit.words[n].lower() for n in at], [fit.tags[n] for n in at])
    right = np.array([each.get(test.words[n].lower(), most) == test.tags[n] for n in of])
    unclear = _unclear(fit)
    hard = np.array([test.words[n].lower() in unclear for n in of])
    return {
        "usual tag": round(100 * float(right.mean()), 1),
        "usual tag, ambiguous": round(100 * float(right[hard].mean()), 1),
        "commonest": round(100 * float(np.mean([test.tags[n] == most for n in of])), 1),
    }


def _control(fit: Seen, test: Seen, some: Vectors, others: Vectors) -> float:
    """How well the probe learns a tag that was drawn for each word type."""
    words = [word.lower() for word in (*fit.words, *test.words)]
    tags = [tag or "X" for tag in (*fit.tags, *test.tags)]
    control = drawn(words, tags)
    chosen, at = _sample(fit), _counted(test)
    probe = Probe(some[chosen], [control[n] for n in chosen])
    right = probe.right(others[at], [control[len(fit.words) + n] for n in at])
    return round(100 * float(right.mean()), 1)


def _told(largest: NDArray[np.int64], tags: Sequence[str]) -> float:
    """The share of the tags' entropy that the largest role tells."""
    known = {tag: number for number, tag in enumerate(sorted(set(tags)))}
    return round(agreement(largest, np.array([known[tag] for tag in tags])).told, 3)
