"""A few of everything that ``python -m benchmarks.fuzz`` tries, and what it has found."""

import json
from pathlib import Path

import pytest

pytest.importorskip("anywidget", reason="anywidget is not installed")

from benchmarks import fuzz
from progtf.data.growing import Progress, saved_progress
from progtf.data.recipes import RecipeBook
from progtf.training.config import RunError, read_run
from progtf.training.folders import control_of
from progtf.widgets import MatrixView, Playground, TrainingView, figures
from progtf.widgets.training import read_records

DEEP = "[" * 100_000


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_what_is_spoilt_is_taken_or_refused_in_words(kind):
    _, growth = fuzz.run(kind, 60, seed=7)
    assert growth <= fuzz.MOST_GROWTH_MB


@pytest.mark.parametrize("records", [b"\xff", DEEP.encode(), b'{"step": ' + b"9" * 5000 + b"}"])
def test_curves_that_cannot_be_read_are_left_out(records, tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"step": 1, "loss": 2}\n' + records + b'\n{"step": 2, "loss": 1}\n')
    with pytest.warns(UserWarning, match="metrics.jsonl:2: this line is not what was written"):
        assert [record["step"] for record in read_records(path)] == [1.0, 2.0]
    path.write_text(json.dumps({"step": 3, "loss": 10**400}))
    assert TrainingView(path).records == [{"step": 3.0}]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "examine"},
        {"type": "examine", "text": None, "input": "x", "id": 1},
        {"type": "cell", "source": "", "target": "dog", "value": 1},
        {"type": "cell", "source": "dog", "target": "pig", "value": 1},
        {"type": "cell", "source": "", "target": "pig", "value": "high"},
        {"type": "cell", "source": "", "target": "pig", "value": float("nan")},
        {"type": "cell", "source": "", "target": "pig", "value": 10**400},
        {"type": "text", "text": ["+pig"]},
        [],
        None,
    ],
)
def test_messages_that_mean_nothing_change_nothing(message, monkeypatch):
    monkeypatch.setattr(figures, "queue", fuzz.Quiet)
    matrix, playground = MatrixView("+pig", "pig wombat"), Playground("semes: a\n")
    for widget in (matrix, playground):
        widget._handle_custom_msg(message, [])
    assert matrix.text == "+pig"
    assert playground.text == "semes: a\n"


@pytest.mark.parametrize(
    "text",
    [
        "seed = " + "9" * 5000,
        "a = " + DEEP,
        'out = "\\u0000"\n[data]\nfolder = "d"\nmodules = ["a"]',
    ],
)
def test_a_run_file_that_cannot_be_read_is_refused_in_words(text, tmp_path):
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(RunError):
        read_run(tmp_path / "run.toml")


def test_a_path_that_no_file_can_have_is_told(tmp_path):
    (tmp_path / "run.toml").write_text(
        f'out = "o"\n[data]\nmodules = ["a"]\nfolder = "{"x" * 300}"'
    )
    with pytest.raises(RunError, match=r"`data.folder`: expected a path that a file can have"):
        read_run(tmp_path / "run.toml")


def test_notes_that_are_spoilt_are_no_traceback(tmp_path):
    path = tmp_path / "sums.txt"
    Path(f"{path}.part").write_text("x")
    for note in (DEEP, "[1]", '{"byte": 1}', "\udcff"):
        Path(f"{path}.progress").write_bytes(note.encode("utf-8", "surrogateescape"))
        assert saved_progress(path) == Progress()
    (tmp_path / "made.json").write_text(DEEP)
    with pytest.raises(ValueError, match="cannot be read"):
        RecipeBook(tmp_path)
    (tmp_path / "trainer.json").write_text(DEEP)
    assert control_of(tmp_path) == ""
