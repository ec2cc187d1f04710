"""Questions of one's own in any alphabet: read, learned, kept, asked."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.data import CHARACTERS, PAPER, DataError, Problem, open_layout
from progtf.data.layout import vocabulary_of
from progtf.data.text import text_of
from progtf.data.tokens import extended
from progtf.sealed import seal
from progtf.training.checkpoint import checkpoints, read_progress
from progtf.training.config import RunError, read_run
from progtf.training.networks import LearnedModel
from progtf.training.questions import prepare, settled
from tests.training.conftest import trained

QUESTIONS = "Сколько будет 7 + 1?\nВосемь\n„Größe“ von 3; 4%\nß\n"
PROGRAM = """
model:
  kind: seq2seq
  tokens: chars
  length: 162 -> 8
  norm: split
semes: digit
lexicon:
  for d in "0123456789":
    "{d}": +digit
  unknown: 0
  <bos>: 0
  <eos>: 0
learn:
  semes: 8
  reads: digit
  tokens: "Восемьß"
  encoder: layers 1 heads 2 filter 8
  decoder: layers 1 heads 2 filter 8
"""
NETWORK = """
name = "own"
out = "out"
[model]
kind = "tp"
width = 8
filter = 8
heads = 2
layers = 1
[data]
folder = "mine"
generate = false
modules = ["sums"]
splits = ["train"]
[train]
steps = 4
batch = 2
warmup = 0
[evaluate]
every = 2
[checkpoints]
every = 2
"""


@pytest.fixture
def own(tmp_path):
    for split in ("train", "interpolate"):
        (tmp_path / "mine" / split).mkdir(parents=True)
        (tmp_path / "mine" / split / "sums.txt").write_text(QUESTIONS, encoding="utf-8")
    (tmp_path / "run.toml").write_text(NETWORK)
    return tmp_path / "run.toml"


def weights(trainer):
    return {name: each.numpy().copy() for name, each in trainer.steps.subject.state_dict().items()}


def test_a_network_learns_other_characters_goes_on_and_answers(own):
    whole = trained(own, log=own.parent / "whole", out="whole")
    trained(own, train__steps=2)
    broken = trained(own)
    assert all(np.array_equal(a, b) for a, b in zip(
        weights(whole).values(), weights(broken).values(), strict=True
    ))  # fmt: skip
    others = sorted({*QUESTIONS} - {*CHARACTERS, "\n"})
    last = checkpoints(own.parent / "out" / "checkpoints")[-1]
    assert read_progress(last).step == 4
    assert json.loads((last / "model.json").read_text())["alphabet"] == CHARACTERS + "".join(others)
    model = LearnedModel.load(last)
    (answer,) = model.respond(["Сколько будет 3%?"])
    assert {*answer} <= {*model.vocabulary.characters}
    refused = model.try_answers(["漢"])[0]
    assert "'漢', is not in the vocabulary" in str(refused)


def test_a_checkpoint_without_an_alphabet_has_the_usual_one(own):
    usual = "What is 1?\n1\n"
    for split in ("train", "interpolate"):
        (own.parent / "mine" / split / "sums.txt").write_text(usual)
    trained(own)
    last = checkpoints(own.parent / "out" / "checkpoints")[-1]
    settings = json.loads((last / "model.json").read_text())
    assert settings.pop("alphabet") == CHARACTERS
    (last / "model.json").write_text(json.dumps(settings))
    seal(last)
    assert LearnedModel.load(last).vocabulary == PAPER
    (own.parent / "out" / "settings.json").unlink(missing_ok=True)
    assert trained(own, train__steps=6).progress.step == 6  # a run from before goes on


def test_a_hybrid_learns_other_characters(own):
    (own.parent / "own.seme").write_text(PROGRAM, encoding="utf-8")
    text = 'out = "out"\n[data]' + own.read_text().partition("[data]")[2]
    own.write_text('program = "own.seme"\n' + text)
    assert trained(own).progress.step == 4


def test_new_characters_in_a_run_that_goes_on_are_named(own):
    log = own.parent / "out"
    trained(own, log=log, train__steps=2)
    with (own.parent / "mine" / "train" / "sums.txt").open("a", encoding="utf-8") as file:
        file.write("ё?\nё\n")
    with pytest.raises(RunError, match=r"changed since: `data.alphabet`, from "):
        trained(own)


def test_an_alphabet_that_is_given_is_the_alphabet(own):
    characters = "".join(sorted({*QUESTIONS} - {"\n"}))
    trainer = trained(own, data__alphabet=characters)
    assert trainer.steps.subject.vocabulary.characters == characters
    with pytest.raises(RunError, match=r"sums.txt:1: character 2, 'к', is not one of the alphabet"):
        prepare(read_run(own, {"data.alphabet": characters.replace("к", "")}).data)


@pytest.mark.parametrize(
    ("alphabet", "told"),
    [
        ("aba", "'a' comes twice"),
        ("a\n", "no character of a text"),
        ("a\x1b", "no character of a text"),
        ("".join(map(chr, range(0x4E00, 0x4E00 + 129))), "129 characters beyond ASCII"),
    ],
)
def test_an_alphabet_that_is_none_is_refused(own, alphabet, told):
    with pytest.raises(RunError, match=rf"`data.alphabet`: .*{told}"):
        settled(read_run(own, {"data.alphabet": alphabet}))


def test_generated_questions_have_their_own_alphabet(own):
    run = read_run(own, {"data.alphabet": "ab", "data.generate": True, "data.modules": ["numbers"]})
    with pytest.raises(RunError, match=r"`data.alphabet`: questions that are generated"):
        prepare(run.data.model_copy(update={"splits": ["train-easy"]}))


def test_what_is_no_text_is_told_by_line(own):
    path = own.parent / "mine" / "train" / "sums.txt"
    path.write_bytes("Größe\n".encode() + b"1\nGr\xf6\xdfe\n2\n")
    with pytest.raises(RunError, match=r"sums.txt:3: character 3, '�', is not one of the"):
        trained(own)
    path.write_text("漢" * 160 + "\n" + "字" * 30 + "\n", encoding="utf-8")
    files = list(open_layout(own.parent / "mine", ["train"], (), extended("漢字")))
    assert [*files[0].problems()] == [Problem("漢" * 160, "字" * 30)]
    path.write_text("漢" * 161 + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="more than 160 characters"):
        list(files[0].problems())


def test_the_usual_alphabet_is_the_published_one(own):
    path = own.parent / "mine" / "train" / "sums.txt"
    path.write_text("What is 1?\n1\n")
    assert vocabulary_of(open_layout(own.parent / "mine", ["train"])) is PAPER


LETTERS = st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"))


@given(st.text(LETTERS, min_size=1, max_size=100))
def test_texts_come_back_from_bytes_and_numbers(text):
    vocabulary = extended(text)
    assert vocabulary.to_text(vocabulary.to_bytes(text)) == text
    assert vocabulary.decode(vocabulary.encode(text)) == text
    assert vocabulary.symbols[: len(PAPER)] == PAPER.symbols
    assert len(text_of([Problem(text, text)], vocabulary).characters) == 2 * len(text)
