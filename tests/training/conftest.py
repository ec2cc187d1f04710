"""A tiny hybrid and its questions, made once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from progtf.training.config import read_run
from progtf.training.log import Log
from progtf.training.questions import prepare
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer

PROGRAM = """
model:
  kind: seq2seq
  tokens: chars
  length: 162 -> 2
  norm: split

semes:
  digit nondigit end
  val: 0..9
  next: 0..9

lexicon:
  for d at v in "0123456789":
    "{d}": +digit, +{v}val
  unknown: +nondigit
  <bos>: +nondigit
  <eos>: +nondigit

encoder:
  layer read:
    head before:
      at: +1
      value: val>next, MARK nondigit>end

learn:
  semes: 8
  reads: digit val end
  tokens: " ?.Wabcdefghilmnorstu"
  encoder: layers 2 heads 2 filter 8
  decoder: layers 1 heads 2 filter 8
"""

RUN = """
program = "tiny.seme"
out = "out"
[data]
folder = "{data}"
modules = ["numbers__place_value"]
splits = ["train-easy"]
questions = 200
test = 40
[train]
steps = 8
batch = 8
warmup = 0
clip = 0.1
optimiser = "adamw"
weight_decay = 0.1
learning_rate = 1e-2
[evaluate]
every = 4
questions = 20
final = 20
[checkpoints]
every = 2
"""


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("questions")
    file = write_run(folder, folder / "math")
    prepare(read_run(file).data)
    return folder / "math"


@pytest.fixture
def run_file(tmp_path, data):
    """A run's TOML file beside its program, in which one entry is marked ``~``."""
    return write_run(tmp_path, data)


def write_run(folder: Path, data: Path, mark: str = "~0.5") -> Path:
    (folder / "tiny.seme").write_text(PROGRAM.replace("MARK ", mark))
    (folder / "run.toml").write_text(RUN.format(data=data))
    return folder / "run.toml"


def trained(file, log=None, **changes):
    """A run in this process: its trainer, when it is done."""
    run = read_run(file, {key.replace("__", "."): value for key, value in changes.items()})
    with joined() as ranks:
        trainer = Trainer(set_up(run, ranks))
        trainer.train(Log(log, show=False))
    return trainer


def command(file, *more, processes=1):
    """``progtf train`` as a person would start it."""
    module = ["-m", "progtf.cli.main", "train", str(file), "--threads", "1", *more]
    if processes == 1:
        return [sys.executable, *module]
    alone = ["--standalone", "--nproc-per-node", str(processes)]
    return [sys.executable, "-m", "torch.distributed.run", *alone, *module]


def run_command(file, *more, processes=1):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command(file, *more, processes=processes),
        capture_output=True, text=True, timeout=900, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
