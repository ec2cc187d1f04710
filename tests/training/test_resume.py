"""A run that was killed ends with the weights of one that was not, bit by bit."""

import json
import os
import signal
import subprocess
import time

import pytest
import torch
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.training import checkpoint
from progtf.training.config import RunError, read_run
from progtf.training.evaluation import Evaluation, Scores
from progtf.training.trainer import Trainer
from tests.programs import beyond
from tests.training.conftest import command, run_command, trained


def final_bytes(out):
    folder = out / "checkpoints" / "step-0000040"
    files = ("weights.safetensors", "trainer.safetensors")
    return [(folder / name).read_bytes() for name in files]


def kill_after(file, out, step, processes, more=None):
    """Starts the run and kills all of it, without warning, once a later checkpoint is there."""
    started = subprocess.Popen(
        command(file, *(MORE if more is None else more), "-o", str(out), processes=processes),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    end = time.monotonic() + 900
    while time.monotonic() < end and started.poll() is None:
        found = checkpoint.checkpoints(out / "checkpoints")
        if found and int(found[-1].name.removeprefix("step-")) >= step:
            break
        time.sleep(0.01)
    for process in [started.pid, *children(started.pid)]:  # torchrun's have sessions of their own
        os.kill(process, signal.SIGKILL)
    assert started.wait() == -signal.SIGKILL, "the run was over before it could be killed"


def children(parent):
    """The processes that a process has started."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    )
    pairs = [map(int, line.split()) for line in listed.stdout.splitlines()]
    return [child for child, of in pairs if of == parent]


def uninterrupted(file, out, processes):
    """The same run in one go; that of one process in this one, which saves its start."""
    if processes > 1:
        run_command(file, *MORE, "-o", str(out), processes=processes)
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    trained(file, log=out, out=str(out), **EVERY)
    torch.set_num_threads(threads)


EVERY = {"train.steps": 40, "train.accumulate": 2, "checkpoints.every": 7, "evaluate.every": 7}
"""Evaluated where it is saved: a run that goes on does not evaluate again before its next step."""
MORE = [word for key, value in EVERY.items() for word in ("--set", f"{key}={value}")]


@pytest.mark.parametrize(("processes", "kills"), beyond([(1, [14]), (1, [7, 21]), (2, [7, 21])], 1))
def test_killed_and_resumed_gives_the_same_bits(run_file, tmp_path, processes, kills):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    uninterrupted(run_file, whole, processes)
    for step in kills:
        kill_after(run_file, broken, step, processes)
    run_command(run_file, *MORE, "-o", str(broken), processes=processes)
    assert final_bytes(whole) == final_bytes(broken)
    assert steps_noted(whole) == steps_noted(broken) == [0, 7, 14, 21, 28, 35]


def steps_noted(out):
    lines = (out / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line)["step"] for line in lines]


def test_random_features_are_the_same_in_a_run_that_goes_on(run_file):
    program = run_file.parent / "tiny.seme"
    program.write_text(program.read_text().replace("<bos>: +nondigit", "<bos>: ~0.5end"))
    random = {"control": "random", "train__clip": 0.0}
    whole = trained(run_file, out="whole", **random).latest
    trained(run_file, train__steps=4, **random)
    again = trained(run_file, **random).latest
    assert (again / "trainer.safetensors").read_bytes() == (
        whole / "trainer.safetensors"
    ).read_bytes()


def test_lamb_goes_on_bit_for_bit(run_file):
    lamb = {"train__optimiser": "lamb", "train__weight_decay": 0.01}
    whole = trained(run_file, out="whole", **lamb).latest
    trained(run_file, train__steps=4, **lamb)
    again = trained(run_file, **lamb).latest
    adam = trained(run_file, out="adam", train__weight_decay=0.01).latest
    for name in ("trainer.safetensors", "weights.safetensors"):
        assert (again / name).read_bytes() == (whole / name).read_bytes()
        assert (adam / name).read_bytes() != (whole / name).read_bytes()


def test_lamb_is_refused_where_matrices_are_divided(run_file):
    with pytest.raises(RunError, match="needs whole matrices"):
        read_run(run_file, {"train.optimiser": "lamb", "train.shard": True})


def test_a_run_killed_before_its_first_checkpoint_begins_its_log_anew(run_file, monkeypatch):
    log = run_file.parent / "out"
    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "_step", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trained(run_file, log=log)
    assert steps_noted(log) == [0]
    trained(run_file, log=log)
    assert steps_noted(log) == [0, 4, 8]


@pytest.fixture
def press(monkeypatch):
    """Trains with Ctrl-C in step 5, where it would do what is given."""
    usual = Trainer._step

    def pressed(trainer, batches):
        if trainer.progress.step == 4:
            signal.raise_signal(signal.SIGINT)
        return usual(trainer, batches)

    def train(run_file, handler):
        before = signal.signal(signal.SIGINT, handler)
        try:
            with monkeypatch.context() as patched:
                patched.setattr(Trainer, "_step", pressed)
                return trained(run_file)
        finally:
            assert signal.signal(signal.SIGINT, before) == handler

    return train


def test_ctrl_c_leaves_a_checkpoint_of_the_step_it_came_in(run_file, press):
    whole = trained(run_file, out="whole").latest
    with pytest.raises(KeyboardInterrupt):
        press(run_file, signal.default_int_handler)
    folder = run_file.parent / "out" / "checkpoints"
    assert max(path.name for path in folder.iterdir()) == "step-0000005"
    again = trained(run_file).latest
    for name in ("weights.safetensors", "trainer.safetensors"):
        assert (again / name).read_bytes() == (whole / name).read_bytes()


def test_ctrl_c_is_ignored_where_it_was(run_file, press):
    assert press(run_file, signal.SIG_IGN).progress.step == 8


def interrupted(trainer, batches):
    raise KeyboardInterrupt


@pytest.mark.parametrize("early", [{"train__patience": 1}, {"train__stop_at": 50.0}])
def test_a_run_that_stopped_early_is_not_trained_further(run_file, early, monkeypatch):
    monkeypatch.setattr(Evaluation, "scores", lambda *_: Scores({"interpolate": 50.0}, {}))
    settings = {**early, "evaluate__every": 2}
    first, again = trained(run_file, **settings), trained(run_file, **settings)
    assert first.progress.step == 2
    assert first.progress.stopped
    assert again.progress == first.progress


def test_a_finished_run_is_not_done_again(run_file):
    state = trained(run_file).latest / "trainer.json"
    before = state.stat().st_mtime_ns
    assert trained(run_file).latest / "trainer.json" == state
    assert state.stat().st_mtime_ns == before


def test_a_checkpoint_is_a_model_for_the_command_line(run_file, data):
    folder = str(trained(run_file).latest)
    program = str(run_file.parent / "tiny.seme")
    run, question = CliRunner(), "What is the tens digit of 1234?"
    assert run.invoke(app, ["run", folder, question]).exit_code == 0
    assert "~" in run.invoke(app, ["decompile", folder]).stdout
    changed = run.invoke(app, ["diff", program, folder]).stdout.splitlines()
    assert len(changed) == 1
    assert changed[0].startswith("encoder / 1 read / head before / value: 0.5nondigit>end -> ")
    scored = run.invoke(app, ["eval", folder, "--data", str(data), "--limit", "3"])
    assert "numbers__place_value" in scored.stdout
