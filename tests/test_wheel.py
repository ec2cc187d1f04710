"""A wheel, installed away from the checkout, works: the grammar and the library are in it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("wheel")  # which is made once

ROOT = Path(__file__).parents[1]
PROGRAM = """\
use "std/neighbours.seme"
semes: a b
lexicon:
  x: +a
layer l:
  feedforward:
    b: a
"""
CODE = """
import progtf
assert "site" in progtf.__file__, progtf.__file__
print(progtf.vector("+pig -2wombat", "pig wombat").tolist())
print(progtf.compile(progtf.load("program.seme")).run("x"))
"""


READY = """
import sys, progtf
print(progtf.interpret("site/progtf/examples/math/place_value.seme").run("What is the tens digit of 31253?"))
assert "lark" not in sys.modules, "the program was read anew"
"""  # noqa: E501  it is one call


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "scripts/shipped.py"], cwd=ROOT, check=True)  # as make does
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_what_is_not_python(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "progtf/notation/seme.lark" in names
    assert [name for name in names if name.startswith("progtf/std/") and name.endswith(".seme")]
    assert {"progtf/views/static/progtf.js", "progtf/views/static/NOTICE.txt"} <= {*names}
    assert "progtf/data/sources.tsv" in names
    assert "progtf/examples/article/clocks.seme" in names
    assert "progtf/notebooks/01_notation.ipynb" in names
    assert {f"progtf/networks/{each}/{file}" for each in ("solve", "answer") for file in (
        "weights.safetensors", "model.json", "sure.json", "SHA256SUMS", "README.md",
    )} <= {*names}  # fmt: skip
    assert "progtf/tasks/word_problems/own/words.txt" in names
    assert wheel.stat().st_size < 16e6
    assert not [name for name in names if name.startswith(("js/", "tests/", "benchmarks/"))]


def test_an_installed_wheel_works(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    (tmp_path / "program.seme").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[1.0, -2.0]", "x: +a +b"]


def test_the_programs_of_an_installed_wheel_are_ready(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    kept = {path.name for path in (tmp_path / "site/progtf/shipped").iterdir()}
    assert kept == {path.name for path in (ROOT / "progtf/shipped").glob("*.kept")}
    done = subprocess.run(
        [sys.executable, "-c", READY],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site"), "PROGTF_CACHE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.stdout) == ("", "5\n")
