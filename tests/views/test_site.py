"""Folders of pages that read changed programs: what lies in them, and what is refused."""

import gzip
import json
import shutil
import subprocess
import sys
import zipfile
from io import BytesIO

import pytest
from typer.testing import CliRunner

from progtf.cli.main import app
from progtf.cli.messages import UserError
from progtf.notation.diagnostics import Source
from progtf.views import site
from progtf.views.editor import examine
from progtf.views.site import PYODIDE, archive, carried, pyodide_folder, write_python
from tests.programs import LARGE, PROGRAMS, QUICK, ROOT

NOUNS = ROOT / "examples" / "article" / "attention_with_positions.seme"
READ = """
import json, sys
blocked = dict.fromkeys(("numpy", "torch", "typer", "rich", "regex"))
sys.modules.update(blocked)
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from progtf.views.editor import examine
for path in map(Path, sys.argv[2:]):
    print(json.dumps(examine(path.read_text(encoding="utf-8"), str(path), path.parent)))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    zipfile.ZipFile(BytesIO(archive())).extractall(folder)
    return folder


def test_what_lies_in_the_archive_reads_programs_as_they_are_read_here(unpacked):
    few = [path for path in PROGRAMS if path not in LARGE or path.stem in QUICK]
    paths = [ROOT / path for path in few]
    command = [sys.executable, "-I", "-S", "-c", READ, str(unpacked), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for path, line in zip(paths, done.stdout.splitlines(), strict=True):
        here = examine(path.read_text(encoding="utf-8"), str(path), path.parent)
        assert json.loads(line) == json.loads(json.dumps(here)), path


def test_the_archive_is_the_same_for_the_same_sources():
    assert archive() == archive()


def test_a_page_carries_the_files_that_its_program_reads_and_no_others(tmp_path):
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "nouns.tsv").write_text("dog\tnoun\n")
    (tmp_path / "secret.tsv").write_text("cat\tnoun\n")
    text = 'use "std/characters.seme"\nsemes: noun\nlexicon from "words/nouns.tsv":\n  {1}: +noun\n'
    assert carried(Source("a.seme", text), tmp_path) == {"words/nouns.tsv": "dog\tnoun\n"}


def export(*words):
    result = CliRunner().invoke(app, ["export", "--edit", *map(str, words)])
    assert isinstance(result.exception, UserError)  # which the command line prints
    return str(result.exception)


def test_where_there_is_no_python_for_browsers_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv(PYODIDE, str(tmp_path))
    said = export(NOUNS, "-o", tmp_path / "site")
    assert "npm install --prefix FOLDER pyodide@" in said
    assert PYODIDE in said
    assert not (tmp_path / "site").exists()


def test_in_a_clone_one_command_brings_python_for_browsers(tmp_path, monkeypatch):
    monkeypatch.delenv(PYODIDE, raising=False)
    monkeypatch.setattr(site, "_CHECKOUT", tmp_path / "js" / "node_modules" / "pyodide")
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "package.json").write_text("{}")
    said = export(NOUNS, "-o", tmp_path / "site")
    assert f"help: `npm ci --prefix {tmp_path / 'js'}` brings it" in said
    lock = json.loads((ROOT / "js" / "package-lock.json").read_text())
    assert lock["packages"]["node_modules/pyodide"]["version"] == site.VERSION


def test_a_notebook_is_no_program_to_edit(tmp_path):
    assert "edited in Jupyter" in export(tmp_path / "a.ipynb", "-o", tmp_path / "site")


@pytest.mark.xdist_group("browser")  # which compiles the same
def test_a_site_is_small_and_its_python_is_compiled_by_its_own(tmp_path):
    try:
        pyodide_folder()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed, so nothing is compiled ahead")
    write_python(tmp_path)
    names = zipfile.ZipFile(tmp_path / "progtf.zip").namelist()
    assert "progtf/views/serve.pyc" in names
    assert [name for name in names if name.endswith(".py")] == []
    assert "re/_parser.pyc" in zipfile.ZipFile(tmp_path / "python_stdlib.zip").namelist()
    sizes = [len(gzip.compress(path.read_bytes())) for path in tmp_path.iterdir()]
    assert sum(sizes) < 8_000_000
