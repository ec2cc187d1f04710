"""``docs/machines.md`` typed in: every command prints what the page says it prints."""

import os
import re
import subprocess
import sys

import pytest

import progtf
from tests.programs import ROOT

PAGE = (ROOT / "docs" / "machines.md").read_text(encoding="utf-8")
MACHINE = (ROOT / "examples" / "machines" / "subleq.seme").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """Runs a line in a folder with the examples: all that it prints."""
    folder = tmp_path_factory.mktemp("machines")
    (folder / "examples").symlink_to(ROOT / "examples")
    for name, module in (("progtf", "-m progtf"), ("python", "")):
        command = folder / "bin" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        command.chmod(0o755)
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}

    def run(line):
        done = subprocess.run(
            ["sh", "-c", line], cwd=folder, env=env, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False, timeout=120,
        )  # fmt: skip
        return done.stdout

    return run


def test_every_command_prints_what_the_page_says(shell):
    blocks = FENCE.findall(PAGE)
    assert {kind for kind, _ in blocks} == {"console"}
    typed = [each for _, block in blocks for each in block.split("$ ") if each]
    assert len(typed) > 7
    for each in typed:
        line, _, printed = each.partition("\n")
        assert shell(line).rstrip("\n") == printed.rstrip("\n"), line


def test_the_table_has_every_layer_and_names_its_heads():
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]*) \| ", PAGE, re.MULTILINE)
    heads: dict[str, set[str]] = {}
    for layer in progtf.parse_program(MACHINE).decoder:
        found = heads.setdefault(layer.name.removesuffix(".tests"), set())
        found |= {head.name for head in layer.heads}
    assert [name for names, _ in rows for name in re.findall(r"`(\w+)`", names)] == [*heads]
    for names, told in rows:
        there = set[str]().union(*(heads[name] for name in re.findall(r"`(\w+)`", names)))
        assert {*re.findall(r"`(\w+)`", told)} <= there
