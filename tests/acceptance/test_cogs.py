"""``examples/language/cogs.seme``: sentences into logical forms, as plain Python has them."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

import progtf
from benchmarks.published import missing
from progtf.program.tokens import InputError
from progtf.published import data_folder
from tests.acceptance.cogs import WORDS, Writer, meaning, spoiled

PROGRAM = Path(__file__).parents[2] / "examples" / "language" / "cogs.seme"
DATA, ABSENT = data_folder() / "cogs", missing("cogs")
UNSEEN = {"gardner", "monastery"}  # they stand in no row of the training set


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load(PROGRAM))


def misunderstood(model, sentences: list[str]) -> list[tuple[str, str, str]]:
    """Sentences, the logical form that is due, and what the program says instead."""
    said = model.run(sentences)
    due = [meaning(sentence) for sentence in sentences]
    return [row for row in zip(sentences, due, said, strict=True) if row[1] != row[2]]


SENTENCES = """
A cat slept . | cat ( x _ 1 ) AND sleep . agent ( x _ 2 , x _ 1 )
The ball broke . | * ball ( x _ 1 ) ; break . theme ( x _ 2 , x _ 1 )
Emma was helped . | help . theme ( x _ 2 , Emma )
Emma was sent the ball by Liam . | * ball ( x _ 4 ) ; send . recipient ( x _ 2 , Emma ) \
AND send . theme ( x _ 2 , x _ 4 ) AND send . agent ( x _ 2 , Liam )
Emma gave Liam a ball . | give . agent ( x _ 1 , Emma ) AND give . recipient ( x _ 1 , Liam ) \
AND give . theme ( x _ 1 , x _ 4 ) AND ball ( x _ 4 )
The cat in a house wanted to run . | * cat ( x _ 1 ) ; cat . nmod . in ( x _ 1 , x _ 4 ) \
AND house ( x _ 4 ) AND want . agent ( x _ 5 , x _ 1 ) AND want . xcomp ( x _ 5 , x _ 7 ) \
AND run . agent ( x _ 7 , x _ 1 )
"""


LONG = pytest.mark.long


@pytest.mark.parametrize("row", SENTENCES.strip().splitlines())
def test_a_sentence_means_what_a_person_wrote_down(model, row):
    sentence, expected = row.split(" | ")
    assert meaning(sentence) == expected
    assert model.run(sentence) == expected


@pytest.mark.parametrize("count", [300, pytest.param(1_000, marks=LONG)])
def test_any_words_in_any_construction_are_understood(model, count):
    writer = Writer(Random(1))
    assert misunderstood(model, [writer.sentence() for _ in range(count)]) == []


@pytest.mark.parametrize("depth", [5, 20])
def test_phrases_and_clauses_nest_as_deep_as_one_likes(model, depth):
    writer = Writer(Random(depth))
    around = " in the ".join(sorted(writer.nouns)[: depth + 1])
    clauses = " ".join(f"the {noun} said that" for noun in sorted(writer.nouns)[:depth])
    sentences = [
        f"The {around} was seen by a {around} .",
        f"T{clauses[1:]} Emma gave the {around} to a cat .",
    ]
    assert min(len(meaning(sentence).split()) for sentence in sentences) > 30 * depth
    assert misunderstood(model, sentences) == []


@pytest.mark.parametrize("count", [300, pytest.param(1_500, marks=LONG)])
def test_what_is_no_sentence_is_answered_with_a_question_mark(model, count):
    choice = Random(2)
    writer = Writer(choice)
    texts = [closed(spoiled(writer.sentence(), choice)) for _ in range(count)]
    assert sum(meaning(text) == "?" for text in texts) > count / 2
    assert misunderstood(model, [text for text in texts if text]) == []


def closed(text: str) -> str:
    """The text with one stop at its end, as the program reads it."""
    while text.endswith("."):
        text = text[:-1].rstrip()
    return f"{text} ." if text else ""


@pytest.mark.parametrize(
    "typed",
    ["{}.", "{}!", "{}", "“{}.”", '"{}"', "{} .", "  {} . ", "{}…"],
)
def test_a_stop_or_none_is_read(model, typed):
    writer = Writer(Random(3))
    bare = [writer.sentence().removesuffix(" .") for _ in range(30)]
    texts = [typed.format(text.replace(" ", "  ")) for text in bare]
    assert model.run(texts) == [meaning(f"{text} .") for text in bare]


@pytest.mark.parametrize("text", ["", "The wombat slept .", "A gardner slept ."])
def test_an_empty_sentence_and_an_unknown_word_are_told(model, text):
    with pytest.raises(InputError):
        model.run(text)


def test_no_word_is_there_that_does_not_occur_in_training():
    assert not UNSEEN & set(WORDS)


def test_the_network_says_what_the_program_means(model):
    sentences = ["Emma ran .", "A cat in the house was given to Liam by a dog ."]
    assert progtf.interpret(progtf.load(PROGRAM)).run(sentences) == model.run(sentences)


def test_it_is_exact_in_float32(model):
    assert model.outcome.exact
    assert model.outcome.dtype == "float32"


@pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
@pytest.mark.parametrize(
    ("name", "every"),
    [("dev", 5), *(pytest.param(name, 4, marks=LONG) for name in ("test", "gen_public"))],
)
def test_rows_whose_words_are_known_are_right(model, name, every):
    lines = (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[::every]
    rows = [line.split("\t") for line in lines]
    known = [row for row in rows if not UNSEEN & set(row[0].split())]
    assert len(rows) - len(known) <= 13
    wrong = Counter()
    said = model.run([row[0] for row in known])
    wrong.update(kind for (_, due, kind), s in zip(known, said, strict=True) if s != due)
    assert not wrong
