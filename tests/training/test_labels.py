"""Encoders, classifiers and recurrent programs in training: labels of texts, labels of tokens."""

import json
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

import progtf
from progtf.cli.main import app
from progtf.data import Problem
from progtf.training.config import RunError, read_run
from progtf.training.describe import describe
from progtf.training.subject import IGNORED
from tests.training.conftest import run_command, trained

ROOT = Path(__file__).parents[2]
RUNS = {"shop": 95.0, "sentiment": 95.0, "tags": 95.0}
"""What each run of the repository reaches, in percent of the rows that it holds back."""

LEVEL = """
model:
  kind: rnn

semes:
  rise fall
  high: 0..64 step 0
  low: 0..64 step 0

lexicon:
  up:    +rise
  down:  +fall
  stay:  0
  <eos>: 0

cell:
  input:
    ?rise>high, ?fall>low, ?rise>low, ?fall>high
  recurrent:
    ~0.5high>high, ~0.5low>low
  activation: relu

classify:
  pool: last
  "ABOVE SEA": high - low
  "BELOW SEA": low - high
  otherwise: "AT SEA"
"""
LEVELS = [
    ("up", "ABOVE SEA"), ("down", "BELOW SEA"), ("stay", "AT SEA"), ("up up down", "ABOVE SEA"),
    ("down up", "AT SEA"), ("up stay", "ABOVE SEA"), ("stay down", "BELOW SEA"),
    ("up down", "AT SEA"), ("down stay down", "BELOW SEA"), ("up up", "ABOVE SEA"),
]  # fmt: skip

CHARS = """
model:
  tokens: chars

semes:
  vowel other after

lexicon:
  <bos>: 0
  a: +vowel
  b: +other

layer one:
  head before:
    at: -1
    value: ~0.1vowel>after, ~0.1other>after

output:
  v: 2vowel
  c: 0.5
  k: after - vowel
"""
LETTERS = [("ab", "vk"), ("b", "c"), ("bab", "cvk"), ("aab", "vvk"), ("bb", "cc"), ("abb", "vkc")]

CELL = LEVEL.partition("classify:")[0]
LIGHTS = f"{CELL}\noutput:\n  WET: low\n  DRY: high\n"
WATER = [("up down", "DRY WET"), ("down down", "WET WET"), ("up", "DRY"), ("down", "WET")]

PICK = """
semes:
  begin hot cold
  warmth: 0..1

lexicon:
  <bos>: +begin
  sun ice: one of hot cold

layer mean:
  head mean:
    where: hot
    value: hot>warmth

classify:
  pool: max
  HOT: 4warmth - 1
  otherwise: COLD
"""
PICKS = [("sun", "HOT"), ("ice", "COLD"), ("sun ice", "HOT"), ("ice ice", "COLD")]

RUN = """
program = "own.seme"
out = "out"

[data]
folder = "."

[data.pairs]
train = "own.tsv"
interpolate = "own.tsv"

[train]
steps = 100
batch = 8
learning_rate = 3e-2
warmup = 0

[evaluate]
every = 50
"""


@pytest.fixture
def run_file(tmp_path):
    """Puts a program and its pairs where a run of its own finds them."""

    def write(program, rows):
        (tmp_path / "own.seme").write_text(program)
        (tmp_path / "own.tsv").write_text("".join(f"{q}\t{a}\n" for q, a in rows))
        (tmp_path / "run.toml").write_text(RUN)
        return tmp_path / "run.toml"

    return write


OWN = {
    "a recurrent classifier, with labels of two words": (LEVEL, LEVELS),
    "an encoder over characters": (CHARS, LETTERS),
    "a recurrent program with an output for every token": (LIGHTS, WATER),
    "a classifier whose words choose": (PICK, PICKS),
}


@pytest.mark.parametrize("name", OWN)
def test_a_program_of_every_kind_learns_its_rows(run_file, name):
    program, rows = OWN[name]
    trainer = trained(run_file(program, rows))
    model = progtf.load_model(trainer.latest)
    asked, due = map(list, zip(*rows, strict=True))
    assert model.run(asked) == due
    untrained = progtf.compile(progtf.load(run_file(program, rows).parent / "own.seme"))
    assert untrained.run(asked) != due


@pytest.mark.parametrize("name", RUNS)
def test_the_runs_of_the_repository_learn(name, tmp_path):
    file = ROOT / "runs" / f"{name}.toml"
    told = run_command(file, "-o", str(tmp_path / "out"))
    final = json.loads((tmp_path / "out" / "final.json").read_text())
    assert final["interpolate"] >= RUNS[name], told
    first = json.loads((tmp_path / "out" / "metrics.jsonl").read_text().splitlines()[0])
    assert first["interpolate"] < 60
    assert "% right" in (tmp_path / "out" / "report.md").read_text()


def test_prices_that_are_learned_are_those_that_bills_were_made_by(tmp_path):
    trainer = trained(ROOT / "runs" / "shop.toml", out=str(tmp_path))
    entries = progtf.load_model(trainer.latest).weights["lexicon / vector"].entries
    prices = {word: round(number) for (word, seme), number in entries.items() if seme == "price"}
    assert prices == {"tea": 2, "cake": 3, "juice": 4, "bun": 1}


@pytest.mark.parametrize("program", [LEVEL, PICK])
def test_a_run_on_labels_goes_on_bit_by_bit(run_file, tmp_path, program):
    file = run_file(program, LEVELS if program == LEVEL else PICKS)
    whole = trained(file, train__steps=20, out=str(tmp_path / "whole"))
    trained(file, train__steps=8, out=str(tmp_path / "parts"))
    parts = trained(file, train__steps=20, out=str(tmp_path / "parts"))
    one, other = ((each.latest / "weights.safetensors").read_bytes() for each in (whole, parts))
    assert one == other


def test_a_checkpoint_runs_and_is_scored_compared_and_decompiled(run_file, tmp_path):
    file = run_file(LEVEL, LEVELS)
    checkpoint = str(trained(file).latest)
    invoke = CliRunner().invoke
    said = invoke(app, ["run", checkpoint, "up down up"])
    assert said.stdout == "ABOVE SEA\n"
    scored = invoke(app, ["eval", checkpoint, "--data", str(tmp_path / "own.tsv"), "--json"])
    assert '"percent": 100.0' in scored.stdout, scored.stdout
    compared = invoke(app, ["diff", str(tmp_path / "own.seme"), checkpoint])
    assert "cell / " in compared.stdout
    assert "rise>high" in compared.stdout
    written = invoke(app, ["decompile", checkpoint])
    (tmp_path / "again.seme").write_text(written.stdout)
    asked, due = map(list, zip(*LEVELS, strict=True))
    assert progtf.compile(progtf.load(tmp_path / "again.seme")).run(asked) == due


def test_two_processes_learn_labels_and_agree(run_file, tmp_path):
    file = run_file(LEVEL, LEVELS)
    run_command(file, "-o", str(tmp_path / "two"), processes=2)
    final = json.loads((tmp_path / "two" / "final.json").read_text())
    assert final["interpolate"] == 100


def test_marks_around_a_text_and_padding_are_due_nothing(run_file):
    trainer = trained(run_file(CHARS, LETTERS), train__steps=1)
    subject, here = trainer.setup.subject, torch.device("cpu")
    source, due = subject.batch([Problem("ab", "vk"), Problem("b", "c")], here)
    assert due.tolist() == [[IGNORED, 0, 2], [IGNORED, 1, IGNORED]]
    alone = subject.losses(*subject.batch([Problem("b", "c")], here))[1]
    assert torch.allclose(subject.losses(source, due)[1][1:], alone, atol=1e-6)


def test_the_loss_of_a_class_is_the_cross_entropy_of_its_score(run_file):
    trainer = trained(run_file(LEVEL, LEVELS), train__steps=5)
    subject, rows = trainer.setup.subject, [Problem(*row) for row in LEVELS]
    answers = progtf.load_model(trainer.latest).answers([row.question for row in rows])
    chances = []
    for answer, row in zip(answers, rows, strict=True):
        assert answer.scores is not None
        each = torch.tensor(list(answer.scores.values())).log_softmax(0)
        chances.append(each[list(answer.scores).index(row.answer)])
    loss = subject.loss(*subject.batch(rows, torch.device("cpu")))
    assert float(loss.detach()) == pytest.approx(-float(sum(chances)) / len(rows), abs=1e-5)


WRONG = {
    "the answer `ABOVE SEE` is no label of `classify:`; did you mean `ABOVE SEA`": (
        LEVEL, ("up", "ABOVE SEE"),
    ),
    "interpolate: `up down`: 2 tokens, and the answer has 1 label: one a token is due": (
        LIGHTS, ("up down", "DRY"),
    ),
    "the answer `DAMP` is no label of `output:`": (LIGHTS, ("up", "DAMP")),
    "`upp`: token 1, `upp`, is not in the lexicon": (LIGHTS, ("upp", "DRY")),
    "it has no scores to learn from: add `classify:`, for one label a text, or `output:`": (
        CELL, ("up", "DRY"),
    ),
    "training compares scores: write `classify:`": (
        f"{CELL}\nscore:\n  value: high\n", ("up", "1"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("told", WRONG)
def test_what_cannot_be_learned_is_told_with_what_to_do(run_file, told):
    program, row = WRONG[told]
    with pytest.raises(RunError, match=told):
        trained(run_file(program, [row] * 4))


def test_labels_are_learned_from_pairs_alone(run_file):
    file = run_file(LEVEL, LEVELS)
    file.write_text(RUN.partition("[data.pairs]")[0] + 'modules = ["numbers__place_value"]\n')
    with pytest.raises(RunError, match="are learned from a file of pairs"):
        describe(read_run(file))


@pytest.mark.parametrize("control", ["off", "random", "trainable"])
def test_controls_are_trained_on_labels_of_tokens(control, tmp_path):
    changed = {"train__steps": 150, "evaluate__every": 150, "out": str(tmp_path)}
    trainer = trained(ROOT / "runs" / "tags.toml", control=control, **changed)
    assert trainer.progress.last > 30


@pytest.mark.parametrize("name", ["shop", "tags"])
def test_a_step_in_parts_is_the_step_as_a_whole(name, tmp_path):
    weights = []
    for number, (batch, parts) in enumerate([(8, 1), (2, 4)]):
        trainer = trained(
            ROOT / "runs" / f"{name}.toml", out=str(tmp_path / str(number)), train__steps=1,
            train__batch=batch, train__accumulate=parts, checkpoints__every=1,
        )  # fmt: skip
        weights.append(
            torch.cat([p.detach().flatten() for p in trainer.setup.subject.parameters()])
        )
    torch.testing.assert_close(*weights, rtol=0, atol=1e-5)
