"""A wheel, installed away from the checkout, works: the grammar and the library are in it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
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
