"""A run that was killed ends with the weights of one that was not, bit by bit."""

import os
import signal
import subprocess
import sys
import time

import pytest

from progtf.training import checkpoint
from tests.training.conftest import command, run_command


def final_bytes(out):
    folder = out / "checkpoints" / "step-0000060"
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
    os.killpg(started.pid, signal.SIGKILL)
    assert started.wait() == -signal.SIGKILL, "the run was over before it could be killed"


MORE = ("--set", "train.steps=60", "--set", "checkpoints.every=7", "--set", "evaluate.every=30")


@pytest.mark.parametrize("processes", [1, 2])
def test_killed_twice_and_resumed_gives_the_same_bits(run_file, tmp_path, processes):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    run_command(run_file, *MORE, "-o", str(whole), processes=processes)
    kill_after(run_file, broken, 7, processes)
    kill_after(run_file, broken, 21, processes)
    run_command(run_file, *MORE, "-o", str(broken), processes=processes)
    assert final_bytes(whole) == final_bytes(broken)
    assert (whole / "metrics.jsonl").read_text().count("\n") == 3
    assert (broken / "metrics.jsonl").read_text().count("\n") == 3


def test_a_finished_run_is_not_done_again(run_file, tmp_path):
    run_command(run_file, "-o", str(tmp_path / "out"))
    before = (tmp_path / "out" / "checkpoints" / "step-0000008" / "trainer.json").stat().st_mtime_ns
    run_command(run_file, "-o", str(tmp_path / "out"))
    after = (tmp_path / "out" / "checkpoints" / "step-0000008" / "trainer.json").stat().st_mtime_ns
    assert before == after


def test_a_checkpoint_is_a_model_for_the_command_line(run_file):
    run_command(run_file)
    folder = str(run_file.parent / "out" / "checkpoints" / "step-0000008")
    for words in (
        ["run", folder, "What is the tens digit of 1234?"],
        ["decompile", folder],
        ["eval", folder, "--data", _data(run_file), "--limit", "3"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "progtf.cli.main", *words],
            capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-1000:]
        assert done.stdout.strip() or words[0] == "run"


def _data(run_file):
    line = next(x for x in run_file.read_text().splitlines() if x.startswith("folder"))
    return line.partition('"')[2].rstrip('"')
