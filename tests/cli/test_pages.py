"""``progtf export`` and ``progtf notebook``, without a browser."""

import os
import sys

import pytest
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.cli.page_body import about
from progtf.widgets import tour

pytest.importorskip("anywidget", reason="anywidget is not installed")
pytest.importorskip("jupyterlab", reason="jupyterlab is not installed")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_tour_is_copied_and_opened_at_its_first_notebook(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(os, "execv", lambda _path, command: started.append(command))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    folder = tmp_path / "tour"
    assert run("notebook", folder).exit_code == 0
    assert started == [[sys.executable, "-m", "jupyterlab", str(folder / "01_notation.ipynb")]]
    assert sorted(path.name for path in folder.iterdir()) == [path.name for path in tour()]
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert run("notebook", folder).exit_code == 0
    assert started[1] == [*started[0], "--allow-root"]


def test_what_a_reader_changed_in_the_tour_is_kept(tmp_path):
    mine = tmp_path / tour()[0].name
    mine.write_text("mine")
    assert run("notebook", tmp_path, "--only-copy").exit_code == 0
    assert mine.read_text() == "mine"


def test_what_cannot_be_exported_is_refused_and_nothing_is_written(tmp_path):
    out = tmp_path / "page.html"
    wrong = tmp_path / "wrong.seme"
    wrong.write_text("semes: a\nlexicon:\n  x: +b\n")
    right = tmp_path / "right.seme"
    right.write_text("semes: a\nlexicon:\n  x: +a\n")
    assert "--input: token 1, `y`" in str(run("export", right, "-o", out, "--input", "y").exception)
    for file in (wrong, tmp_path / "missing.seme", tmp_path / "missing.ipynb"):
        assert run("export", file, "-o", out).exit_code != 0
        assert not out.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# x.seme: what it does.\n# more", "What it does."),
        ("# x.seme: a sentence\n#   goes on (a/b).\n# More.", "A sentence goes on (a/b)."),
        ("# x.seme: y.seme once more\n#\n# more", "y.seme once more"),
        ("semes: a", ""),
    ],
)
def test_a_page_says_what_the_program_says_of_itself(text, said):
    assert about(text) == said


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "one page shows one program"),
        (["--edit", "--input", "x"], "of several each has its own"),
        (["--edit", "tour.ipynb"], "notebooks are edited in Jupyter"),
        (["--edit", "below/one.seme"], "its page would be called as that of"),
        (["--edit", "index.seme"], "the list of them"),
    ],
)
def test_programs_that_make_no_site_are_refused(arguments, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    for name in ("one", "other", "index", "below/one"):
        (tmp_path / f"{name}.seme").write_text("semes: a\nlexicon:\n  x: +a\n")
    result = run("export", "one.seme", "other.seme", *arguments, "-o", "site")
    assert why in str(result.exception)
    assert not (tmp_path / "site").exists()
