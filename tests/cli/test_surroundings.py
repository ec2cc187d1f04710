"""Numbers in the environment have ranges."""

import os
import subprocess
import sys

import pytest

from progtf.cli.surroundings import wrong_number

RIGHT = [
    ("COLUMNS", "80"), ("COLUMNS", "0"), ("COLUMNS", ""), ("COLUMNS", "abc"), ("COLUMNS", "-1"),
    ("COLUMNS", "10000"), ("LINES", "24"), ("OMP_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "1024"),
    ("OMP_NUM_THREADS", "4,2"), ("OMP_NUM_THREADS", " 8 "), ("OMP_NUM_THREADS", ""),
]  # fmt: skip
WRONG = [
    ("COLUMNS", "10001"), ("COLUMNS", "1" + "0" * 11), ("COLUMNS", "9" * 5000), ("LINES", "99999"),
    ("OMP_NUM_THREADS", "0"), ("OMP_NUM_THREADS", "-3"), ("OMP_NUM_THREADS", "abc"),
    ("OMP_NUM_THREADS", "1025"), ("OMP_NUM_THREADS", "1" + "0" * 23), ("OMP_NUM_THREADS", "1.5"),
    ("OMP_NUM_THREADS", "4,"), ("OMP_NUM_THREADS", "4,x"), ("OMP_NUM_THREADS", "9" * 5000),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), RIGHT)
def test_a_number_in_its_range_is_taken(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert not wrong_number()


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_number_out_of_its_range_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert wrong_number().startswith(f"{name} is `{value[:40]}` in the environment; expected ")


def test_no_command_starts_with_one():
    command = [sys.executable, "-m", "progtf.cli.main", "--help"]
    environment = {**os.environ, "COLUMNS": "1" + "0" * 11}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("error: COLUMNS is `100000000000` in the environment")
