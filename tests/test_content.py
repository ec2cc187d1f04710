"""What is found of files is kept until they change."""

import os

import pytest

from progtf import content
from progtf.content import digest_of, digest_once, once_a_file


@pytest.fixture
def reads():
    """Which files were read, and what reads them."""
    read = []

    @once_a_file(2)
    def text(path):
        read.append(path.name)
        return path.read_text()

    return read, text


def write(path, text, second):
    """Writes a file as if at some second: the system's clock may stand still between two."""
    path.write_text(text)
    os.utime(path, (second, second))


@pytest.fixture(autouse=True)
def long_ago(monkeypatch):
    """The time at which the file system made a file cannot be set: the clock goes ahead."""
    now = content.time.time
    monkeypatch.setattr(content.time, "time", lambda: now() + 50)


def test_a_file_is_read_once(tmp_path, reads):
    read, text = reads
    (tmp_path / "a").write_text("1")
    assert [text(tmp_path / "a") for _ in range(3)] == ["1"] * 3
    assert read == ["a"]


def test_a_file_is_read_again_when_its_text_its_size_or_its_time_is_another(tmp_path, reads):
    read, text = reads
    path, other = tmp_path / "a", tmp_path / "b"
    write(path, "1", 100)
    assert text(path) == "1"
    write(path, "12", 100)
    assert text(path) == "12"
    write(path, "21", 101)
    assert text(path) == "21"
    write(other, "77", 101)
    other.replace(path)  # as large, and as old
    assert text(path) == "77"
    assert read == ["a"] * 4


def test_a_file_that_changed_a_moment_ago_is_read_every_time(tmp_path, reads, monkeypatch):
    monkeypatch.undo()
    read, text = reads
    (tmp_path / "a").write_text("1")
    assert text(tmp_path / "a") == text(tmp_path / "a") == "1"
    assert read == ["a", "a"]


def test_no_more_than_so_many_files_are_kept(tmp_path, reads):
    read, text = reads
    for name in "abca":
        (tmp_path / name).write_text(name)
        assert text(tmp_path / name) == name
    assert read == ["a", "b", "c", "a"]


def test_what_cannot_be_read_says_so_every_time(tmp_path, reads):
    read, text = reads
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            text(tmp_path / "none")
    assert read == ["none", "none"]


def test_a_digest_is_that_of_what_the_file_holds_now(tmp_path):
    path = tmp_path / "a"
    assert digest_once(path) == digest_of(path) == ""
    digests = set()
    for second, text in enumerate(("1", "2", "22")):
        write(path, text, second)
        assert digest_once(path) == digest_of(path) == digest_once(path)
        digests.add(digest_of(path))
    assert len(digests) == 3
