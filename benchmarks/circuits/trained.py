"""A hybrid that is trained in seconds: it finds digits, and learns their names."""

from pathlib import Path
from tempfile import TemporaryDirectory

import progtf
from progtf.network.model import Model
from progtf.training.config import read_run
from progtf.training.log import Log
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer

PROGRAM = Path(__file__).parents[2] / "examples" / "hybrid" / "say_digit.seme"
RUN = f"""
program = "{PROGRAM}"
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
every = 20
questions = 40
final = 40
"""


def trained() -> tuple[Model, dict[str, float]]:
    """The hybrid with the table that it has learned, and what is right, in percent."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.toml"
        path.write_text(RUN, encoding="utf-8")
        with joined() as ranks:
            result = Trainer(set_up(read_run(path), ranks)).train(Log(None, show=False))
        return progtf.load_model(result.folder), result.scores
