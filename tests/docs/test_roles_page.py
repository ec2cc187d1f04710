"""What the page on learned roles tells to type works, and its figures are those that were found."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("sklearn", reason="the extra `roles` is not installed")

from progtf.cli.main import app
from progtf.data import PAPER, Problem
from progtf.training.config import Model
from progtf.training.networks import LearnedModel, build_network, save_network

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "roles.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
LINES = "".join(BLOCKS).replace("\\\n", " ").splitlines()
TYPED = [line for line in LINES if line.startswith("progtf ")]


def test_the_page_has_every_command_of_this_kind():
    assert {line.split()[1] for line in TYPED} == {"roles", "probe", "hadamard"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with tiny networks where the page has large ones, and a few questions."""
    for name, binding in (
        ("roles/tp-1/checkpoints/step-0001500", "hadamard"),
        ("outer/checkpoints/step-0002000", "outer"),
    ):
        folder = tmp_path / "runs/out" / name
        folder.mkdir(parents=True)
        wanted = Model(kind="tp", width=16, filter=16, heads=4, layers=2, binding=binding)
        save_network(folder, wanted, build_network(wanted, 5).state_dict(), PAPER)
    files = ("runs/out/roles/data/interpolate/fractions.txt",
             "runs/data/outer/interpolate/arithmetic__mixed.txt")  # fmt: skip
    texts = [f"({a}/7)/({b}/5)\n{5 * a}/{7 * b}\n" for a in range(1, 7) for b in range(1, 5)]
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text("".join(texts))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("line", TYPED)
@pytest.mark.usefixtures("here")
def test_what_the_page_tells_to_type_works(line):
    done = CliRunner().invoke(app, shlex.split(line)[1:])
    assert done.exit_code == 0, f"{done.output}{done.exception}"


@pytest.mark.usefixtures("here")
def test_the_python_of_the_page_runs():
    (text,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    lines = Path("runs/out/roles/data/interpolate/fractions.txt").read_text().splitlines()
    given = {
        "checkpoint": Path("runs/out/outer/checkpoints/step-0002000"),
        "problems": [Problem(*each) for each in zip(lines[::2], lines[1::2], strict=True)],
        "folder": Path("converted"),
    }
    exec(text, given)
    assert LearnedModel.load(given["folder"]).run(["(1/7)/(1/5)"])


def test_what_conversions_cost_is_what_was_found():
    rows = json.loads((ROOT / "docs/experiments/hadamard.json").read_text(encoding="utf-8"))
    due = [
        f"| {row['seed']} | {row['before']} | {way} | {row[way]['after']}"
        f" | {row[way]['update'][0]} | {row[way]['trained']} |"
        for row in rows
        for way in ("principal", "fitted")
    ]
    assert [
        line for line in PAGE.splitlines() if re.search("principal|fitted", line) and line[0] == "|"
    ][-6:] == due
    scratch = sorted(round(row["scratch"]) for row in rows)
    assert f"random weights has {scratch[0]} to {scratch[-1]} % after the same" in PAGE
    worst = max(row["before"] - row["principal"]["after"] for row in rows)
    assert f"up to {round(worst)} points by the appendix's" in PAGE
