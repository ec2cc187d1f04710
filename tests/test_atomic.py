"""Files appear whole, over ordinary files alone."""

import ast
import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from progtf.atomic import locked, new_folder, opened, own_folder, part_of, replacing, write
from progtf.cli.main import app
from progtf.data.growing import GrowingFile
from progtf.training.evaluation import Scores
from progtf.training.log import METRICS, Log


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_there_stays_until_the_new_is_whole(tmp_path):
    path = tmp_path / "a.txt"
    write(path, "old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_an_error_leaves_what_was_there_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    write(path, "old")
    with pytest.raises(ZeroDivisionError), replacing(path) as file:
        file.write(b"new" if 1 // 0 else b"")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    path = tmp_path / "a.txt"
    with replacing(path) as one, replacing(path) as other:
        one.write(b"one" * 1000)
        other.write(b"other")
        assert one.name != other.name
    assert path.read_bytes() == b"one" * 1000
    assert names(tmp_path) == ["a.txt"]


def test_what_killed_writers_left_goes_and_what_is_being_written_stays(tmp_path):
    path = tmp_path / "a.txt"
    (tmp_path / "a.txt.00000000.part").write_text("left")
    (tmp_path / "a.txt.part").write_text("a file that is taken up again")
    with replacing(path) as slow:
        write(path, "quick")
        assert Path(slow.name).exists()
        slow.write(b"slow")
    assert path.read_text() == "slow"
    assert names(tmp_path) == ["a.txt", "a.txt.part"]


def test_permissions_stay_and_links_that_a_person_named(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link"
    write(path, "old")
    path.chmod(0o640)
    link.symlink_to("a.txt")
    write(link, "new", named=True)
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    (tmp_path / "dangling").symlink_to("b.txt")
    write(tmp_path / "dangling", "b", named=True)
    assert (tmp_path / "b.txt").read_text() == "b"


def pipe(path):
    os.mkfifo(path)


def local_socket(path):
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


def link_to_a_device(path):
    path.symlink_to("/dev/null")


@pytest.mark.parametrize("made", [pipe, local_socket, link_to_a_device, Path.mkdir])
def test_nothing_but_ordinary_files_is_written_over(tmp_path, made):
    path = tmp_path / "a"
    made(path)
    before = path.lstat().st_ino
    with pytest.raises(OSError, match=r"ordinary|folder") as told:
        write(path, "new", named=True)
    assert told.value.filename == path
    assert path.lstat().st_ino == before
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize(
    "command",
    [
        ["export", "examples/a_or_an.seme", "-o"],
        ["decompile", "examples/a_or_an.seme", "-o"],
        ["compile", "examples/a_or_an.seme", "-o"],
    ],
)
def test_no_command_replaces_a_device(command, tmp_path):
    path = tmp_path / "device"
    os.mkfifo(path)
    told = CliRunner().invoke(app, [*command, str(path)])
    assert told.exit_code == 1
    assert path.is_fifo()


def link_to_precious(path):
    path.symlink_to("../precious")


def link_to_nothing(path):
    path.symlink_to("../new")


def link_in_a_circle(path):
    path.symlink_to(path.name)


def link_to_a_pipe(path):
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def other_name_of_precious(path):
    os.link(path.parent.parent / "precious", path)


FOREIGN = [
    link_to_precious, link_to_nothing, link_in_a_circle, link_to_a_pipe, link_to_a_device, pipe,
    local_socket, Path.mkdir, other_name_of_precious,
]  # fmt: skip
"""What somebody may have put into a folder where a file of ours is due."""


def take_the_lock(folder):
    with locked(folder):
        pass


def append(folder):
    with opened(folder / "a", append=True) as file:
        file.write(b"more")


def grow(folder):
    with GrowingFile(folder / "a") as file:
        file.add([("1 + 1", "2")])


def grow_a_note(folder):
    with GrowingFile(folder / "b") as file:
        file.add([("1 + 1", "2")])
        file.save()


def log(folder):
    run = Log(folder, show=False)
    run.begin(0, 1)
    right = Scores({"interpolate": 1.0}, {})
    run.evaluated(1, 0.5, right, {})
    run.end(1, right, "done")


def remove_what_is_left(folder):
    write(folder / "a", "new")


OPENED = {
    ".lock": take_the_lock, "a": append, "a.part": grow, "b.progress": grow_a_note, METRICS: log,
    "final.json": log, "tensorboard": log, "a.01234567.part": remove_what_is_left,
}  # fmt: skip


@pytest.mark.parametrize("name", OPENED)
@pytest.mark.parametrize("made", FOREIGN)
def test_what_others_put_into_a_folder_is_neither_followed_nor_emptied(made, name, tmp_path):
    folder, precious = tmp_path / "given", tmp_path / "precious"
    folder.mkdir()
    precious.write_text("precious")
    made(folder / name)
    with suppress(OSError):
        OPENED[name](folder)
    assert precious.read_text() == "precious"
    assert names(tmp_path) == ["given", "precious"]


@pytest.mark.parametrize("made", FOREIGN)
@pytest.mark.parametrize("command", ["data make", "compile"])
def test_a_command_says_what_lies_where_it_writes(command, made, tmp_path, progtf):
    folder, precious = tmp_path / "given", tmp_path / "precious"
    folder.mkdir()
    precious.write_text("precious")
    if command == "data make":
        made(folder / ".lock")
        line = ["data", "make", "--out", folder, "-m", "numbers__gcd", "-s", "interpolate"]
        status, _, err = progtf(*line, "--count", 2)
        assert status == 1
        assert f"{folder}/.lock: " in err
    else:
        made(folder / "weights.safetensors")
        progtf("compile", "examples/a_or_an.seme", "-o", folder)
    assert precious.read_text() == "precious"
    assert names(tmp_path) == ["given", "precious"]


def test_a_lock_without_permission_is_told_by_its_name(tmp_path, monkeypatch):
    def refused(path, *_more):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", refused)  # root may open any
    with pytest.raises(PermissionError, match=r"\.lock"), locked(tmp_path):
        pass


def test_a_folder_in_a_folder_that_is_a_link_is_not_written_into(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "interpolate").symlink_to("elsewhere")
    with pytest.raises(OSError, match="a link lies where a folder is due"):
        own_folder(tmp_path / "interpolate")
    with pytest.raises(OSError, match="a link lies"), GrowingFile(tmp_path / "interpolate" / "a"):
        pass
    assert names(tmp_path / "elsewhere") == []


def test_what_is_opened_loses_nothing(tmp_path):
    path = part_of(tmp_path / "a")
    path.write_text("one")
    with opened(path) as file:
        assert file.read() == b"one"
    with opened(path, append=True) as file:
        file.seek(0)
        file.write(b"two")
    assert path.read_text() == "onetwo"


WRITE = {"write_text", "write_bytes", "savefig", "print_png", "save_file", "copyfile", "copy2"}


def opened_to_write(call):
    """Whether a call is `path.open("w")` or the like."""
    is_open = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
    first = call.args[0] if is_open and call.args else None
    mode = first.value if isinstance(first, ast.Constant) else ""
    return isinstance(mode, str) and not {"w", "a", "x", "+"}.isdisjoint(mode) and len(mode) < 4


def test_all_that_is_written_goes_one_way():
    """What writes otherwise is listed here, with the reason."""
    otherwise = {
        "atomic.py",  # the way itself
        "data/growing.py",  # a file that grows for hours and is taken up again
        "training/checkpoint.py",  # files of a folder that is renamed as a whole
        "training/networks.py",  # one of them
        "training/outside.py",  # another one
        "training/log.py",  # a line at a time
        "views/site.py",  # what Node.js is handed, in a temporary folder
    }
    root = Path("progtf")
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (node.func.attr in WRITE or opened_to_write(node))
    }
    assert found - otherwise == {"analysis/chart.py", "training/report.py"}  # into an open file


def made(goal, name, between=lambda: None):
    """Makes a folder with one file, and does something else before it is done."""
    with new_folder(goal) as part:
        (part / name).write_text(name)
        assert not goal.exists()
        between()


def test_a_new_folder_is_there_whole_or_not_at_all(tmp_path):
    goal = tmp_path / "deep" / "goal"
    with pytest.raises(ZeroDivisionError):
        made(goal, "half", lambda: 1 / 0)
    assert list(goal.parent.iterdir()) == []
    made(goal, "whole")
    assert (goal / "whole").read_text() == "whole"


def test_of_two_that_make_one_folder_one_is_refused(tmp_path):
    goal = tmp_path / "goal"
    with pytest.raises(FileExistsError, match="something is there"):
        made(goal, "slow", lambda: made(goal, "quick"))
    assert [path.name for path in goal.iterdir()] == ["quick"]
    assert [path.name for path in tmp_path.iterdir()] == ["goal"]
