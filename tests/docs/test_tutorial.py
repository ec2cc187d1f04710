"""``docs/tutorial.md`` typed in step by step: every command prints what the page says it prints."""

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from progtf.cli.main import main
from progtf.notation.format import format_text

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def changed(program: str, change: str) -> str:
    """A program with the lines of a diff replaced; a line of the diff is in the program once."""
    old = "".join(line[1:] + "\n" for line in change.splitlines() if line.startswith("-"))
    new = "".join(line[1:] + "\n" for line in change.splitlines() if line.startswith("+"))
    assert program.count(old) == 1, old
    return program.replace(old, new)


def steps() -> Iterator[tuple[str, str, str]]:
    """Program, command and what the page says it prints; a diff holds for one command."""
    whole = program = ""
    for kind, text in FENCE.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "seme":
            whole = program = text
        elif kind == "diff":
            program = changed(whole, text)
        elif kind == "console":
            command, _, printed = text.partition("\n")
            yield program, command.removeprefix("$ "), printed
            program = whole


@pytest.fixture
def shell(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder of its own: all that it prints, without blanks at ends."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(command):
        monkeypatch.setattr("sys.argv", shlex.split(command))
        with suppress(SystemExit):
            main()
        out = capsys.readouterr()
        lines = [line.rstrip() for line in (out.out + out.err).splitlines()]
        return "\n".join(lines).strip("\n") + "\n"

    return run


@pytest.mark.parametrize(("program", "command", "printed"), list(steps()))
def test_a_command_prints_what_the_page_says(program, command, printed, shell):
    Path("shop.seme").write_text(program, encoding="utf-8")
    assert shell(command) == printed


def test_the_page_shows_commands_and_mistakes():
    assert len(list(steps())) > 12
    assert sum("error[" in printed for _, _, printed in steps()) >= 5


@pytest.mark.parametrize(("kind", "text"), FENCE.findall(PAGE.read_text(encoding="utf-8")))
def test_every_fence_is_known(kind, text):
    assert kind in ("seme", "diff", "console", "sh")
    if kind == "seme":
        assert format_text(text) == text
