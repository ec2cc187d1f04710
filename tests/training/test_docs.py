"""What the page on training and the runs of the repository say can be run."""

import re
import tomllib
from pathlib import Path

import pytest
import torch

from progtf.building.load import load
from progtf.training.config import Run, read_run
from tests.programs import beyond
from tests.training.conftest import trained

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
RUNS = sorted([*(ROOT / "runs").glob("*.toml"), *(ROOT / "runs" / "gpu").glob("*.toml")])
LARGEST = "cogs_lemmas"
ASKED = [file for file in RUNS if "modules =" in file.read_text(encoding="utf-8")]
ASKED.sort(key=lambda file: file.stem not in ("add_or_sub", "is_prime"))
"""Those on questions that are made where they are missing; the first two could not begin once."""
STEP = {"train__steps": 1, "train__batch": 8, "evaluate__questions": 4, "evaluate__final": 4}
TABLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def name_of(file: Path) -> str:
    """As it is called in ``runs/``."""
    return file.relative_to(ROOT / "runs").with_suffix("").as_posix()


def test_the_run_of_the_page_is_a_run():
    whole = tomllib.loads("\n".join(text for text in TABLES if "pairs" not in text))
    run = Run.model_validate(whole)
    assert run.written[0].mode == "values"


def test_the_run_on_pairs_of_the_page_is_the_one_of_the_repository():
    (shown,) = (tomllib.loads(text) for text in TABLES if "pairs" in text)
    whole = tomllib.loads((ROOT / "runs" / "scan_words.toml").read_text(encoding="utf-8"))
    assert shown == {
        key: {name: value[name] for name in shown[key]} if isinstance(value, dict) else value
        for key, value in whole.items()
        if key in shown
    }


def test_the_page_names_every_mode_and_control():
    for word in ("frozen", "soft", "values", "all", "off", "random", "trainable"):
        assert f"| `{word}`" in PAGE


@pytest.mark.parametrize(
    "file",
    [pytest.param(f, id=f.stem, marks=[pytest.mark.long] * (f.stem == LARGEST)) for f in RUNS],
)
def test_every_run_can_be_read(file):
    run = read_run(file)
    if run.program is not None:
        program = load(run.program, run.learn, run.lexicon)
        assert program.outputs or program.classify is not None


@pytest.mark.parametrize("file", beyond(ASKED, 2), ids=name_of)
def test_every_run_on_questions_takes_a_step(file, tmp_path):
    small = {"data__folder": str(tmp_path / "data"), "data__questions": 200, "data__test": 40}
    trainer = trained(file, tmp_path / "log", out=str(tmp_path / "out"), **small, **STEP)
    assert trainer.latest.name == "step-0000001"


@pytest.mark.long
@pytest.mark.parametrize("file", [f for f in RUNS if f not in ASKED], ids=name_of)
def test_every_run_on_pairs_takes_a_step(file, tmp_path):
    run = read_run(file)
    pairs = run.data.folder / run.data.pairs.train
    if not pairs.exists():
        pytest.skip(f"{pairs} is absent: set PROGTF_DATA")
    trainer = trained(file, tmp_path / "log", out=str(tmp_path / "out"), **STEP)
    assert trainer.latest.name == "step-0000001"


def test_the_loop_of_the_page_trains(tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, names := {})
    assert names["logits"].shape == (1, 2, len(names["model"].layout.outputs))
    assert not torch.equal(
        names["model"].network.unembed.learned.bias, torch.zeros(len(names["model"].layout.outputs))
    )
