"""What a command imports before it answers: torch takes a second to import, sympy half of one.

Nor does a command import what only another one needs: each of these takes a tenth of a second.
"""

import json
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
SCORE = """\
semes: a
lexicon:
  dog: 0
  cat: +a
score:
  pool: sum
  value: -a
"""
START = """
import sys
from progtf.cli.main import main
try:
    main()
finally:
    print(*sorted({SLOW} & sys.modules.keys()))
"""
SLOW = {"torch", "sympy"}
OF_OTHERS = {"matplotlib", "tensorboard", "distributed", "IPython", "mathematics_dataset"}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """The files that commands are given, by the names that they have below."""
    folder = tmp_path_factory.mktemp("start")
    examples = (
        NOUNS + "examples:\n  black dog -> black: +adjective +black | dog: +noun +black +dog\n"
    )
    texts = {"PROGRAM": NOUNS, "WRONG": NOUNS.replace("black>", "blck>"), "EXAMPLES": examples}
    texts["SOFT"] = examples.replace("    look: before\n", "    look: before\n    sharpness: 32\n")
    texts["SCORE"] = SCORE
    for name, text in texts.items():
        (folder / f"{name}.seme").write_text(text)
    pair = {"sentence_good": "dog", "sentence_bad": "dog cat"}
    (folder / "PAIRS.jsonl").write_text(json.dumps(pair))
    (folder / "DATA.tsv").write_text("dog\tdog: +noun +dog\n")
    model = progtf.compile(progtf.load(folder / "PROGRAM.seme"))
    progtf.save_model(model, folder / "FOLDER")
    found = {path.stem: str(path) for path in folder.iterdir()}
    return found | {"PAGE": str(folder / "page.html")}


def imported(places, command, slow, status=0):
    """Which of some modules a command imports, in a process of its own."""
    words = [places.get(word, word) for word in command.split()]
    start = START.replace("SLOW", repr(slow)[1:-1])
    done = subprocess.run(
        [sys.executable, "-c", start, *words], capture_output=True, text=True, check=False
    )
    if done.returncode != status or "Traceback" in done.stderr:
        pytest.fail(f"status {done.returncode}\n{done.stderr}")
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "--version",
        "run --help",
        "check PROGRAM",
        "fmt PROGRAM",
        "run PROGRAM dog",
        "run --json PROGRAM dog",
        "run --strict PROGRAM dog",
        "run --trace black PROGRAM dog",
        "run --margins PROGRAM dog",
        "run --engine interpreter PROGRAM dog",
        "run --engine reference PROGRAM dog",
        "patch PROGRAM dog --set black=1",
        "test EXAMPLES",
        "eval PROGRAM --data DATA",
        "pairs SCORE PAIRS",
        "export PROGRAM -o PAGE",
        "data modules",
        "diff FOLDER FOLDER",
        "decompile FOLDER",
    ],
)
def test_a_command_that_runs_no_network_imports_neither_torch_nor_sympy(places, command):
    assert imported(places, command, SLOW | OF_OTHERS) == set()


@pytest.mark.parametrize(
    "command",
    [
        "run --engine network PROGRAM dog",
        "run --dtype float64 PROGRAM dog",
        "patch --engine network PROGRAM dog --set black=1",
        "test --engine network EXAMPLES",
        "eval --engine network PROGRAM --data DATA",
        "run SOFT dog",
        "eval SOFT --data DATA",
        "pairs --engine network SCORE PAIRS",
    ],
)
def test_the_network_answers_where_it_is_asked_and_where_it_alone_can(places, command):
    assert imported(places, command, {"torch"}) == {"torch"}


def test_the_network_is_asked_for_examples_that_are_soft(places):
    assert imported(places, "test SOFT", {"torch"}, status=1) == {"torch"}  # a trace of `white`


@pytest.mark.parametrize("file", ["PROGRAM", "WRONG"])
def test_testing_a_program_without_examples_imports_neither_torch_nor_sympy(places, file):
    assert imported(places, f"test {file}", SLOW, status=1) == set()


def test_help_imports_neither_numbers_nor_the_notation(places):
    assert imported(places, "--help", {"numpy", "lark", "progtf.building"}) == set()


@pytest.mark.parametrize("command", ["diff FOLDER FOLDER", "run FOLDER dog"])
def test_what_is_compiled_needs_no_notation_and_no_check(places, command):
    assert imported(places, command, {"lark", "progtf.building.load", "progtf.exact"}) == set()


def test_a_program_that_ran_before_is_neither_read_nor_checked_again(places):
    command = "run --engine network PROGRAM dog"
    slow = {"torch", "lark", "progtf.building.load", "progtf.exact", "progtf.outcomes"}
    assert imported(places, command, slow | OF_OTHERS) >= {"torch"}
    assert imported(places, command, slow | OF_OTHERS) == {"torch"}


def test_what_the_interpreter_answers_wants_little_the_second_time(places):
    slow = {"lark", "rich", "safetensors", "progtf.building.load", "progtf.notation.parser"}
    imported(places, "run PROGRAM dog", slow)
    assert imported(places, "run PROGRAM dog", slow | SLOW | OF_OTHERS) == set()
