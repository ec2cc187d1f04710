"""``examples/language/blimp.seme`` on the pairs of BLiMP: with the published words and its own."""

import json
from functools import cache
from pathlib import Path

import pytest

from benchmarks.published import missing
from progtf import InputError
from progtf import compile as compiled
from progtf.building.load import load
from progtf.network.model import Model
from progtf.published import data_folder

EXAMPLES = Path(__file__).parents[2] / "examples"
DATA, ABSENT = data_folder() / "blimp", missing("blimp", "blimp-words")
EVERY = 10  # pairs are alike: one in ten tells enough
OWN_EVERY = 25  # a word that is unknown is looked for among all

pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)


@cache
def model() -> Model:
    return compiled(load(EXAMPLES / "language" / "blimp_published.seme"))


def pairs(path: Path) -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["sentence_good"], row["sentence_bad"]) for row in rows]


@cache
def accuracy(dropped: str = "") -> dict[str, float]:
    """Paradigm -> share of its pairs in which the better sentence scores higher.

    ``dropped``: the characters that are left out at the ends of sentences.
    """
    rates: dict[str, float] = {}
    for path in sorted(DATA.glob("*.jsonl")):
        some = pairs(path)[::EVERY]
        good, bad = (
            scores(model(), [text.rstrip(dropped) for text in side])
            for side in zip(*some, strict=True)
        )
        rates[path.stem] = sum(map(is_right, good, bad)) / len(some)
    return rates


def scores(judge: Model, texts: list[str]) -> list[float | None]:
    """The scores; None for a sentence with an unknown word: BLiMP has ten that its list lacks."""
    return [getattr(answer, "score", None) for answer in judge.try_answers(texts)]


def is_right(good: float | None, bad: float | None) -> bool:
    return good is not None and bad is not None and good > bad + 1e-6


def mean_of(*parts: str) -> float:
    found = [rate for name, rate in accuracy().items() if any(part in name for part in parts)]
    return sum(found) / len(found)


@pytest.mark.parametrize(
    "group",
    [("determiner_noun_agreement",), ("subject_verb_agreement", "distractor"), ("anaphor_",)],
    ids=str,
)
def test_agreement_is_nearly_never_misjudged(group):
    assert mean_of(*group) >= 0.985


def test_the_mean_over_all_paradigms_is_above_that_of_people():
    assert len(accuracy()) == 67
    assert mean_of("") >= 0.99
    assert min(accuracy().values()) >= 0.90  # of 50 pairs each


def test_a_sentence_ends_where_the_text_does():
    without = accuracy(".?!")
    assert sum(without.values()) / len(without) >= 0.99


def test_no_sentence_of_the_data_stands_in_a_program():
    sentences = {s for path in DATA.glob("*.jsonl") for pair in pairs(path) for s in pair}
    programs = "\n".join(path.read_text(encoding="utf-8") for path in EXAMPLES.rglob("*.seme"))
    begun = {programs[at : at + 16] for at in range(len(programs))}  # most sentences are not even
    likely = {s for s in sentences if len(s) < 16 or s[:16] in begun}
    assert [sentence for sentence in likely if sentence in programs] == []


def test_an_unknown_word_is_refused_by_name():
    with pytest.raises(InputError, match="Zoltan"):
        model().answers(["Zoltan saw himself."])


def test_with_its_own_words_it_takes_nearly_half_of_the_pairs():
    own = compiled(load(EXAMPLES / "language" / "blimp.seme"))
    some = [pair for path in sorted(DATA.glob("*.jsonl")) for pair in pairs(path)[::OWN_EVERY]]
    good, bad = (scores(own, list(side)) for side in zip(*some, strict=True))
    taken = sum(None not in pair for pair in zip(good, bad, strict=True))
    assert 0.43 <= taken / len(some) <= 0.53
    assert sum(map(is_right, good, bad)) / taken >= 0.85
