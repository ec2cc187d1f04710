"""What stops a run says what is wrong, and leaves the last good checkpoint as it is."""

import json
import resource
from pathlib import Path

import pytest
import torch

from progtf.training import checkpoint
from progtf.training.config import RunError, read_run
from progtf.training.describe import describe
from progtf.training.optimiser import rate_factor
from progtf.training.subject import Subject
from tests.training.conftest import trained

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


@pytest.fixture
def small_disk():
    """No file may become longer than that: what a full disk does to a write, by the kernel."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def test_a_full_disk_leaves_the_last_checkpoint_whole(run_file, small_disk):
    trained(run_file, train__steps=2)
    folder = run_file.parent / "out" / "checkpoints"
    before = contents(folder)
    small_disk(20_000)
    with pytest.raises(RunError, match=r"could not be written: .*; the one before it is whole"):
        trained(run_file)
    assert contents(folder) == before


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
    with pytest.raises(RunError, match="the program or the settings have changed"):
        trained(run_file)


def test_a_character_that_cannot_be_written_is_named(run_file):
    program = run_file.parent / "tiny.seme"
    program.write_text(program.read_text() + '\noutput:\n  "1": val\n  <eos>: end\n')
    with pytest.raises(RunError, match=r"an answer has `\d`, which the program cannot write"):
        trained(run_file)


def test_a_program_with_nothing_to_learn_is_refused(run_file):
    program = run_file.parent / "tiny.seme"
    program.write_text(program.read_text().partition("learn:")[0].replace("~0.5", ""))
    with pytest.raises(RunError, match="nothing is left to training"):
        trained(run_file)


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


def test_the_rate_rises_stays_and_falls(run_file):
    train = read_run(run_file, {"train.warmup": 4, "train.decay": 0.25, "train.steps": 40}).train
    factors = [rate_factor(step, train) for step in range(40)]
    assert factors[:4] == [0.25, 0.5, 0.75, 1.0]
    assert set(factors[4:31]) == {1.0}
    assert factors[-1] == pytest.approx(0.1)
