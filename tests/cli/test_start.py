"""What a command imports before it answers: torch takes a second to import, sympy half of one."""

import subprocess
import sys

import pytest

import progtf

NOUNS = """\
semes: noun adjective black white dog cat
lexicon:
  black: +adjective +black
  white: +adjective +white
  dog: +noun +dog
  cat: +noun +cat
layer noun_phrase:
  head colour:
    look: before
    where: adjective
    value: black>black, white>white
"""
START = """
import sys
from progtf.cli.main import main
try:
    main()
finally:
    print({'torch', 'sympy'} & sys.modules.keys())
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """The files that commands are given, by the names that they have below."""
    folder = tmp_path_factory.mktemp("start")
    for name, text in (("PROGRAM", NOUNS), ("WRONG", NOUNS.replace("black>", "blck>"))):
        (folder / f"{name}.seme").write_text(text)
    model = progtf.compile(progtf.load(folder / "PROGRAM.seme"))
    progtf.save_model(model, folder / "FOLDER")
    found = {path.stem: str(path) for path in folder.iterdir()}
    return found | {"PAGE": str(folder / "page.html")}


def imported(places, command, status=0):
    """Which of the two a command imports, in a process of its own."""
    words = [places.get(word, word) for word in command.split()]
    done = subprocess.run(
        [sys.executable, "-c", START, *words], capture_output=True, text=True, check=False
    )
    if done.returncode != status or "Traceback" in done.stderr:
        pytest.fail(f"status {done.returncode}\n{done.stderr}")
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "run --help",
        "check PROGRAM",
        "fmt PROGRAM",
        "run --interpreter PROGRAM dog",
        "run --interpreter --json PROGRAM dog",
        "run --interpreter --trace black PROGRAM dog",
        "export PROGRAM -o PAGE",
        "data modules",
        "diff FOLDER FOLDER",
        "decompile FOLDER",
    ],
)
def test_a_command_that_runs_no_network_imports_neither_torch_nor_sympy(places, command):
    assert imported(places, command) == "set()"


@pytest.mark.parametrize("file", ["PROGRAM", "WRONG"])
def test_testing_a_program_without_examples_imports_neither_torch_nor_sympy(places, file):
    assert imported(places, f"test {file}", status=1) == "set()"
