"""Whatever is killed while it writes, nothing half is there: `.ci/run` tries for thirty seconds."""

import os
import subprocess
import sys

SECONDS = float(os.environ.get("KILL_SECONDS", "4"))


def test_nothing_half_is_left_by_processes_that_are_killed():
    line = [sys.executable, "-m", "tests.kill_loop", str(SECONDS)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    turns, kills = map(int, done.stdout.split())
    assert turns > kills > 0
