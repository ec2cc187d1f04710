"""A run that was killed ends with the weights of one that was not, bit by bit."""

import os
import signal
import subprocess
import time

import pytest
import torch
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.training import checkpoint
from tests.training.conftest import command, run_command, trained


def final_bytes(out):
    folder = out / "checkpoints" / "step-0000040"
    files = ("weights.safetensors", "trainer.safetensors")
    return [(folder / name).read_bytes() for name in files]


def kill_after(file, out, step, processes):
    """Starts the run and kills all of it, without warning, once a later checkpoint is there."""
    started = subprocess.Popen(
        command(file, *MORE, "-o", str(out), processes=processes),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    end = time.monotonic() + 240
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
    trained(file, log=out, out=str(out), train__steps=40, checkpoints__every=7, evaluate__every=20)
    torch.set_num_threads(threads)


MORE = ("--set", "train.steps=40", "--set", "checkpoints.every=7", "--set", "evaluate.every=20")


@pytest.mark.parametrize("processes", [1, 2])
def test_killed_twice_and_resumed_gives_the_same_bits(run_file, tmp_path, processes):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    uninterrupted(run_file, whole, processes)
    kill_after(run_file, broken, 7, processes)
    kill_after(run_file, broken, 21, processes)
    run_command(run_file, *MORE, "-o", str(broken), processes=processes)
    assert final_bytes(whole) == final_bytes(broken)
    assert (whole / "metrics.jsonl").read_text().count("\n") == 3
    assert (broken / "metrics.jsonl").read_text().count("\n") == 3


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
