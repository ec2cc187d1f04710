"""`make demo` shows what it says it shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

from scripts import demo

ROOT = Path(__file__).parents[2]


def test_the_demo_prints_each_command_before_what_it_answers(tmp_path):
    """What it learns is seen: prices that were all 1, then those of the bills."""
    nowhere = {**os.environ, "PROGTF_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, ROOT / "scripts/demo.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=nowhere, capture_output=True, text=True, check=True
    )
    said = re.split(r"^\$ progtf ", done.stdout, flags=re.MULTILINE)[1:]
    answers = {
        line: [each for each in printed.splitlines() if re.fullmatch(r"[A-Z]+|\d+", each)]
        for line, _, printed in (each.partition("\n") for each in said)
    }
    assert [*answers.values()] == [
        ["FINE", "WRONG"], ["1", "3"], ["5", "5"], [], ["13", "17"], [], [], [],
    ]  # fmt: skip
    assert said[-3].count("price ->") == 4
    assert "\nx = 9\n" in said[-2]
    assert "\nBergen\n" in said[-1]
    assert str(demo.LEARNED) in said[3]
