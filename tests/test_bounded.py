"""What people name is read if it is an ordinary file, and never beyond a bound: else it is told."""

import io
import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import progtf
from progtf import bounded
from progtf.bounded import is_other, read_bytes
from progtf.cache import Cache
from progtf.cli.chapter import chapter
from progtf.cli.messages import UserError
from progtf.cli.problems import read_problems
from progtf.cli.streams import read_stdin
from progtf.cli.task import read_task
from progtf.cli.texts import read_bytes as read_program
from progtf.cli.texts import read_text as program_text
from progtf.data import DataError, open_layout
from progtf.data.growing import Progress, saved_progress
from progtf.data.recipes import RecipeBook
from progtf.nn.bert import load_bert
from progtf.nn.published_file import read_tensors
from progtf.notation.files import as_text
from progtf.notation.render import SemeError
from progtf.training.adopt import adopt_published, read_characters
from progtf.training.checkpoint import read_progress
from progtf.training.config import RunError, read_run
from progtf.training.folders import reads_lowered, steps_of
from progtf.training.networks import load_network
from progtf.training.reading import vectors_in
from progtf.training.word_roles import read_tags
from progtf.weights.folder import FolderError, load_weights

HUGE = 3 * 2**30


def deep(path):
    path.write_text("[" * 50_000)


def sparse(path):
    """Three gigabytes that need no room."""
    with path.open("wb") as file:
        file.truncate(HUGE)


def one_line(path):
    with path.open("wb") as file:
        file.write(b"a ")
        file.truncate(HUGE)


def zeros(path):
    path.symlink_to("/dev/zero")


def no_utf8(path):
    path.write_bytes(b"\xff\x80" * 99)


WRONG = {
    "a pipe": os.mkfifo, "no end": zeros, "three gigabytes": sparse, "a folder": Path.mkdir,
    "one line": one_line, "nested": deep, "no text": no_utf8, "a device": lambda path:
    path.symlink_to("/dev/null"), "a link to nothing": lambda path: path.symlink_to("nowhere"),
}  # fmt: skip


def uses(text):
    def read(path):
        program = path.with_name("program.seme")
        program.write_text(text.format(path.name))
        progtf.load(program)

    return read


def figure(path):
    page = path.with_name("page.md")
    page.write_text(f"# a\n\n```figure\nrecorded: {path.name}\n```\n")
    chapter(page, "")


def adopted(path):
    (other := path.with_name("other.txt")).write_text("abc")
    adopt_published(path, other, path.with_name("out"))


READERS = {
    "a program": ("a.seme", progtf.load),
    "a program of the command line": (
        "a.seme", lambda path: progtf.parse_program(program_text(path), str(path))
    ),
    "its bytes": (
        "a.seme",
        lambda path: progtf.parse_program(as_text(read_program(path), str(path)), str(path)),
    ),
    "a file that a program uses": ("a.seme", uses('use "{}"\nsemes: a\n')),
    "a table of a lexicon": ("a.tsv", uses('semes: a\nlexicon from "{}":\n  word: +a\n')),
    "a run": ("a.toml", read_run),
    "a chapter": ("a.md", lambda path: chapter(path, "")),
    "a figure of one": ("a.json", figure),
    "a task": ("a.toml", read_task),
    "questions": ("a.txt", lambda path: read_problems(path, None)),
    "pairs": ("a.tsv", lambda path: read_problems(path, None)),
    "word vectors": ("a.txt", lambda path: vectors_in(path, {"word"})),
    "published weights": ("a.pt", read_tensors),
    "adopted weights": ("a.pt", adopted),
    "characters": ("a.json", read_characters),
    "tags": ("a.jsonl", read_tags),
    "a compiled model": ("weights.safetensors", lambda path: load_weights(path.parent)),
    "a network": ("model.json", lambda path: load_network(path.parent)),
    "a checkpoint": ("trainer.json", lambda path: read_progress(path.parent)),
    "a bert": ("config.json", lambda path: load_bert(path.parent)),
    "its weights": ("model.safetensors", lambda path: load_bert(path.parent)),
    "recipes": ("made.json", lambda path: RecipeBook(path.parent)),
    "an archive": ("a.tar", lambda path: list(open_layout(path))),
}  # fmt: skip
TOLD = (SemeError, UserError, RunError, DataError, FolderError, OSError, ValueError)
FINE = {
    ("recipes", "a pipe"), ("recipes", "no end"), ("recipes", "a folder"),
    ("recipes", "a device"), ("recipes", "a link to nothing"),  # no file: nothing is noted
    ("a table of a lexicon", "nested"), ("a chapter", "nested"),  # a word, and a paragraph
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.timeout(60)
def test_what_cannot_be_read_is_told_at_once(tmp_path, monkeypatch, reader, wrong):
    """Whoever waits for a pipe, or reads on without end, comes to no end here."""
    monkeypatch.setattr("progtf.texts.LONGEST", 2**16)
    name, read = READERS[reader]
    WRONG[wrong](tmp_path / name)
    if (reader, wrong) in FINE:
        read(tmp_path / name)
        return
    with pytest.raises(TOLD) as told:
        read(tmp_path / name)
    assert len(str(told.value)) < 2000
    assert tmp_path.name in str(told.value) or name in str(told.value)


@pytest.mark.parametrize("name", ["SHA256SUMS", "model.json", "trainer.json"])
@pytest.mark.parametrize("wrong", WRONG)
def test_folders_are_told_apart_without_waiting(tmp_path, name, wrong):
    WRONG[wrong](tmp_path / name)
    assert steps_of(tmp_path) is None
    assert not reads_lowered(tmp_path)


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_kept_and_cannot_be_read_is_as_good_as_none(tmp_path, wrong):
    WRONG[wrong](tmp_path / f"{'0' * 64}.kept")
    assert Cache(tmp_path).read("0" * 64) is None
    (tmp_path / "a.txt.part").write_text("")
    WRONG[wrong](tmp_path / "a.txt.progress")
    assert saved_progress(tmp_path / "a.txt") == Progress()


def test_a_file_is_read_up_to_its_bound(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    for most in (3, 4, 2**40):
        assert read_bytes(tmp_path / "a", most) == b"abc"
    for most in (0, 1, 2):
        with pytest.raises(OSError, match=f"the file has more than {most} bytes"):
            read_bytes(tmp_path / "a", most)
    (tmp_path / "link").symlink_to("a")
    assert read_bytes(tmp_path / "link") == b"abc"
    assert read_bytes(Path("/proc/self/status"))  # its size is said to be 0
    with pytest.raises(OSError, match="more than 9 bytes"):
        read_bytes(Path("/proc/self/status"), 9)


@contextmanager
def socket_at(path):
    import socket  # noqa: PLC0415

    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))
        yield


def test_what_is_no_ordinary_file_is_called_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's name is short
    os.mkfifo("pipe")
    Path("file").write_text("")
    with socket_at(Path("socket")):
        for name, due in (("pipe", 1), ("socket", 1), ("/dev/null", 1), ("file", 0), (".", 0),
                          ("none", 0), ("a\0b", 0)):  # fmt: skip
            assert is_other(Path(name)) == bool(due)


@pytest.mark.parametrize("end", ["seme", "tsv", "csv"])
@pytest.mark.parametrize("make", [os.mkfifo, zeros, Path.mkdir], ids=["pipe", "no end", "folder"])
def test_no_other_file_is_meant_where_there_is_a_pipe_or_a_folder(tmp_path, end, make):
    make(tmp_path / f"t.{end}")
    (tmp_path / f"u.{end}").write_text("")
    line = f'use "t.{end}"\n' if end == "seme" else f'lexicon from "t.{end}":\n  w: +a\n'
    (tmp_path / "p.seme").write_text(f"semes: a\n{line}")
    with pytest.raises(SemeError) as told:
        progtf.load(tmp_path / "p.seme")
    why = {
        os.mkfifo: "it is no ordinary file, and not read", Path.mkdir: "it is a folder",
    }.get(make, "below the program's")  # fmt: skip
    assert why in str(told.value)
    assert "did you mean" not in str(told.value)
    other = "is a folder" if make is Path.mkdir else "is no ordinary file: it is not read"
    with pytest.raises(UserError, match=rf"t\.{end} {other}"):
        program_text(tmp_path / f"t.{end}")


OPENING = ["(", "[", "{", "<", "((a", "not (", "-(", "abs(", "if (", '"{']
PLACES = [
    "semes: a\nlet x = {}\n", "semes: {}\n", "semes: a\nlexicon:\n  b: {}\n", "{}\n",
    "semes: a\nlayer:\n  feedforward:\n    a: {}\n", 'semes: a\nlexicon:\n  "b": +a * {}\n',
]  # fmt: skip


@pytest.mark.parametrize("opening", OPENING)
@pytest.mark.parametrize("where", PLACES)
def test_brackets_without_end_are_told(opening, where):
    with pytest.raises(SemeError):
        progtf.parse_program(where.replace("{}", opening * 30_000))


@pytest.mark.parametrize("depth", [100, 1000, 20_000])
def test_blocks_in_blocks_without_end_are_told(depth):
    text = "".join(f"{' ' * n}layer:\n" for n in range(min(2000, depth)))
    with pytest.raises(SemeError):
        progtf.parse_program(text)


def test_stdin_has_a_bound(monkeypatch):
    monkeypatch.setattr("progtf.cli.streams.SETTINGS", 10)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"semes: a\nb\n")))
    with pytest.raises(UserError, match="stdin has more than 10 bytes"):
        read_stdin()


def test_sizes_that_a_file_of_weights_only_says_are_not_read(tmp_path):
    """A header that tells of three gigabytes which are there, and are no weights."""
    said = {"a": {"dtype": "F32", "shape": [HUGE // 4], "data_offsets": [0, HUGE]}}
    header = json.dumps(said).encode()
    path = tmp_path / "weights.safetensors"
    for size in (HUGE - 1, HUGE + 1, 10):
        with path.open("wb") as file:
            file.write(len(header).to_bytes(8, "little") + header)
            file.truncate(8 + len(header) + size)
        with pytest.raises(FolderError, match="damaged"):
            load_weights(tmp_path)
    save_file({"a": np.zeros(3, np.float32)}, path)
    with pytest.raises(FolderError, match="no compiled model here"):
        load_weights(tmp_path)


def test_the_bound_of_a_program_is_that_of_settings(tmp_path, monkeypatch):
    assert bounded.SETTINGS == 64 * 2**20
    sparse(tmp_path / "a.seme")
    with pytest.raises(OSError, match="the file has more than 67,108,864 bytes"):
        progtf.load(tmp_path / "a.seme")
