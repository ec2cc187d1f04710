import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer

from progtf.cli import data, evaluate
from progtf.data import build_cache, choose_splits, open_layout

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
CONSOLE = re.findall(r"^\$ progtf (.*?)(?:  +#.*)?$", PAGE, re.MULTILINE)

app = typer.Typer()
app.add_typer(data.app, name="data")
app.command("eval")(evaluate.evaluate)


@pytest.fixture
def here(math, tmp_path, monkeypatch):
    """A folder with what the page speaks of."""
    shutil.copytree(math, tmp_path / "math")
    shutil.copytree(math / "interpolate", tmp_path / "math" / "train-easy")
    build_cache(tmp_path / "train.cache", open_layout(tmp_path / "math", choose_splits(["train"])))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("code", PYTHON)
def test_the_page_s_python_runs(code):
    names: dict = {}
    exec(code, names)
    assert {"Path", "own"} & {*names}  # what it imports


@pytest.mark.parametrize("line", CONSOLE)
def test_the_page_s_commands_have_these_options(line):
    command, arguments = typer.main.get_command(app), shlex.split(line.split(" > ")[0])
    while hasattr(command, "commands"):
        command = command.commands[arguments.pop(0)]
    context = command.make_context(command.name, arguments)
    assert set(context.params) == {parameter.name for parameter in command.params}


def test_the_page_has_python_and_commands():
    assert len(PYTHON) == 5
    assert len(CONSOLE) >= 10
