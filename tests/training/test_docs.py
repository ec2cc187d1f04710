"""What the page on training says can be run."""

import re
import tomllib
from pathlib import Path

import torch

from progtf.training.config import Run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
TABLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


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


def test_the_loop_of_the_page_trains(tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, names := {})
    assert names["logits"].shape == (1, 2, len(names["model"].layout.outputs))
    assert not torch.equal(
        names["model"].network.unembed.learned.bias, torch.zeros(len(names["model"].layout.outputs))
    )
