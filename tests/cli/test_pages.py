"""``progtf export`` and ``progtf notebook``, without a browser."""

import os
import sys
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.cli.messages import UserError
from progtf.cli.page_body import about
from progtf.cli.site import _link
from progtf.widgets import tour

pytest.importorskip("anywidget", reason="anywidget is not installed")
if find_spec("jupyterlab") is None:  # to import it takes seconds, and nothing here does
    pytest.skip("jupyterlab is not installed", allow_module_level=True)


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


PROGRAM = "semes: a\nlexicon:\n  x: +a\n"


@pytest.mark.parametrize(
    ("figure", "why"),
    [
        ('{"kind": "matrix"}', "no recorded figure of kind"),
        ('{"kind": "training", "data": 3}', "no recorded figure of kind"),
        ('{"kind": [], "data": {}}', "no recorded figure of kind"),
        ('{"kind": "matrix", "data": {"x": NaN}}', "NaN is no number that a page can read"),
        ("{", "is no recorded figure"),
    ],
)
def test_a_recorded_figure_that_is_none_is_refused_by_its_place(figure, why, tmp_path):
    (tmp_path / "figure.json").write_text(figure)
    (tmp_path / "text.md").write_text("# A\n\n```figure\nrecorded: figure.json\n```\n")
    result = run("export", "--edit", tmp_path / "text.md", "-o", tmp_path / "site")
    assert isinstance(result.exception, UserError)
    assert "text.md:3: " in str(result.exception)
    assert why in str(result.exception)


def test_an_input_that_a_figure_cannot_take_is_told_by_its_place(tmp_path):
    (tmp_path / "one.seme").write_text(PROGRAM)
    (tmp_path / "text.md").write_text("# A\n\n```figure\nprogram: one.seme\ninput: y\n```\n")
    result = run("export", "--edit", tmp_path / "text.md", "-o", tmp_path / "site")
    assert str(result.exception).endswith(
        "text.md:3: `input: y`: token 1, `y`, is not in the lexicon"
    )


def test_vectors_that_are_none_are_refused_as_an_input(tmp_path):
    (tmp_path / "dense.seme").write_text(
        "model:\n  kind: dense\nsemes: a\ndense:\n  weights: a>a\n"
    )
    result = run("export", tmp_path / "dense.seme", "-o", tmp_path / "page.html", "--input", "+b")
    assert "--input: no seme is called `b`" in str(result.exception)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("text", ["{", "{}", "[]", "3", "\xff"])
def test_a_file_that_is_no_notebook_is_refused(text, tmp_path):
    pytest.importorskip("nbclient")
    (tmp_path / "tour.ipynb").write_bytes(text.encode("latin-1"))
    result = run("export", tmp_path / "tour.ipynb", "-o", tmp_path / "page.html")
    assert isinstance(result.exception, UserError)
    assert "this is no notebook" in str(result.exception)


def test_a_file_whose_name_is_no_text_makes_a_page(tmp_path):
    file = tmp_path / os.fsdecode(b"a\xffb.seme")
    file.write_text(PROGRAM + "layer:\n  feedforward:\n    a: a\n")
    assert run("export", file, "-o", tmp_path / "page.html").exit_code == 0
    assert "<title>a?b" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert _link(file.stem, "a?b") == '<a href="a%FFb.html">a?b</a>'


def test_a_folder_that_cannot_be_written_is_told_as_that(tmp_path, monkeypatch):
    monkeypatch.setattr("progtf.cli.site.pyodide_folder", lambda: tmp_path)
    (tmp_path / "one.seme").write_text(PROGRAM)
    result = run("export", "--edit", tmp_path / "one.seme", "-o", "/proc/site")
    assert isinstance(result.exception, OSError)
