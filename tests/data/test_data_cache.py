import os
import signal
import struct
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.data import DataError, ModuleFile, build_cache, cache, open_cache, open_layout
from progtf.data.cache import BLOCK
from progtf.data.problem import Problem
from progtf.data.text import text_of

SIZES = (1, 255, 256, 257, 511, 512, 513, 2000)


def numbered(count):
    return [Problem(f"What is {n} + 1?", str(n + 1)) for n in range(count)]


def module_file(count, piece, module="numbers__gcd"):
    problems = numbered(count)
    pieces = [problems[begin : begin + piece] for begin in range(0, count, piece)]
    return ModuleFile("train-easy", module, module, lambda: iter(map(text_of, pieces)))


def read(opened):
    return {
        (source.split, source.module): [
            (text.question_length.tolist(), text.answer_length.tolist(), text.characters.tobytes())
            for block in range(source.blocks)
            for text in [opened.text(source, block)]
        ]
        for source in opened.sources
    }


@given(st.sampled_from(SIZES) | st.integers(1, 1500), st.integers(1, 700))
def test_what_is_put_in_comes_out(tmp_path_factory, count, piece):
    path = tmp_path_factory.mktemp("cache") / "x.cache"
    build_cache(path, [module_file(count, piece)])
    opened = open_cache(path)
    (blocks,) = read(opened).values()
    assert len(opened) == count
    assert [len(block[0]) for block in blocks[:-1]] == [BLOCK] * (len(blocks) - 1)
    text = b"".join(block[2] for block in blocks).decode()
    assert text == "".join(map("".join, numbered(count)))
    opened.check()


def test_every_module_is_there(math, math_cache):
    counted = {(s.split, s.module): s.problems for s in math_cache.sources}
    assert counted == {(file.split, file.module): 15 for file in open_layout(math)}
    assert len(math_cache) == 71 * 15


def test_the_order_of_the_files_changes_nothing(math, math_cache, tmp_path):
    build_cache(tmp_path / "x.cache", reversed(list(open_layout(math))))
    assert read(open_cache(tmp_path / "x.cache")) == read(math_cache)


def test_some_modules_can_be_chosen(math_cache):
    some = math_cache.of(["measurement", "numbers__gcd"])
    assert {source.module for source in some.sources} == {
        "measurement__conversion",
        "measurement__time",
        "numbers__gcd",
    }
    assert len(some) == 4 * 15
    with pytest.raises(DataError, match="no module is called `numbers__gdc`"):
        math_cache.of(["numbers__gdc"])


def test_memory_can_be_given_back_at_any_time(math_cache):
    before = read(math_cache)
    math_cache.forget()
    assert read(math_cache) == before


@pytest.fixture
def path(tmp_path):
    build_cache(tmp_path / "x.cache", [module_file(1000, 300)])
    return tmp_path / "x.cache"


@pytest.mark.parametrize("kept", [0, 1, 63, 64, 1000, -20, -1])
def test_a_cut_cache_is_an_error(path, kept):
    path.write_bytes(path.read_bytes()[:kept])
    expected = "not a progtf cache" if 0 <= kept < 64 else r"cut short or overlong: \d+ bytes of"
    with pytest.raises(DataError, match=expected) as caught:
        open_cache(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "build it again" in caught.value.help


def test_a_cache_that_has_grown_is_an_error(path):
    with path.open("ab") as file:
        file.write(b"x")
    with pytest.raises(DataError, match=r"cut short or overlong: \d+ bytes of"):
        open_cache(path)


def test_a_damaged_index_is_an_error(path):
    data = bytearray(path.read_bytes())
    data[-30] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="its index is damaged"):
        open_cache(path)


@pytest.mark.parametrize("place", [16, 24, 32, 40])
def test_a_damaged_header_is_an_error(path, place):
    data = bytearray(path.read_bytes())
    struct.pack_into("<Q", data, place, 2**63 + 12345)
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"cut short|index is damaged"):
        open_cache(path)


def test_a_damaged_block_is_found_by_a_check(path):
    data = bytearray(path.read_bytes())
    data[5000] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"bytes \d+ to \d+ are damaged"):
        open_cache(path).check()


@pytest.mark.parametrize("data", [b"", b"hello", b"x" * 1000, cache.MAGIC])
def test_another_file_is_not_a_cache(tmp_path, data):
    (tmp_path / "x.cache").write_bytes(data)
    with pytest.raises(DataError, match="not a progtf cache"):
        open_cache(tmp_path / "x.cache")
    with pytest.raises(DataError, match="no such cache"):
        open_cache(tmp_path / "y.cache")


def test_a_bad_line_leaves_no_cache(tmp_path):
    (tmp_path / "interpolate").mkdir()
    (tmp_path / "interpolate" / "numbers__gcd.txt").write_text("What?\n1\nWhy?\n")
    out = tmp_path / "out" / "x.cache"
    with pytest.raises(DataError, match=r"gcd\.txt:3: the last question has no answer"):
        build_cache(out, open_layout(tmp_path))
    assert list(out.parent.iterdir()) == []


SLOW = """
import sys, time
from pathlib import Path
from progtf.data import ModuleFile, Problem, build_cache
from progtf.data.text import text_of

def texts():
    while True:
        yield text_of([Problem("What is 1 + 1?", "2")] * 256)
        time.sleep(0.01)

build_cache(Path(sys.argv[1]), [ModuleFile("train-easy", "numbers__gcd", "x", texts)])
"""


@pytest.mark.parametrize("there_before", [False, True])
def test_a_killed_build_leaves_no_file_that_looks_finished(tmp_path, there_before):
    path = tmp_path / "x.cache"
    if there_before:
        build_cache(path, [module_file(300, 300)])
    build = subprocess.Popen([sys.executable, "-c", SLOW, str(path)])
    while not (parts := [p for p in tmp_path.glob("*.part") if p.stat().st_size > 10_000]):
        assert build.poll() is None
        time.sleep(0.02)
    os.kill(build.pid, signal.SIGKILL)
    build.wait()
    assert path.exists() == there_before
    with pytest.raises(DataError, match="not a progtf cache"):
        open_cache(parts[0])
    build_cache(path, [module_file(10, 10)])
    assert len(open_cache(path)) == 10
    assert [file.name for file in tmp_path.iterdir()] == ["x.cache"]


def test_the_index_is_small(math_cache, tmp_path):
    build_cache(tmp_path / "x.cache", [module_file(100_000, 100_000)])
    opened = open_cache(tmp_path / "x.cache")
    held = opened.offsets.nbytes + opened.checksums.nbytes
    assert held == 12 * -(-100_000 // BLOCK) + 8
    assert opened.offsets.dtype == np.uint64
