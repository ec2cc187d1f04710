import tarfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from progtf.cli.data import app
from progtf.data import MODULES, open_layout

MATH = Path(__file__).parents[1] / "data" / "math"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_help_teaches_every_command():
    text = run("--help").output
    assert all(name in text for name in ("make", "cache", "inspect", "modules", "sample"))
    for command in ("make", "cache"):
        assert f"progtf data {command} " in " ".join(run(command, "--help").output.split())


def test_make_makes_files(tmp_path):
    out = tmp_path / "out"
    result = run("make", "--out", out, "-m", "numbers__gcd", "-s", "interpolate", "--count", 40)
    assert result.exit_code == 0, result.output
    assert result.stdout == "40 questions in 1 files\n"
    (file,) = open_layout(out)
    assert len(list(file.problems())) == 40


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "numbers__gdc"], "did you mean `numbers__gcd`?"),
        (["-s", "interpolation"], "did you mean `interpolate`?"),
        (["-m", "numbers__gcd", "-s", "extrapolate"], "extrapolate has none of these modules"),
        (["-m", "numbers__gcd", "--exclude", "nowhere"], "nowhere: there is no such folder"),
    ],
)
def test_a_wrong_order_gets_one_message(tmp_path, arguments, message):
    result = run("make", "--out", tmp_path / "out", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize(
    "arguments", [["--count", "0"], ["--count", "x"], ["--cores", "0"], ["-q"]]
)
def test_a_wrong_option_is_status_2(tmp_path, arguments):
    assert run("make", "--out", tmp_path, *arguments).exit_code == 2


def test_a_folder_that_cannot_be_written_gets_one_message(tmp_path):
    (tmp_path / "file").touch()
    result = run("make", "--out", tmp_path / "file", "-m", "numbers__gcd")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {tmp_path / 'file'}: ")


@pytest.mark.parametrize("packed", [False, True])
def test_cache_and_inspect(tmp_path, packed):
    source, out = MATH, tmp_path / "x.cache"
    if packed:
        source = tmp_path / "math.tar.gz"
        with tarfile.open(source, "w:gz") as archive:
            archive.add(MATH, "mathematics_dataset-v1.0")
    result = run("cache", source, "--out", out, "-s", "interpolate")
    assert (result.exit_code, result.stdout) == (0, f"840 questions of 56 files in {out}\n")
    looked = run("inspect", out, "--check")
    assert looked.exit_code == 0
    assert all(module in looked.stdout for module in MODULES)
    assert "840" in looked.stdout
    assert "45" in run("inspect", out, "-m", "measurement,calculus__differentiate").stdout


def test_inspect_reads_a_folder():
    result = run("inspect", MATH, "-m", "numbers__place_value*")
    assert result.exit_code == 0
    assert "3 files" in result.stdout
    assert "45" in result.stdout


def test_a_bad_line_is_named(tmp_path):
    path = tmp_path / "interpolate" / "numbers__gcd.txt"
    path.parent.mkdir()
    path.write_text("What?\n1\nWhy?\n\n")
    for command in (["inspect", tmp_path], ["cache", tmp_path, "-s", "all", "--out", "x.cache"]):
        result = run(*command)
        assert result.exit_code == 1
        assert f"{path}:4: the answer is empty\n" in result.stderr
        assert ("1 of 2 records refused" in result.stderr) == (command[0] == "inspect")


def test_a_damaged_cache_is_named(tmp_path):
    path = tmp_path / "x.cache"
    run("cache", MATH, "--out", path, "-s", "interpolate")
    path.write_bytes(path.read_bytes()[:-1])
    result = run("inspect", path)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {path}: cut short")


def test_modules_are_listed_with_their_splits():
    lines = run("modules").stdout.splitlines()
    row = next(line for line in lines if "place_value_big" in line)
    assert row.split() == ["│", "numbers__place_value_big", "│", "│", "yes", "│", "│"]
    assert sum("__" in line for line in lines) == 70


def test_a_sample_is_printed():
    result = run("sample", "numbers__place_value", "-n", 2)
    assert result.stdout.splitlines() == [
        "What is the units digit of 55918359?",
        "9",
        "What is the units digit of 65425858?",
        "8",
    ]
    assert "did you mean" in run("sample", "numbers__place_valu").stderr
