"""Commands from the shell to the end, beside an import of torch alone, in turns: ratios of medians.

The cache is emptied before each first run of a program.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 5
PROGRAM = "examples/article/sentiment.seme"
TORCH = "import torch"


def wall(*words: str, cache: str) -> float:
    """Seconds that a command takes in a process of its own."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *words],
        check=True,
        capture_output=True,
        env=os.environ | {"PROGTF_CACHE": cache},
    )
    return time.perf_counter() - start


def one_round(folder: str, made: dict[str, list[float]]) -> None:
    """Every command once; the first run with an empty cache, the second with a filled one."""
    cache = f"{folder}/cache"
    shutil.rmtree(cache, ignore_errors=True)
    run = ("-m", "progtf", "run", PROGRAM, "great")
    commands = {
        "import torch": ("-c", TORCH),
        "progtf run, first": run,
        "progtf run, again": run,
        "progtf --help": ("-m", "progtf", "--help"),
        "progtf fmt --check": ("-m", "progtf", "fmt", "--check", PROGRAM),
        "progtf check": ("-m", "progtf", "check", PROGRAM),
        "progtf diff of folders": ("-m", "progtf", "diff", f"{folder}/one", f"{folder}/one"),
    }
    for name, words in commands.items():
        made.setdefault(name, []).append(wall(*words, cache=cache))


def main() -> None:
    """Prints a line a command."""
    made: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        wall("-m", "progtf", "compile", PROGRAM, "-o", f"{folder}/one", cache=f"{folder}/c")
        assert Path(folder, "one").is_dir()
        for _ in range(ROUNDS):
            one_round(folder, made)
    least = statistics.median(made["import torch"])
    for name, seconds in made.items():
        median = statistics.median(seconds)
        print(f"{name:24} {median:6.2f} s   {median / least:5.2f} times the import of torch")


if __name__ == "__main__":
    main()
