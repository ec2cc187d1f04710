"""Trains `examples/hybrid/say_digit.seme` once and records it for the essay: half a minute.

python scripts/record_hybrid.py writes `examples/essay/say_digit_run.json`, the curves and the
largest changes, and `say_digit_table.json`, what was learned, as a matrix.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import progtf
from progtf.training.config import read_run
from progtf.training.log import Log
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer
from progtf.weights.changes import changes
from progtf.widgets import MatrixView, TrainingView, example

OUT = Path(__file__).parents[1] / "examples" / "essay"
SETTINGS = """
program = "say_digit.seme"
out = "out"
[data]
folder = "data"
modules = ["numbers__place_value"]
questions = 300
test = 40
[train]
steps = 20
batch = 16
learning_rate = 0.1
warmup = 0
[evaluate]
every = 2
questions = 20
final = 40
"""


def main(folder: Path) -> None:
    """Trains in a folder and writes the records."""
    (folder / "say_digit.seme").write_text(example("hybrid/say_digit.seme").read_text())
    (folder / "run.toml").write_text(SETTINGS)
    run = read_run(folder / "run.toml")
    with joined() as ranks:
        result = Trainer(set_up(run, ranks)).train(Log(run.out, show=False))
    written = progtf.compile(progtf.load(folder / "say_digit.seme"))
    learned = progtf.load_model(result.folder)
    view = TrainingView(run.out / "metrics.jsonl", written, learned)
    table = np.zeros((10, 10))
    for change in changes(written.weights, learned.weights):
        table[int(change.source[7]), int(change.target[6])] = round(change.after, 1)
    matrix = MatrixView(table, [f"d{digit}" for digit in range(10)])
    for name, widget in (("run", view), ("table", matrix)):
        text = json.dumps({"kind": widget.kind, "data": widget.data})
        (OUT / f"say_digit_{name}.json").write_text(f"{text}\n")
    print({split: f"{score:.0f} % right" for split, score in result.scores.items()})


if __name__ == "__main__":
    with TemporaryDirectory() as home:
        main(Path(home))
