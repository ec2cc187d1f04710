"""What the README shows works as it is shown."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from ast import literal_eval
from pathlib import Path

import pytest
import typer

import progtf
from progtf.cli.main import app
from progtf.program.expected import agrees
from progtf.published import NAMED

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def commands() -> list[list[str]]:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("progtf ")]


@pytest.mark.parametrize("text", blocks("seme"))
def test_programs_in_the_readme_pass_their_examples(text):
    program = progtf.parse_program(text)
    model = progtf.compile(program)
    assert program.examples
    for example in program.examples:
        answer = model.answers([example.input])[0]
        assert agrees(answer, example.output, model.layout, 1e-4)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_in_the_readme_gives_what_its_comments_say(code):
    names: dict[str, object] = {}
    for line in code.splitlines():
        said = re.search(r"# ('.*'|\[\]|\{.*\})", line)
        if said:
            assert eval(line, names) == literal_eval(said[1])
        else:
            exec(line, names)


def test_what_is_said_to_work_as_it_stands_does_line_by_line(tmp_path):
    """In a folder with what a clone has, by a shell, without data of others."""
    (block,) = (each for each in blocks("sh") if each.startswith("progtf "))
    for name in ("examples", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "runs", tmp_path / "runs", ignore=shutil.ignore_patterns("out", "data"))
    command = tmp_path / "bin" / "progtf"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m progtf "$@"\n')
    command.chmod(0o755)
    here = {"PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    env = {**os.environ, **here, "PROGTF_DATA": str(tmp_path / "nowhere")}
    printed = []
    for line in block.splitlines():
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        differs = line.startswith("progtf diff examples/hybrid")
        assert done.returncode == differs, (line, done.stderr)
        assert "passed over" not in done.stderr
        printed.append(done.stdout)
    assert [said.strip() for said in printed[:2]] == ["1", "3"]
    assert "encoder / judge: as before\n" in printed[2]
    assert printed[-4].strip() == "13"
    assert printed[-2].splitlines()[-1] == "x = 9"
    assert printed[-1].splitlines()[0] == "Bergen"
    assert (tmp_path / "out" / "page.html").stat().st_size > 100_000


def test_what_the_readme_says_is_needed_is_there():
    runs, sets = (
        re.findall(r"runs/(\w+)\.toml", TEXT),
        re.findall(r"progtf data get ([\w-]+)", TEXT),
    )
    assert len(runs) > 8
    assert [name for name in runs if not (ROOT / f"runs/{name}.toml").is_file()] == []
    assert {"scan", "cogs", "alg514", "squad"} <= {*sets} <= NAMED.keys()


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_commands_in_the_readme_exist(words):
    group = typer.main.get_command(app)
    command = group.get_command(None, words[1])  # type: ignore[attr-defined]
    if words[1] == "data":
        command = command.commands[words[2]]
    options = {name for option in command.params for name in option.opts}
    assert {word for word in words if re.fullmatch(r"--?[a-z]+", word)} <= options
    for word in words[2:]:
        if word.startswith("examples/") and "*" not in word:
            assert Path(word).is_file()
