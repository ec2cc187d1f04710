"""Runs on files of pairs, word by word: what is drawn, dealt out and learned, what is refused."""

import gzip
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import progtf
from progtf.data import Cursor, Words
from progtf.training.config import Data, Pairs, RunError, read_run
from progtf.training.networks import LearnedModel
from progtf.training.pairs import batches, rows_of
from progtf.training.questions import alphabet_of, prepare
from progtf.training.subject import as_batch
from tests.acceptance.test_scan import COMMANDS, PHRASES
from tests.training.conftest import trained

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "language" / "scan.seme"
WORDS = ROOT / "runs" / "scan_words.toml"
SOME = dict(list(COMMANDS.items())[:2000:40])  # commands of two phrases


def lines(commands: dict[str, str]) -> str:
    return "".join(f"{command}\t{actions}\n" for command, actions in commands.items())


@pytest.fixture
def run_file(tmp_path, monkeypatch):
    """The run of the repository, on phrases of its grammar."""
    monkeypatch.setenv("PROGTF_DATA", str(tmp_path))
    (tmp_path / "scan").mkdir()
    phrases = {said: " ".join(actions) for said, actions in PHRASES.items()}
    train = tmp_path / "scan" / "addprim_jump.train.tsv.gz"
    train.write_bytes(gzip.compress(lines(phrases).encode()))
    test = tmp_path / "scan" / "addprim_jump.test_public.tsv.gz"
    test.write_bytes(gzip.compress(lines(SOME).encode()))
    file = tmp_path / "run.toml"
    file.write_text(WORDS.read_text().replace("../examples/language/scan.seme", str(PROGRAM)))
    return file


def test_words_are_learned_and_all_that_is_written_stays(run_file):
    trainer = trained(run_file, train__steps=15)
    model = progtf.load_model(trainer.latest)
    assert model.run(list(SOME)) == list(SOME.values())
    written = progtf.lower(progtf.load(PROGRAM))
    changed = {line.partition(":")[0] for line in progtf.diff(written, model)}
    assert changed == {"lexicon / vector"}
    before, after = written["lexicon / vector"].entries, model.weights["lexicon / vector"].entries
    learned = {(token, seme) for token, seme in after if seme.startswith(("does[", "to["))}
    assert len(learned) == 4 * 4 + 2 * 2
    assert {e: n for e, n in before.items() if e not in learned} == {
        e: n for e, n in after.items() if e not in learned
    }


@pytest.mark.parametrize("bounded", [False, True])
def test_what_is_learned_of_words_stays_in_the_ranges_of_its_semes(run_file, bounded):
    trainer = trained(run_file, train__steps=6, train__learning_rate=1.0, train__bounded=bounded)
    entries = progtf.load_model(trainer.latest).weights["lexicon / vector"].entries
    learned = [n for (_, seme), n in entries.items() if seme.startswith(("does[", "to["))]
    assert len(learned) == 4 * 4 + 2 * 2
    assert (min(learned) >= 0 and max(learned) == 1) == bounded


def test_a_run_on_pairs_goes_on_bit_by_bit(run_file, tmp_path):
    whole = trained(run_file, train__steps=4, out=str(tmp_path / "whole"))
    trained(run_file, train__steps=2, out=str(tmp_path / "parts"))
    parts = trained(run_file, train__steps=4, out=str(tmp_path / "parts"))
    one, other = (progtf.load_model(each.latest).weights for each in (whole, parts))
    assert one == other


def test_rows_that_are_held_back_are_not_trained_on(run_file):
    data = read_run(run_file, {"data.pairs.rows": 20}).data
    rows = rows_of(data)
    assert (len(rows["train"]), len(rows["interpolate"])) == (20, 10)
    assert not {*rows["train"]} & {*rows["interpolate"]}
    assert {*rows["extrapolate"]} == {*SOME.items()}
    assert rows_of(data) == rows
    assert rows_of(read_run(run_file, {"data.seed": 2}).data) != rows


def test_a_question_that_the_program_reads_otherwise_is_refused(run_file, tmp_path):
    """The program reads `Run` as `run`, which training would not."""
    rows = tmp_path / "scan" / "own.tsv"
    rows.write_text("walk\tI_WALK\nRun\tI_RUN\n" * 20)
    with pytest.raises(RunError, match="reads `Run` otherwise than it stands there"):
        trained(run_file, train__steps=1, data__pairs__train="own.tsv")


def test_rows_with_some_words_are_left_out_of_all_files(run_file):
    rows = rows_of(read_run(run_file, {"data.pairs.without": ["jump", "swim"]}).data)
    asked = [problem.question.split() for each in rows.values() for problem in each]
    assert not any("jump" in question for question in asked)
    whole = [problem for each in rows_of(read_run(run_file).data).values() for problem in each]
    assert 0 < len(asked) < len(whole)


def test_rows_are_chosen_that_cover_every_word(run_file):
    few = rows_of(read_run(run_file, {"data.pairs.cover": 2}).data)["train"]
    whole = rows_of(read_run(run_file).data)["train"]
    counts = [Counter(w for p in rows for w in set(p.question.split())) for rows in (few, whole)]
    assert len(few) < len(whole)
    assert all(min(2, often) <= counts[0][word] for word, often in counts[1].items())


def test_categories_of_the_training_rows_are_chosen(run_file, tmp_path):
    (tmp_path / "scan" / "sorted.tsv").write_text("run\tI_RUN\tgood\nwalk\tI_JUMP\tbad\n" * 10)
    pairs = {"data.pairs.train": "sorted.tsv", "data.pairs.categories": ["g*"]}
    data = read_run(run_file, pairs).data
    assert {*rows_of(data)["train"], *rows_of(data)["interpolate"]} == {("run", "I_RUN")}


@pytest.mark.parametrize("ranks", [1, 3])
def test_an_epoch_has_every_row_once_whatever_the_number_of_processes(run_file, ranks):
    data = read_run(run_file, {"data.pairs.rows": 30}).data
    problems, alphabet = rows_of(data)["train"], alphabet_of(data)
    seen = []
    for rank in range(ranks):
        given = batches(data, 4, 1, Cursor(), rank, ranks)
        every = list(islice(given, -(-30 // (4 * ranks)) + 1))
        assert [batch.after.epoch for batch in every][-2:] == [0, 1]
        seen += [tuple(row) for batch in every[:-1] for row in unpadded(batch.question)]
    assert sorted(seen) == sorted(unpadded(as_batch(problems, "cpu", alphabet)[0]))


def unpadded(rows):
    return [tuple(symbol for symbol in row if symbol != 1) for row in rows.tolist()]


def test_batches_go_on_from_a_cursor(run_file):
    data = read_run(run_file).data
    every = list(islice(batches(data, 32, 1, Cursor(), 0, 1), 6))
    for number, batch in enumerate(every[:-1], start=1):
        after = next(batches(data, 32, 1, batch.after, 0, 1))
        assert after.question.equal(every[number].question)


def test_a_network_without_a_program_learns_words_as_well(tmp_path, run_file):
    model = '[model]\nkind = "transformer"\nwidth = 8\nfilter = 8\nheads = 1\nlayers = 1\n'
    data = run_file.read_text().partition("[data]")[2].partition("[train]")[0]
    scratch = tmp_path / "scratch.toml"
    scratch.write_text(f'out = "scratch"\n{model}[data]{data}')
    model = LearnedModel.load(trained(scratch, train__steps=2, train__batch=8).latest)
    (answer,) = model.respond(["jump twice"])
    assert set(answer.split()) <= set(alphabet_of(read_run(run_file).data).units)
    (told,) = model.try_answers(["hop twice"])
    assert "word 1 of 'hop twice', 'hop', is none" in str(told)


def test_words_have_numbers_behind_those_of_the_specials():
    words = Words.of(["b a", "c a"])
    assert (words.units, len(words), words.encode("c a").tolist()) == (("a", "b", "c"), 7, [6, 4])
    assert words.decode(np.array([5, 0, 6, 3, 4])) == "b □ c"


WRONG = {
    "data.pairs.rows": (1000, r"`data.pairs.rows`: 92 rows are left, not 1000"),
    "data.pairs.held_back": (0, "nothing to test on"),
    "data.pairs.train": ("no.tsv", r"no.tsv: there is no such file"),
    "data.pairs.tokens": ("chars", r"`tokens: chars`, this one has words"),
    "lexicon": ("hop: +verb, ?flies", r"no seme is called `flies`"),
    "data.pairs": (None, r"`data.modules` is missing"),
}


@pytest.mark.parametrize("key", WRONG)
def test_what_cannot_be_is_told(run_file, key):
    value, told = WRONG[key]
    with pytest.raises((RunError, progtf.SemeError), match=told):
        trained(run_file, **{key.replace(".", "__"): value})


def test_a_word_that_the_program_does_not_know_is_told(run_file, tmp_path):
    file = tmp_path / "scan" / "other.tsv"
    file.write_text("hop twice\tI_HOP I_HOP\n")
    with pytest.raises(RunError, match="extrapolate: a question has `hop`, which the program"):
        trained(run_file, data__pairs__extrapolate="other.tsv")


def test_a_question_that_is_too_long_is_told_in_words(run_file, tmp_path):
    file = tmp_path / "scan" / "long.txt"
    file.write_text("IN: " + "jump " * 15 + "OUT: I_JUMP\n")
    with pytest.raises(RunError, match=r"one question has 15 words, .* leaves room for 14"):
        trained(run_file, data__pairs__extrapolate="long.txt")


def test_own_problems_are_drawn_once_and_no_file_of_ones_own_is_written_over(tmp_path):
    data = Data(folder=tmp_path, seed=1, pairs=Pairs(train="own.jsonl", own=6))
    file = tmp_path / "own.jsonl"
    prepare(data)
    drawn, when = file.read_bytes(), file.stat().st_mtime_ns
    prepare(data)
    assert (file.read_bytes(), file.stat().st_mtime_ns, drawn.count(b"\n")) == (drawn, when, 6)
    prepare(data.model_copy(update={"seed": 2}))
    assert file.read_bytes() != drawn
    (tmp_path / "own.jsonl.made").unlink()
    with pytest.raises(RunError, match="is there and not of progtf's own problems"):
        prepare(data)
