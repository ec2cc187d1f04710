"""``scripts/same``: what two states make of programs is told apart, to a bit, a name and a word."""

import importlib.util
import shutil
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan, nextafter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from scripts.same.__main__ import drawn

ROOT = Path(__file__).parents[1]


@pytest.fixture
def written(monkeypatch):
    monkeypatch.setenv("PROGTF_CACHE", "/no/such/place")
    spec = importlib.util.spec_from_file_location("record", ROOT / "scripts/same/record.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.written


@dataclass(frozen=True)
class Pair:
    one: Any
    other: Any = None


VALUES = [
    0, 1, 2**60, True, None, 1.0, 0.0, -0.0, inf, nan, nextafter(1.0, 2), 0.1, "1", "", b"1",
    Fraction(1, 3), 1 / 3, (), (1,), [1], (1, 2), (2, 1), {"a": 1}, {"b": 1}, {"a": 2},
    {"a": 1, "b": 2}, {"b": 2, "a": 1}, frozenset({1}), Pair(1), Pair(1, 2), Pair(2), Pair(Pair(1)),
    Pair((1,)), Path("a"), "a" * 300, "a" * 301, Pair("b" * 300), ("b" * 300,),
    np.zeros(3), np.zeros(4), np.zeros((1, 3)), np.zeros(3, np.float32), np.array([0.0, -0.0, 0.0]),
    np.ones(100), np.array([*np.ones(99), nextafter(1.0, 2)]),
    torch.zeros(2), torch.zeros(2, dtype=torch.bfloat16), torch.tensor([0.0, -0.0]),
    torch.ones(100), torch.nextafter(torch.ones(100), torch.zeros(100)),
]  # fmt: skip


def test_what_is_not_the_same_is_not_written_alike(written):
    texts = [written(value) for value in VALUES]
    twice = [VALUES[n] for n, text in enumerate(texts) if text in texts[:n]]
    assert twice == []


def test_what_is_the_same_is_written_alike_wherever_its_parts_lie(written):
    def made():
        long = Pair("x" * 200, (1, 2))
        return Pair(long, long)

    apart = Pair(Pair("x" * 200, (1, 2)), Pair("x" * 200, (1, 2)))
    assert written(made()) == written(made()) == written(apart)
    assert len(written(apart).splitlines()) == 2


def same(before, *arguments):
    run = subprocess.run(
        [sys.executable, "-m", "scripts.same", str(before), *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return run.returncode, run.stdout, run.stderr


@pytest.fixture
def planted(tmp_path):
    """A checkout beside this one in which one text of one file is another."""

    def made(file, old, new):
        passed_over = shutil.ignore_patterns("__pycache__")
        for folder in ("progtf", "grammar"):
            shutil.copytree(ROOT / folder, tmp_path / folder, ignore=passed_over)
        text = (tmp_path / file).read_text("utf-8")
        assert text.count(old) == 1
        (tmp_path / file).write_text(text.replace(old, new), "utf-8")
        return tmp_path

    return made


PLANTED = {
    "a word": (
        "progtf/notation/messages.py", '"unexpected-block",', '"unexpected-blocks",',
        "check: tests/golden/rejected/indentation", ["unexpected-blocks"],
    ),
    "a bit": (
        "progtf/weights/heads.py", "{(BIAS, 0): head.sharpness}",
        "{(BIAS, 0): head.sharpness * (1 + 2**-23)}",
        "weights: examples/a_or_an", ["0x1.0000020000000p+9", "0x1.0000000000000p+9"],
    ),
    "a name": (
        "progtf/weights/heads.py", '("sharpness", "below", *names)', '("sharp", "below", *names)',
        "weights: examples/a_or_an", ["'sharp'", "'sharpness'"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", PLANTED)
def test_one_change_is_found(planted, kind):
    file, old, new, wanted, shown = PLANTED[kind]
    status, told, errors = same(planted(file, old, new), "--quick", wanted)
    assert status == 1, errors
    assert all(each in told for each in shown)


DRAWN = {
    "a word of a message": (
        "progtf/notation/messages.py",
        "begins in column {0}, the lines", "begins at {0}, the lines",
        ["label='begins at ", "\nrandom text "],
    ),
    "a bit of a program": (
        "progtf/program/forms.py", "return 2.0 ** math.ceil(math.log2(value))",
        "return 2.0 ** math.ceil(math.log2(value)) * (1 + 2**-52)",
        ["sharpness=0x1.0000000000001p", "sharpness=0x1.0000000000000p"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", DRAWN)
def test_one_change_is_found_by_random_programs(planted, kind):
    file, old, new, shown = DRAWN[kind]
    before = planted(file, old, new)
    status, told, errors = same(before, "random:", "--random", "80", "--seed", "3")
    assert status == 1, errors
    assert all(each in told for each in shown), told


def test_random_programs_are_the_same_for_the_same_seed_and_a_state_is_the_same_as_itself():
    for seed in ("1", "2"):
        status, told, errors = same(ROOT, "random:", "--random", "20", "--seed", seed)
        assert (status, told) == (0, "22 compared, 0 differ\n"), errors
    some, again, others = ([*drawn(50, seed)] for seed in (1, 1, 2))
    assert some == again
    assert len({*some} | {*others}) > 100


def test_a_state_is_the_same_as_itself():
    status, told, errors = same(ROOT, "--quick", "examples/a_or_an", "rejected/alias")
    assert (status, told) == (0, f"{told.split()[0]} compared, 0 differ\n"), errors
    assert int(told.split()[0]) > 4


def test_a_tag_that_there_is_not_is_told():
    status, told, errors = same("no-such-tag")
    assert (status, told) == (1, "")
    assert errors.startswith("error: ")


def test_a_folder_that_is_no_checkout_is_told_and_not_another_one_taken(tmp_path):
    status, told, errors = same(ROOT, "--after", str(tmp_path), "--quick", "rejected/alias")
    assert (status, told) == (2, "")
    assert errors.rstrip().endswith(f"{tmp_path} is no checkout of progtf")
