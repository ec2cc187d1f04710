"""What is kept on disk is what was written there, or nothing."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from progtf import cache
from progtf.cache import Cache

ONE, OTHER, THIRD = (sha256(name).hexdigest() for name in (b"one", b"other", b"third"))


@pytest.fixture
def kept(tmp_path):
    return Cache(tmp_path / "deep" / "kept")


def files(kept):
    return sorted(kept.folder.iterdir())


def test_what_was_written_is_read_under_its_own_key(kept):
    kept.write(ONE, b"content")
    assert (kept.read(ONE), kept.read(OTHER)) == (b"content", None)
    kept.write(ONE, b"")
    assert kept.read(ONE) == b""


@pytest.mark.parametrize(
    "spoil",
    [
        lambda held: held[:-1],
        lambda held: held[:10],
        lambda _: b"",
        lambda held: held + b"more",
        lambda held: bytes([held[0] ^ 1]) + held[1:],
        lambda _: b'{"verdict": "exact"}',
    ],
)
def test_a_truncated_or_foreign_entry_is_none_and_is_written_anew(kept, spoil):
    kept.write(ONE, b"content")
    (file,) = files(kept)
    file.write_bytes(spoil(file.read_bytes()))
    assert kept.read(ONE) is None
    kept.write(ONE, b"content")
    assert kept.read(ONE) == b"content"


def test_an_entry_under_another_name_is_none(kept):
    kept.write(ONE, b"content")
    (file,) = files(kept)
    file.rename(file.with_name(file.name.replace(ONE, OTHER)))
    assert kept.read(OTHER) is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path):
    (tmp_path / "file").write_text("no folder")
    for kept in (Cache(None), Cache(tmp_path / "file"), Cache(tmp_path / "file" / "below")):
        kept.write(ONE, b"content")
        assert kept.read(ONE) is None
        assert kept.clear() == (0, 0, 0)


def test_who_has_no_home_keeps_nothing(monkeypatch):
    monkeypatch.delenv(cache.FOLDER)
    monkeypatch.setattr(cache, "user_cache_path", lambda *_, **__: Path("~/.cache/progtf"))
    assert Cache.of_user().folder is None


def test_the_environment_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv(cache.FOLDER, str(tmp_path))
    assert Cache.of_user().folder == tmp_path
    monkeypatch.setenv(cache.FOLDER, "")
    assert Cache.of_user().folder is None


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    kept = Cache(tmp_path, most=250)
    for age, key in ((30, ONE), (20, OTHER)):
        before = {*tmp_path.iterdir()}
        kept.write(key, b"." * 80)
        (file,) = {*tmp_path.iterdir()} - before
        os.utime(file, (0, file.stat().st_mtime - age))
    assert kept.read(ONE)  # used just now
    kept.write(THIRD, b"." * 80)
    assert [kept.read(key) is not None for key in (ONE, OTHER, THIRD)] == [True, False, True]


def test_clearing_removes_entries_and_nothing_else(tmp_path):
    kept = Cache(tmp_path)
    kept.write(ONE, b"content")
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / f"{OTHER}.kept.part").write_text("left by a killed process")
    count, size, left = kept.clear()
    assert (count, size > len(b"content"), left) == (2, True, 0)
    assert [path.name for path in files(kept)] == ["notes.txt"]


WRITER = """
import sys
from pathlib import Path
from progtf.cache import Cache
kept = Cache(Path(sys.argv[1]), most=40_000)
for number in range(60):
    key = f"{number % 7:064x}"
    held = kept.read(key)
    assert held in (None, key.encode() * 100), held
    kept.write(key, key.encode() * 100)
"""


def test_several_processes_share_a_folder(tmp_path):
    started = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    assert [process.communicate()[1] for process in started] == [b""] * 4
    assert sum(path.stat().st_size for path in tmp_path.glob("*.kept")) <= 40_000


@pytest.mark.parametrize(
    ("named", "meant"),
    [("~", "."), ("~/kept", "kept"), ("~/a/../b", "a/../b")],
)
def test_a_home_that_no_shell_has_put_in_is_meant_all_the_same(tmp_path, monkeypatch, named, meant):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(cache.FOLDER, named)
    assert Cache.of_user().folder == tmp_path / meant
    monkeypatch.setenv(cache.FOLDER, "~nobody-of-that-name/kept")
    assert Cache.of_user().folder == Path("~nobody-of-that-name/kept").absolute()
