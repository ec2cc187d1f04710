"""Whatever stdin, stdout and stderr are, no command ends in a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from progtf.terminal import WRITTEN_OUT, plain
from tests.cli.forked import results_of

pytestmark = pytest.mark.xdist_group("streams")  # whose commands are run once

PROGRAM = """\
semes: a
lexicon:
  é: +a
  𝔸: +a
examples:
  é -> é: +a
"""
DECODER = """\
model:
  kind: decoder
  length: 2 -> 3
semes: a b
lexicon:
  é: +a
  𝔸: +b
output:
  é: b
  𝔸: a
"""
COMMANDS = {
    "run": "run p.seme é",
    "run --json": "run p.seme é 𝔸 --json",
    "run -": "run p.seme -",
    "run --trace": "run p.seme é --trace a",
    "run --margins": "run p.seme é --margins",
    "run what is refused": "run p.seme ü",
    "run --file": "run p.seme --file é.txt",
    "run --stream": "run d.seme é --stream",
    "test": "test p.seme",
    "check": "check p.seme",
    "check --json": "check p.seme --json",
    "check what is wrong": "check wrong.seme",
    "fmt -": "fmt -",
    "fmt": "fmt --check p.seme",
    "compile": "compile p.seme -o out",
    "decompile": "decompile p.seme",
    "diff": "diff p.seme q.seme",
    "circuit": "circuit p.seme",
    "circuit --svg": "circuit p.seme --svg",
    "eval": "eval p.seme --data é.tsv",
    "pairs": "pairs p.seme é.jsonl",
    "patch": "patch p.seme é --set encoder=a:0",
    "train": "train run.toml",
    "adopt": "adopt weights.npz -o net",
    "solve": "solve net é",
    "answer": "answer net é é",
    "roles": "roles net --data é.tsv",
    "probe": "probe net --data é.tsv",
    "hadamard": "hadamard net -o other --data é.tsv",
    "export": "export p.seme -o page.html",
    "notebook": "notebook tour --only-copy",
    "lsp": "lsp",
    "data modules": "data modules",
    "data inspect": "data inspect nothing",
    "data sample": "data sample numbers__gcd",
    "cache": "cache clear",
    "nothing": "",
    "--help": "--help",
    "--version": "--version",
    "no such option": "run --nothing",
    "no such command": "é",
}
STREAMS = {
    "as usual": {},
    "stdin closed": {"stdin": "closed"},
    "stdout closed": {"stdout": "closed"},
    "stderr closed": {"stderr": "closed"},
    "all closed": {"stdin": "closed", "stdout": "closed", "stderr": "closed"},
    "both outputs in ASCII": {"stdin": "ascii", "stdout": "ascii", "stderr": "ascii"},
    "cp1252": {"stdout": "cp1252", "stderr": "cp1252"},
    "stdout full": {"stdout": "full"},
    "stderr full": {"stderr": "full"},
    "both full": {"stdout": "full", "stderr": "full"},
    "nobody reads stdout": {"stdout": "broken"},
    "nobody reads stderr": {"stderr": "broken"},
}


ALL = ("as usual", "all closed", "stdout full", "both outputs in ASCII")
"""What every command is tried with."""
WHOLLY = ("run", "run --json", "run -", "run --stream", "check", "eval", "circuit", "--help")
"""What is tried with every state of streams."""
TRIED = [
    (command, streams)
    for command in COMMANDS
    for streams in STREAMS
    if streams in ALL or command in WHOLLY
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    (folder / "p.seme").write_text(PROGRAM)
    (folder / "q.seme").write_text(PROGRAM.replace("𝔸", "B"))
    (folder / "wrong.seme").write_text("semes: é\nlexicon:\n  é: +ü\n")
    (folder / "d.seme").write_text(DECODER)
    (folder / "é.txt").write_text("é\n")
    (folder / "é.tsv").write_text("é\té: +a\t[/é]\n")
    cases = [{"argv": COMMANDS[one].split(), "streams": STREAMS[other]} for one, other in TRIED]
    env = {"PROGTF_CACHE": str(folder / "kept")}
    return dict(zip(TRIED, results_of(cases, cwd=folder, env=env), strict=True))


@pytest.mark.parametrize(("command", "streams"), TRIED)
def test_no_command_ends_in_a_traceback(command, streams, found):
    status, out, err = found[command, streams]
    assert "Traceback" not in out + err
    assert "Exception ignored" not in err
    assert status in (0, 1, 2, 3)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_said_is_no_success(command, found):
    says = found[command, "as usual"][1] != ""
    for streams in ("stdout closed", "stdout full", "nobody reads stdout"):
        if (command, streams) not in found:
            continue
        status, out, err = found[command, streams]
        assert out == ""
        if says:
            assert status, streams
            assert "error: " in err or streams == "nobody reads stdout"


@pytest.mark.parametrize("command", WHOLLY)
def test_who_hears_nothing_gets_the_same_on_stdout(command, found):
    usual = found[command, "as usual"]
    for streams in ("stderr closed", "stderr full", "nobody reads stderr"):
        assert found[command, streams][:2] == usual[:2]


def test_json_is_json_in_every_encoding(found):
    for streams in ("both outputs in ASCII", "cp1252"):
        lines = found["run --json", streams][1].splitlines()
        assert [json.loads(line)["input"] for line in lines] == ["é", "𝔸"]


def test_a_text_that_cannot_be_written_is_written_out(found):
    assert found["run", "both outputs in ASCII"][1] == "\\u00e9: +a\n"
    assert found["run", "cp1252"][1] == "é: +a\n"
    assert "𝔸\ud800é".encode("ascii", WRITTEN_OUT) == b"\\ud835\\udd38\\ud800\\u00e9"


@pytest.mark.parametrize(
    "text", ["\x1b[2J", "\x9b2J", "\x07", "\r", "\x08", "\u202e", "\u2066", "\u200f", "\u061c",
             "\u2028", "\u2029", "\x85", "\x7f", "\ud800", "\x00"]
)  # fmt: skip
def test_what_a_terminal_obeys_is_written_out(text):
    assert plain(f"a{text}b") == f"a\\u{ord(text[0]):04x}{text[1:]}b"
    assert plain("é 𝔸\n\t‍") == "é 𝔸\n\t‍"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_python_itself_starts_without_a_stream(closed, tmp_path):
    """As a shell closes them, and not as the forks of this file have it."""
    (tmp_path / "p.seme").write_text(PROGRAM)
    line = f'"{sys.executable}" -m progtf.cli.main run p.seme - {closed}'
    env = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, input=b"", capture_output=True, check=False, env=env
    )
    assert b"Traceback" not in done.stderr + done.stdout
    assert done.returncode in (0, 1)
