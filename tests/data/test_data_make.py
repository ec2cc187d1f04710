import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

import pytest

from progtf.data import DataError, Order, Problem, generate, make, open_layout
from progtf.data.growing import GrowingFile, is_finished
from progtf.data.make import PATIENCE, _fill
from progtf.data.recipes import sole_maker

MODULES = ("numbers__gcd", "numbers__place_value", "arithmetic__mul")
SPLITS = ("interpolate", "train-easy", "train-hard")
ORDER = {"splits": SPLITS, "modules": MODULES, "count": 100, "seed": 4}


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("made")
    make(Order(out, **ORDER), cores=1)
    return out


def test_every_file_has_as_many_problems_as_asked_for(made):
    counts = {(f.split, f.module): len(list(f.problems())) for f in open_layout(made)}
    assert counts == {(split, module): 100 for split in SPLITS for module in MODULES}


def test_the_number_of_cores_changes_no_byte(made, tmp_path):
    make(Order(tmp_path, **ORDER), cores=2)
    assert contents(tmp_path) == contents(made)


def test_more_questions_begin_with_the_fewer(made, tmp_path):
    order = Order(tmp_path, ("interpolate",), ("numbers__gcd",), count=150, seed=4)
    make(order, cores=1)
    name = "interpolate/numbers__gcd.txt"
    assert (tmp_path / name).read_bytes().startswith((made / name).read_bytes())


def test_no_question_comes_twice_in_a_module(tmp_path):
    module = "numbers__base_conversion"
    drawn = [p.question for chunk in range(20) for p in generate("train-easy", module, 0, chunk)]
    assert len(set(drawn)) < len(drawn)
    make(Order(tmp_path, SPLITS, (module,), count=len(drawn)), cores=2)
    questions = [p.question for file in open_layout(tmp_path) for p in file.problems()]
    assert len(questions) == len(set(questions)) == 3 * len(drawn)


def test_excluded_questions_do_not_occur(made, tmp_path):
    order = Order(tmp_path, ("interpolate",), ("numbers__gcd",), 100, 4, exclude=(made,))
    make(order, cores=1)
    kept = {p.question for f in open_layout(tmp_path) for p in f.problems()}
    excluded = {p.question for f in open_layout(made) for p in f.problems()}
    assert len(kept) == 100
    assert not kept & excluded


def test_a_second_run_does_nothing(made):
    before = {path: path.stat().st_mtime_ns for path in made.rglob("*.txt")}
    told = []
    make(Order(made, **ORDER), cores=1, report=lambda _, more: told.append(more))
    assert {path: path.stat().st_mtime_ns for path in made.rglob("*.txt")} == before
    assert sum(told) == 900


def test_a_module_that_has_no_more_questions_gives_fewer(tmp_path):
    path = tmp_path / "interpolate" / "numbers__gcd.txt"
    told = []
    with GrowingFile(path) as file:
        chunk = [Problem("What?", "1"), Problem("Why?", "2"), Problem("What?", "1")]
        _fill(file, 10, repeat(chunk), set(), lambda _, more: told.append(more))
        assert file.progress.chunk == PATIENCE + 1
    assert path.read_text() == "What?\n1\nWhy?\n2\n"
    assert sum(told) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 5}, "already made with seed 4, not 5"),
        ({"count": 200}, "already made with count 100, not 200"),
    ],
)
def test_another_order_does_not_overwrite(made, change, message):
    before = contents(made)
    with pytest.raises(DataError, match=message):
        make(Order(made, **(ORDER | change)), cores=1)
    assert contents(made) == before


def test_other_exclusions_do_not_pass_unnoticed(made, math):
    with pytest.raises(DataError, match="other questions excluded"):
        make(Order(made, **ORDER, exclude=(math,)), cores=1)


def test_files_of_another_origin_are_left_alone(tmp_path):
    path = tmp_path / "interpolate" / "numbers__gcd.txt"
    path.parent.mkdir()
    path.write_text("mine\n1\n")
    with pytest.raises(DataError, match="not made by"):
        make(Order(tmp_path, **ORDER), cores=1)
    assert path.read_text() == "mine\n1\n"


@pytest.mark.parametrize("text", ["", "[1]", '{"a": 1}', '{"a": {"b": 1}}', "{"])
def test_a_spoilt_recipe_book_is_an_error(tmp_path, text):
    (tmp_path / "made.json").write_text(text)
    with pytest.raises(DataError, match=r"made\.json: cannot be read"):
        make(Order(tmp_path, **ORDER), cores=1)


def test_two_builds_do_not_share_a_folder(tmp_path):
    with sole_maker(tmp_path), pytest.raises(DataError, match=r"another .* is at work here"):
        make(Order(tmp_path, **ORDER), cores=1)


def test_a_build_may_wait_for_another(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        with sole_maker(tmp_path):
            second = pool.submit(make, Order(tmp_path, **ORDER), 1, wait=True)
            with pytest.raises(TimeoutError):
                second.result(timeout=0.3)
            assert not list(tmp_path.glob("*/*.txt"))
        assert all(file.path.exists() for file in second.result(timeout=300))


def test_an_archive_cannot_be_excluded(tmp_path):
    archive = tmp_path / "math.tar.gz"
    archive.touch()
    with pytest.raises(DataError, match="not a folder"):
        make(Order(tmp_path / "out", **ORDER, exclude=(archive,)), cores=1)


KILLED = ("interpolate", "train-easy"), ("numbers__gcd",)


def _start(out):
    splits, modules = KILLED
    command = "from progtf.cli.data import app; app()"
    options = f"make --out {out} -s {','.join(splits)} -m {','.join(modules)} --count 1500"
    return subprocess.Popen(
        [sys.executable, "-c", command, *options.split()],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _children(pid):
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return listed.read_text().split() if listed.exists() else []


def _until(condition, seconds=300):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_killed_build_goes_on_to_the_same_bytes(tmp_path):
    out, whole = tmp_path / "out", tmp_path / "whole"
    make(Order(whole, *KILLED, count=1500), cores=2)
    for condition in (lambda: list(out.rglob("*.part")), lambda: list(out.rglob("*.txt"))):
        build = _start(out)
        _until(condition)
        children = _children(build.pid)
        os.kill(build.pid, signal.SIGKILL)
        build.communicate()
        _until(lambda: not any(Path(f"/proc/{child}/exe").exists() for child in children))  # noqa: B023
        assert len(list(out.rglob("*.txt"))) < 2
        for path in out.rglob("*.txt"):
            assert path.read_bytes() == (whole / path.relative_to(out)).read_bytes()
    build = _start(out)
    _, message = build.communicate()
    assert build.returncode == 0, message.decode()
    assert contents(out) == contents(whole)


def test_a_kill_behind_the_last_byte_leaves_nothing_over(tmp_path, monkeypatch):
    path = tmp_path / "interpolate" / "numbers__gcd.txt"
    with GrowingFile(path) as file:
        file.add([Problem("What?", "1")])
        file.save()
        monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
    monkeypatch.undo()
    assert is_finished(path)
    assert [p.name for p in path.parent.iterdir()] == ["numbers__gcd.txt"]


def test_an_interrupted_file_is_taken_up_where_it_was(tmp_path):
    path = tmp_path / "interpolate" / "numbers__gcd.txt"
    file = GrowingFile(path)
    file.add([Problem("What?", "1")])
    file.__exit__(KeyboardInterrupt)
    assert not path.exists()
    with path.with_name("numbers__gcd.txt.part").open("ab") as half_written:
        half_written.write(b"What is 1 +")
    assert json.loads(path.with_name("numbers__gcd.txt.progress").read_bytes())["problems"] == 1
    with GrowingFile(path) as file:
        assert file.questions() == ["What?"]
        file.add([Problem("Why?", "2")])
    assert path.read_text() == "What?\n1\nWhy?\n2\n"
    assert [p.name for p in path.parent.iterdir()] == ["numbers__gcd.txt"]
