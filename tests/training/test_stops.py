"""What stops a run says what is wrong, and leaves the last good checkpoint as it is."""

import json
import os
import re
import resource
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from progtf.atomic import locked
from progtf.cli.main import app
from progtf.notation.render import SemeError
from progtf.records import read_records
from progtf.training import checkpoint
from progtf.training.config import (
    Checkpoints,
    Damage,
    Data,
    Evaluate,
    Model,
    Pairs,
    Reading,
    Run,
    RunError,
    Train,
    _kinds_in,
    read_run,
)
from progtf.training.describe import describe
from progtf.training.log import Log
from progtf.training.ranks import Drawing, Ranks, alone_in, joined
from progtf.training.setup import set_up
from progtf.training.steps import rate_factor
from progtf.training.subject import Subject
from progtf.training.trainer import Trainer
from tests.training.conftest import trained, write_run

ALL_PICKLES = ("*.pt", "*.pth", "*.pkl", "*.bin")


def contents(folder: Path):
    return {p.name: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_misspelt_setting_is_named(run_file):
    run_file.write_text(run_file.read_text().replace("learning_rate", "learningrate"))
    with pytest.raises(
        RunError, match=r"no setting `train.learningrate`; did you mean `learning_r"
    ):
        read_run(run_file)


def test_a_wrong_value_is_named(run_file):
    with pytest.raises(RunError, match=r"`train.steps`: .* not -1"):
        read_run(run_file, {"train.steps": -1})


WRONG = {
    "train.steps": ("ten", "expected a whole number, not 'ten'"),
    "train.learning_rate": ("high", "expected a number, not 'high'"),
    "data.modules": ([], "expected one or more, not []"),
    "train": (None, "expected a table of settings, not None"),
    "cache": ("maybe", "expected true or false, not 'maybe'"),
    "name": (3, "expected a text in quotes, not 3"),
    "seed": (-5, "expected greater than or equal to 0, not -5"),
    "data.seed": (-5, "expected greater than or equal to 0, not -5"),
}


@pytest.mark.parametrize("key", WRONG)
def test_what_is_due_is_said_in_words(run_file, key):
    value, told = WRONG[key]
    with pytest.raises(RunError, match=re.escape(f"`{key}`: {told}")):
        read_run(run_file, {key: value})


SETTINGS = {
    "": Run, "data.": Data, "data.pairs.": Pairs, "train.": Train, "evaluate.": Evaluate,
    "checkpoints.": Checkpoints, "damage.": Damage, "model.": Model, "model.reading.": Reading,
}  # fmt: skip
OF_KIND = [
    (key + name, _kinds_in(field.annotation))
    for key, table in SETTINGS.items()
    for name, field in table.model_fields.items()
    if _kinds_in(field.annotation)
]
"""All settings that are plain values, and which they may be."""


@pytest.mark.parametrize(("key", "kinds"), OF_KIND, ids=[key for key, _ in OF_KIND])
def test_a_setting_has_a_value_of_its_kind(run_file, key, kinds):
    """True is no number, 1 is not true, and a number in quotes is a text; in lists as well."""
    lists = key in ("train.betas", "data.modules", "data.splits", "model.reading.written")
    lists = lists or key in ("data.pairs.categories", "data.pairs.without")
    for value, kind in ((True, bool), (False, bool), (1, int), (1.5, float), ("1", str)):
        if kind in kinds or (kind is int and float in kinds):
            continue
        with pytest.raises(RunError, match=rf"`{key}[^`]*`: expected .*, not "):
            read_run(run_file, {key: [value, value] if lists else value})


def test_a_setting_of_a_list_of_tables_has_a_value_of_its_kind(run_file):
    for table, wrong in (
        ("written", {"learning_rate": True}),
        ("written", {"layer": 1}),
        ("train.interchange", {"program": "a", "semes": ["a"], "numbers": [True, 2]}),
        ("train.interchange", {"program": "a", "semes": ["a"], "numbers": [0, 2], "block": False}),
        ("train.interchange", {"program": "", "semes": ["a"], "numbers": [0, 2]}),
    ):
        with pytest.raises(RunError, match=rf"`{table}\.0\..*: expected "):
            read_run(run_file, {table: [wrong]})


@pytest.mark.parametrize(
    "key", ["out", "data.folder", "program", "model.reads", "model.start", "model.reading.vectors"]
)
def test_an_empty_path_is_none(run_file, key):
    with pytest.raises(RunError, match=rf"`{key}`: expected a path that a file can have, not ''"):
        read_run(run_file, {key: ""})


@pytest.mark.parametrize(
    ("option", "change"),
    [
        ("--out=o", "out=p"),
        ("-oo", 'out=""'),
        ("--seed=2", "seed=3"),
        ("--control=off", "control="),
    ],
)
def test_what_is_given_by_an_option_is_not_set_otherwise(run_file, option, change):
    told = CliRunner().invoke(app, ["train", str(run_file), option, "--set", change])
    key = change.partition("=")[0]
    assert f"`{key}` is given by `--{key}` and by `--set`: leave one" in str(told.exception)


def test_a_program_that_does_not_answer_questions_is_refused_at_once(run_file):
    program = run_file.parent / "tiny.seme"
    text = program.read_text().replace("kind: seq2seq", "kind: encoder")
    program.write_text(text.replace("162 -> 2", "162").replace("  decoder: layers 1", "#"))
    with pytest.raises(RunError, match="no scores to learn from"):
        describe(read_run(run_file))


SPOILT_LOGS = {
    "garbage": lambda held: held + b'garbage\n[1, 2]\n{"a": 1}\n',
    "nothing": lambda held: b"",
    "half": lambda held: held[: len(held) // 2],
    "no end": lambda held: held[:-1],
    "no beginning": lambda held: held[40:],
    "twice": lambda held: held * 2,
    "backwards": lambda held: b"\n".join(held.split(b"\n")[::-1]),
    "no text": lambda held: b"\xff" * 99,
    "deep": lambda held: b"[" * 99_999,
    "a later step": lambda held: held + held.replace(b'"step": 4', b'"step": 6'),
    "another score": lambda held: held.replace(b"interpolate", b"extrapolate"),
    "windows": lambda held: held.replace(b"\n", b"\r\n"),
    **{
        f"bit {part}": lambda held, part=part: bytes(
            byte ^ (1 << part % 8 if place == len(held) * part // 12 else 0)
            for place, byte in enumerate(held)
        )
        for part in range(12)
    },
}


@pytest.fixture(scope="module")
def halfway(tmp_path_factory, data):
    """A run of four steps of eight; and the curve of one that was not interrupted."""
    run = write_run(tmp_path_factory.mktemp("halfway"), data)
    trained(run, log=run.parent / "out", train__steps=4)
    return run, kept_curve(trained(run, out=str(run.parent / "whole")).progress.curve)


def kept_curve(curve):
    """But for how fast it was."""
    return [{k: v for k, v in each.items() if k != "questions_per_second"} for each in curve]


@pytest.mark.parametrize("spoilt", SPOILT_LOGS)
def test_the_curve_of_a_run_that_goes_on_is_its_checkpoint_s(halfway, tmp_path, spoilt):
    run, whole = halfway
    out = tmp_path / "out"
    shutil.copytree(run.parent / "out", out)
    path = out / "metrics.jsonl"
    path.write_bytes(SPOILT_LOGS[spoilt](path.read_bytes()))
    curve = trained(run, log=out, out=str(out)).progress.curve
    assert [line["step"] for line in curve] == [0, 4, 8]
    assert kept_curve(curve) == kept_curve(read_records(path)) == whole


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_no_log_is_read_by_a_run_that_goes_on(halfway, tmp_path, make):
    run, _ = halfway
    out = tmp_path / "out"
    shutil.copytree(run.parent / "out", out)
    (out / "metrics.jsonl").unlink()
    make(out / "metrics.jsonl")
    with suppress(RunError, OSError):  # nor is anything but a file written over
        trained(run, log=out, out=str(out))


def test_a_missing_setting_is_named(run_file):
    run_file.write_text(run_file.read_text().replace('out = "out"', ""))
    with pytest.raises(RunError, match=r"run.toml: `out` is missing$"):
        read_run(run_file)


def test_a_run_without_a_program_is_refused(run_file):
    run_file.write_text(run_file.read_text().replace('program = "tiny.seme"', ""))
    with pytest.raises(RunError, match="either `program` or"):
        read_run(run_file)


def test_a_loss_that_is_no_number_stops_the_run(run_file, monkeypatch):
    usual = Subject.loss

    def broken(self, source, answer):
        broken.left -= 1
        return usual(self, source, answer) * (1.0 if broken.left >= 0 else torch.nan)

    broken.left = 6  # the first is none of a step
    monkeypatch.setattr(Subject, "loss", broken)
    with pytest.raises(RunError, match=r"step 6: the loss .* is nan; the last good checkpoint is"):
        trained(run_file)
    (last,) = checkpoint.checkpoints(run_file.parent / "out" / "checkpoints")[-1:]
    assert checkpoint.read_progress(last).step == 4


def test_a_gradient_that_is_no_number_stops_the_run_whatever_the_clip(run_file, monkeypatch):
    usual, left = Subject.loss, [4]  # the first is none of a step

    def broken(self, source, answer):
        left[0] -= 1
        loss = usual(self, source, answer)
        if left[0] < 0:
            loss.register_hook(lambda gradient: gradient * torch.inf)
        return loss

    monkeypatch.setattr(Subject, "loss", broken)
    with pytest.raises(RunError, match=r"step 4: the loss or its gradient is (nan|inf); the last"):
        trained(run_file, train__clip=0.0)
    (last,) = checkpoint.checkpoints(run_file.parent / "out" / "checkpoints")
    assert checkpoint.read_progress(last).step == 2


def test_processes_that_do_not_share_a_folder_are_refused(run_file):
    class Others(Ranks):
        def total(self, *_):
            return [4.0]  # others go on from step 4

    with pytest.raises(RunError, match="`out` is to be a folder that all machines of a run share"):
        set_up(read_run(run_file), Others(0, 1, torch.device("cpu")))


def test_a_run_goes_on_only_on_its_kind_of_device():
    of_a_gpu = torch.zeros(16, dtype=torch.uint8)
    with pytest.raises(RunError, match="trained on another kind of device than `cpu`"):
        Drawing(torch.device("cpu"), 1).restore(of_a_gpu)


def test_symbols_of_a_step_count_the_same_in_whatever_batches(run_file):
    """Three questions at once, or in batches of two and one; their losses differ from step 2 on."""
    mine = run_file.parent / "mine"
    settings = {**own(mine), "data__modules": ["places"], "train__steps": 3, "evaluate__every": 1}
    (mine / "easy" / "places.txt").write_text("Is 7?\n7\nIs 8?\n88\nWhat is it?\n8\n")
    losses = []
    for batch, accumulate in ((4, 1), (2, 2)):
        log = run_file.parent / f"log-{batch}"
        more = {"out": str(log), "train__batch": batch, "train__accumulate": accumulate}
        trained(run_file, log=log, **settings, **more)
        lines = (log / "metrics.jsonl").read_text().splitlines()
        losses.append([json.loads(line)["loss"] for line in lines[1:]])
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    assert len(set(losses[0])) == 3


@contextmanager
def small_disk(size):
    """No file may become longer than that: what a full disk does to a write, by the kernel."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:  # at once: what pytest says of a test may go to a file, too
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_last_checkpoint_whole(run_file):
    trained(run_file, train__steps=2)
    folder = run_file.parent / "out" / "checkpoints"
    before = contents(folder)
    whole = r"could not be written: .*; what was there before is whole"
    with pytest.raises(RunError, match=whole), small_disk(20_000):
        trained(run_file)
    assert contents(folder) == before


def test_a_full_disk_leaves_the_last_checkpoint_whole_where_the_log_is_written(run_file):
    log = run_file.parent / "out"
    trained(run_file, log=log, train__steps=2)
    before = contents(log / "checkpoints")
    trainer = Trainer(set_up(read_run(run_file), Ranks(0, 1, torch.device("cpu"))))
    whole = r"out: file too large; the last checkpoint is whole"
    with pytest.raises(RunError, match=whole), small_disk(50):
        trainer.train(Log(log, show=False))
    assert contents(log / "checkpoints") == before


@pytest.mark.parametrize("name", ["weights.safetensors", "trainer.safetensors", "trainer.json"])
def test_a_truncated_checkpoint_is_refused(run_file, name):
    trained(run_file, train__steps=2)
    (last,) = checkpoint.checkpoints(run_file.parent / "out" / "checkpoints")
    (last / name).write_bytes((last / name).read_bytes()[:-40])
    with pytest.raises(RunError, match=r"damaged|no whole checkpoint"):
        trained(run_file)


def test_a_changed_program_is_refused(run_file):
    trained(run_file, train__steps=2)
    program = run_file.parent / "tiny.seme"
    program.write_text(program.read_text().replace("val>next", "2val>next"))
    with pytest.raises(RunError, match=r"changed since: the program; give"):
        trained(run_file)


def test_what_has_changed_is_named(run_file):
    log = run_file.parent / "out"
    trained(run_file, log=log, train__steps=2)
    with pytest.raises(RunError, match=r"changed since: `train.clip`, from 0.1 to 0.2; give"):
        trained(run_file, train__clip=0.2)
    program = run_file.parent / "tiny.seme"
    program.write_text(program.read_text().replace("val>next", "2val>next"))
    with pytest.raises(RunError, match=r"changed since: the program; give"):
        trained(run_file)


def test_tests_may_change_unless_they_decide_when_a_run_stops(run_file):
    log = run_file.parent / "out"
    trained(run_file, log=log, train__steps=2)
    trained(run_file, train__steps=3, evaluate__every=3)
    other = {"out": "other", "train__patience": 5}
    trained(run_file, log=run_file.parent / "other", train__steps=2, **other)
    with pytest.raises(RunError, match=r"changed since: `evaluate.every`, from 4 to 3"):
        trained(run_file, train__steps=3, evaluate__every=3, **other)


def test_a_run_that_is_longer_already_says_so(run_file):
    trained(run_file, train__steps=4)
    log = run_file.parent / "out"
    trained(run_file, log=log, train__steps=2)
    assert json.loads((log / "final.json").read_text())["stopped"] == "2 were asked for"


def test_two_runs_do_not_share_a_folder(run_file):
    out = run_file.parent / "out"
    with locked(out):
        told = CliRunner().invoke(app, ["train", str(run_file)])
    assert "another run is at work there" in str(told.exception)
    assert sorted(p.name for p in out.iterdir()) == [".lock"]


def test_questions_that_are_too_long_are_named(run_file):
    program = run_file.parent / "tiny.seme"
    program.write_text(program.read_text().replace("length: 162 -> 2", "length: 20 -> 2"))
    with pytest.raises(RunError, match=r"one question has \d+ characters, .* leaves room for 18"):
        trained(run_file)


def own(folder, answer="7"):
    """Questions of one's own, as settings of a run."""
    for split in ("easy", "interpolate"):
        (folder / split).mkdir(parents=True)
        (folder / split / "places.txt").write_text(f"What is 7?\n{answer}\nWhat is 8?\n8\n")
    return {"data__folder": str(folder), "data__generate": False, "data__splits": ["easy"]}


def test_answers_that_are_too_long_are_named(run_file):
    settings = own(run_file.parent / "mine", "777")
    with pytest.raises(RunError, match=r"one answer has 3 characters, .* leaves room for 2"):
        trained(run_file, **settings, data__modules=["places"])


def test_questions_of_ones_own_are_not_looked_for_among_the_generators(run_file):
    settings = own(run_file.parent / "mine") | {"data__generate": True}
    with pytest.raises(RunError, match=r"called `places`\n  help: .* `data.generate` to false$"):
        trained(run_file, **settings, data__modules=["places"])


def with_one_more(settings, question, answer):
    with (Path(settings["data__folder"]) / "easy" / "places.txt").open("a") as file:
        file.write(f"{question}\n{answer}\n")


def test_one_long_question_to_train_on_is_named_before_the_run(run_file):
    settings = own(run_file.parent / "mine")
    with_one_more(settings, "9" * 25, "9")
    program = run_file.parent / "tiny.seme"
    program.write_text(program.read_text().replace("length: 162 -> 2", "length: 20 -> 2"))
    with pytest.raises(RunError, match="easy/places: too long: one question has 25 characters"):
        trained(run_file, **settings, data__modules=["places"])


def test_an_answer_to_train_on_that_cannot_be_written_is_named(run_file):
    settings = own(run_file.parent / "mine")
    with_one_more(settings, "What is 9?", "{")
    with pytest.raises(RunError, match=r"easy/places: an answer has `{`, which .* cannot write"):
        trained(run_file, **settings, data__modules=["places"])


def test_a_character_that_the_program_would_refuse_is_not_trained_on(run_file):
    settings = own(run_file.parent / "mine")
    program = run_file.parent / "tiny.seme"
    lines = program.read_text().splitlines()
    program.write_text("\n".join(x for x in lines if "unknown:" not in x and ' tokens: "' not in x))
    with pytest.raises(RunError, match=r"a question has ` `, which the program cannot read"):
        trained(run_file, **settings, data__modules=["places"])


def test_a_control_that_leaves_nothing_is_refused(run_file):
    program = run_file.parent / "tiny.seme"
    program.write_text(program.read_text().partition("learn:")[0])
    with pytest.raises(RunError, match="nothing would be left"):
        trained(run_file, control="off")


def test_random_features_where_something_is_learned_are_refused_before_the_run(run_file):
    program = run_file.parent / "tiny.seme"
    program.write_text(program.read_text().replace("layers 2", "layers 1..2"))
    with pytest.raises(RunError, match="layer `read`"):
        describe(read_run(run_file, {"control": "random"}))


def test_a_head_that_is_not_there_is_named(run_file):
    wrong = [{"layer": "encoder / 1 read / head bofer", "mode": "values"}]
    with pytest.raises(RunError, match=r"there are: encoder / 1 read / head before$"):
        describe(read_run(run_file, {"written": wrong}))


def test_a_mode_that_trains_nothing_is_refused(run_file):
    nothing = [{"layer": "lexicon", "mode": "values"}]
    with pytest.raises(RunError, match=r"`lexicon`: mode `values` finds no entry"):
        describe(read_run(run_file, {"written": nothing}))


def test_splits_that_are_none_are_refused(run_file):
    with pytest.raises(RunError, match=r"`data.splits`: expected one or more"):
        read_run(run_file, {"data.splits": []})
    with pytest.raises(RunError, match="no split is called `train-eazy`"):
        describe(read_run(run_file, {"data.splits": ["train-eazy"]}))


def test_sizes_that_do_not_fit_are_refused(run_file):
    run_file.write_text(run_file.read_text().replace('program = "tiny.seme"', ""))
    network = {"kind": "tp", "width": 10, "heads": 3}
    with pytest.raises(RunError, match=r"`\[model\]`: 3 heads do not divide a width of 10"):
        describe(read_run(run_file, {"model": network}))
    with pytest.raises(RunError, match=r"`model.layers`: .* not 0"):
        read_run(run_file, {"model": {"kind": "tp", "layers": 0}})


def test_the_line_that_a_learn_block_begins_with_is_left_out(run_file):
    with pytest.raises(RunError, match=r"`learn`: leave out the line `learn:`"):
        read_run(run_file, {"learn": "learn:\n  semes: 8"})


def test_a_setting_is_no_table(run_file):
    with pytest.raises(RunError, match=r"`train.steps.x`: `steps` is a setting"):
        read_run(run_file, {"train.steps.x": 1})


def test_betas_and_infinite_rates_are_refused(run_file):
    for key, value in (("train.betas", [2.0, 0.9]), ("train.learning_rate", float("inf"))):
        with pytest.raises(RunError, match=f"`{key}"):
            read_run(run_file, {key: value})


def test_a_checkpoint_from_scratch_answers(run_file):
    folder = str(trained(run_file, control="off").latest)
    told = CliRunner().invoke(app, ["run", folder, "What is the tens digit of 1234?"])
    assert told.exit_code == 0, told.exception


def test_a_checkpoint_whose_random_features_are_gone_does_not_answer(run_file):
    folder = str(trained(run_file, control="random", train__steps=1).latest)
    told = CliRunner().invoke(app, ["run", folder, "What is the tens digit of 1234?"])
    assert "random features" in str(told.exception)
    assert CliRunner().invoke(app, ["decompile", folder]).exit_code == 0


def test_own_questions_are_trained_on(run_file):
    mine = run_file.parent / "mine"
    settings = own(mine)
    trainer = trained(run_file, **settings, data__modules=["places"])
    assert set(trainer.evaluation.scores(2).splits) == {"interpolate"}
    assert sorted(p.name for p in mine.rglob("*.txt")) == ["places.txt", "places.txt"]
    with pytest.raises(RunError, match="no module is called `place`"):
        trained(run_file, **settings, data__modules=["place"])


def test_checkpoints_hold_no_pickle(run_file):
    trained(run_file)
    out = run_file.parent / "out"
    assert not [p for pattern in ALL_PICKLES for p in out.rglob(pattern)]
    kept = checkpoint.checkpoints(out / "checkpoints")
    assert [p.name for p in kept] == ["step-0000006", "step-0000008"]
    assert json.loads((kept[-1] / "trainer.json").read_text())["step"] == 8


def test_a_dry_run_tells_sizes(run_file):
    told = describe(read_run(run_file))
    assert "1 initialised (~)" in told
    assert "MB a process" in told
    assert not (run_file.parent / "out").exists()


def pipe(path):
    os.mkfifo(path)


def text(path):
    path.write_text("a\n")


def linked(path):
    path.symlink_to("nowhere")


def at(place, make):
    def spoil(folder):
        (folder / place).parent.mkdir(exist_ok=True, parents=True)
        shutil.rmtree(folder / place, ignore_errors=True)
        (folder / place).unlink(missing_ok=True)
        make(folder / place)

    return spoil


MADE = {"data.folder": "made"}
REFUSED = {
    "a device for questions": ({"data.folder": "/dev/null"}, None),
    "no end for questions": ({"data.folder": "/dev/zero"}, None),
    "a pipe for questions": (MADE, at("made", pipe)),
    "a file for questions": (MADE, at("made", text)),
    "a link to nothing for questions": (MADE, at("made", linked)),
    "questions below a file": ({"data.folder": "made/a/b"}, at("made", text)),
    "questions of nobody": (MADE, at("made/train-easy/numbers__place_value.txt", text)),
    "recipes that are none": (MADE, at("made/made.json", text)),
    "own questions that are not there": ({"data.generate": False, "data.folder": "none"}, None),
    "own questions that are a device": ({"data.generate": False, "data.folder": "/dev/null"}, None),
    "own questions that are a pipe": ({"data.generate": False, **MADE}, at("made", pipe)),
    "own questions that are an archive of nothing": (
        {"data.generate": False, **MADE}, at("made", text)
    ),
    "another seed of questions": ({"data.seed": 5}, None),
    "another number of questions": ({"data.questions": 41}, None),
    "a device for the run": ({"out": "/dev/null"}, None),
    "a file for the run": ({}, at("out", text)),
    "a pipe for the run": ({}, at("out", pipe)),
    "a link to nothing for the run": ({}, at("out", linked)),
    "a run below a file": ({"out": "file/a"}, at("file", text)),
    "a link for its lock": ({}, at("out/.lock", linked)),
    "a pipe for its lock": ({}, at("out/.lock", pipe)),
    "a link for its checkpoints": ({}, at("out/checkpoints", linked)),
    "a link for its curves": ({}, at("out/tensorboard", linked)),
    "another seed": ({"seed": 2}, None),
    "another rate": ({"train.learning_rate": 0.5}, None),
    "another program": ({}, at("tiny.seme", lambda path: path.write_text("semes: a\n"))),
    "a checkpoint that is spoilt": ({}, at("out/checkpoints/step-0000004/trainer.json", text)),
    "a checkpoint of nothing": ({}, at("out/checkpoints/step-0000009", Path.mkdir)),
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_a_dry_run_refuses_what_the_run_would(halfway, tmp_path, why):
    changes, spoil = REFUSED[why]
    folder = tmp_path / "copy"
    shutil.copytree(halfway[0].parent, folder)
    file = folder / "run.toml"
    described = describe(read_run(file))
    assert "MB a process" in described
    if spoil is not None:
        spoil(folder)
    before = sorted((p, p.lstat().st_mtime_ns) for p in folder.rglob("*") if p.name != ".lock")
    with pytest.raises((RunError, SemeError)) as told:
        describe(read_run(file, changes))
    after = sorted((p, p.lstat().st_mtime_ns) for p in folder.rglob("*") if p.name != ".lock")
    assert [p for p in after if p not in before and ".unpacked" not in str(p[0])] == []
    run = read_run(file, changes)
    with pytest.raises((RunError, SemeError, OSError)), joined() as ranks, alone_in(run.out, ranks):
        set_up(run, ranks)
    assert str(told.value)


def test_a_dry_run_beside_a_run_is_refused(run_file):
    run = read_run(run_file)
    with locked(run.out), pytest.raises(RunError, match="another run is at work there"):
        describe(run)


@pytest.mark.parametrize(("name", "value"), [("WORLD_SIZE", "0"), ("RANK", "1"), ("RANK", "x")])
def test_a_dry_run_reads_the_environment_as_the_run_does(run_file, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(RunError, match=f"{name} is `{value}` in the environment"):
        describe(read_run(run_file))


def test_a_dry_run_counts_written_scores(run_file):
    program = run_file.parent / "tiny.seme"
    before = describe(read_run(run_file))
    program.write_text(program.read_text() + "\noutput:\n  x: 3end\n  <eos>: 1\n")
    count = re.compile(r"(\d+) fixed, 1 initialised")
    out = {"out": "another", "data.folder": "others"}  # its answers are no longer those of the data
    fixed = [int(count.search(told)[1]) for told in (before, describe(read_run(run_file, out)))]
    assert fixed[1] - fixed[0] == 2


def test_the_rate_rises_stays_and_falls(run_file):
    train = read_run(run_file, {"train.warmup": 4, "train.decay": 0.25, "train.steps": 40}).train
    factors = [rate_factor(step, train) for step in range(40)]
    assert factors[:4] == [0.25, 0.5, 0.75, 1.0]
    assert set(factors[4:31]) == {1.0}
    assert factors[-1] == pytest.approx(0.1)


def test_modules_take_turns_in_the_tests(run_file):
    mine = run_file.parent / "mine"
    settings = own(mine)
    for split in ("easy", "interpolate"):
        (mine / split / "other.txt").write_text("What is 9?\n9\nWhat is 6?\n6\n")
    trainer = trained(run_file, **settings, data__modules=["*"])
    tests = trainer.setup.tests["interpolate"]
    assert [problem.answer for problem, _ in tests] == ["9", "7", "6", "8"]
