"""The extension for VS Code has what it names, and speaks of nothing that is not there."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from progtf.cli.commands import COMMANDS

FOLDER = Path(__file__).parents[2] / "docs" / "editors" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text())


def test_the_manifest_names_files_that_are_there():
    given = MANIFEST["contributes"]
    named = [MANIFEST["main"], *(each["path"] for each in given["grammars"])]
    named += [each["configuration"] for each in given["languages"]]
    for name in named:
        assert (FOLDER / name).is_file()
    json.loads((FOLDER / "language-configuration.json").read_text())


def test_grammar_and_language_are_those_of_the_notation():
    given = MANIFEST["contributes"]
    scope = json.loads((FOLDER / given["grammars"][0]["path"]).read_text())["scopeName"]
    assert given["grammars"][0]["scopeName"] == scope
    assert given["grammars"][0]["language"] == given["languages"][0]["id"] == "seme"
    assert given["languages"][0]["extensions"] == [".seme"]


def test_what_it_starts_is_a_command():
    program, command = MANIFEST["contributes"]["configuration"]["properties"]["seme.command"][
        "default"
    ]
    assert program == "progtf"
    assert command in COMMANDS


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_its_script_can_be_read():
    read = subprocess.run(
        ["node", "--check", str(FOLDER / "extension.js")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert read.returncode == 0, read.stderr
