"""The recurrent network of ``examples/language/sentiment.seme`` against VADER itself."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.published import missing
from progtf import compile as compiled
from progtf.building.load import load
from progtf.network.model import Model
from progtf.published import data_folder

vader = pytest.importorskip("vaderSentiment.vaderSentiment")
PROGRAM = Path(__file__).parents[2] / "examples" / "language" / "sentiment.seme"
DATA = data_folder() / "vader"


@cache
def model() -> Model:
    return compiled(load(PROGRAM))


def scores(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """What the network says and what VADER says."""
    judge = vader.SentimentIntensityAnalyzer()
    said = [answer.score for answer in model().answers(texts)]
    return np.array(said), np.array([judge.polarity_scores(t)["compound"] for t in texts])


def classes(compound: np.ndarray) -> np.ndarray:
    return np.where(compound >= 0.05, 1, np.where(compound <= -0.05, -1, 0))


@pytest.mark.parametrize("name", ["tweets", "amazonReviewSnippets"])
def test_it_says_what_vader_says(name):
    path = DATA / f"{name}_GroundTruth.txt"
    if not path.is_file():
        pytest.skip(missing("vader"))
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    said, meant = scores([line.split("\t")[2] for line in lines])
    assert np.corrcoef(said, meant)[0, 1] >= 0.999
    assert (classes(said) == classes(meant)).mean() >= 0.995


RULES = [
    "so-so", "not not good", "never so happy", "never this good", "without doubt great",
    "not at all a happy man", "hardly ever nice", "VERY good", "very GOOD", "REALLY not good",
    "the least nice", "at least nice", "it is kind of nice", "it was just enough fun", "no joy",
    "no, no joy", "good, but bad", "but good", "bad but so very good!", "what??", "good??",
    "good????",
    "!!!! nice !!!!!!!!", "absolutely very really good", "he is not a very nice man", ":-( ... :)",
    "isn't it sad", "can't stop loving it", "I hate this", "They HATE this", "nor is it good",
    "a bus stop", "we were at the bus stop", "this was the shit",
]  # fmt: skip


def test_it_follows_every_rule():
    said, meant = scores(RULES)
    wrong = [
        (text, a, b) for text, a, b in zip(RULES, said, meant, strict=True) if abs(a - b) > 1e-3
    ]
    assert wrong == []
