"""``%%seme`` and what a notebook shows of a program."""

import subprocess
import sys

import pytest

pytest.importorskip("IPython", reason="IPython is not installed")
pytest.importorskip("anywidget", reason="anywidget is not installed")

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import progtf
from progtf.program.model import Program
from progtf.widgets import Playground, example

TEXT = "semes: noun\nlexicon:\n  dog: +noun\nexamples:\n  dog -> dog: +noun\n"


@pytest.fixture
def shell():
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "progtf")
    yield made
    InteractiveShell.clear_instance()


def test_a_cell_is_read_as_a_program(shell):
    assert isinstance(shell.run_cell_magic("seme", "", TEXT), Program)
    shell.run_cell_magic("seme", "animals", TEXT)
    assert shell.user_ns["animals"].space.names == ("noun",)


def test_a_cell_is_shown_as_a_playground(shell):
    shown = shell.run_cell_magic("seme", '--play --input "dog dog"', TEXT)
    assert isinstance(shown, Playground)
    assert shown.data["input"] == "dog dog"


@pytest.mark.parametrize(
    ("line", "cell", "said"),
    [
        ("", "semes: noun\nlexicon:\n  dog: +nuon\n", "did you mean `noun`"),
        ("1x", TEXT, "cannot be the name"),
        ("--paly", TEXT, "--play"),
        ('"x', TEXT, "quot"),
    ],
)
def test_mistakes_are_named(shell, line, cell, said):
    with pytest.raises(UsageError, match=said):
        shell.run_cell_magic("seme", line, cell)


def test_a_program_shows_pictures(shell):
    program = progtf.load(example("article/attention_with_positions.seme"))
    data, _ = shell.display_formatter.format(program)
    assert data["text/html"].count("<svg") == 3
    assert data["image/svg+xml"].startswith("<svg")
    assert "head colour" in data["text/plain"]


def test_a_notebook_needs_no_more_than_the_import_to_show_them():
    path = example("article/attention_with_positions.seme")
    script = f"""
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import progtf")
shown = shell.run_cell("progtf.load({str(path)!r})").result
data, _ = shell.display_formatter.format(shown)
assert data["image/svg+xml"].startswith("<svg"), data
"""
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_pictures_escape_what_they_show():
    text = 'semes: noun\nlexicon:\n  unknown: +noun\nexamples:\n  "<img/src=x>" -> x: +noun\n'
    shown = progtf.parse_program(text, "<script>")._repr_mimebundle_()
    assert "<img" not in shown["text/html"] + shown["image/svg+xml"]
    assert "<script" not in shown["text/html"]
    assert "&lt;img/src=x&gt;" in shown["image/svg+xml"]
