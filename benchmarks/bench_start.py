"""Commands from the shell to the end, beside an import of torch alone, in turns.

Wall time. The cache is emptied before each first run of a program; the largest has only one, as its
proof takes most of a minute.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.figures import ROOT, Figure
from benchmarks.timing import Times, ratio

ROUNDS = 5
PROGRAM = str(ROOT / "examples/algorithms/parity.seme")
LARGE = str(ROOT / "examples/math/all.seme")
TORCH = "import torch"
MEANT_FIRST, MEANT_AGAIN = (
    "progtf run by the interpreter, empty cache",
    "progtf run by the interpreter, again",
)
FIRST, AGAIN = "progtf run, empty cache", "progtf run, again"
LARGE_FIRST, LARGE_AGAIN = "progtf run of all.seme, empty cache", "progtf run of all.seme, again"
"""Runs of the network, as all were when the first of these rows were written."""
SHIPPED, EDITED, KEPT, NOTHING = (
    "all.seme by the interpreter, the first time",
    "all.seme by the interpreter, after an edit in one used file",
    "all.seme by the interpreter, edited, again",
    "all.seme by the interpreter, nothing kept",
)
LOADED = "load, interpret and the first answer of all.seme, a second process"
READ = """
import progtf
print(progtf.interpret(progtf.load("{program}")).run("What is 3 + 5?"))
"""
WRONG = "progtf run of a small program with a mistake"
NETWORK = "--engine", "network"
AIMS = {  # seconds
    "progtf --help": 0.5,
    "progtf fmt --check": 0.5,
    "progtf diff of folders": 0.5,
    "progtf check": 0.6,
    "progtf --version": 0.15,
    WRONG: 0.25,
}


def wall(*words: str, cache: str, fails: bool = False) -> float:
    """Seconds that a command takes in a process of its own."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        check=not fails,
        capture_output=True,
        env=os.environ | {"PROGTF_CACHE": cache},
    )
    return time.perf_counter() - start


def one_round(folder: str, made: Times[str]) -> None:
    """Every command once; the first run with an empty cache, the second with a filled one."""
    cache = f"{folder}/cache"
    shutil.rmtree(cache, ignore_errors=True)
    run = ("-m", "progtf", "run", PROGRAM, "101")
    commands = {
        TORCH: ("-c", TORCH),
        MEANT_FIRST: run,
        MEANT_AGAIN: run,
        FIRST: (*run, *NETWORK),
        AGAIN: (*run, *NETWORK),
        "progtf --help": ("-m", "progtf", "--help"),
        "progtf --version": ("-m", "progtf", "--version"),
        "progtf fmt --check": ("-m", "progtf", "fmt", "--check", PROGRAM),
        "progtf check": ("-m", "progtf", "check", PROGRAM),
        "progtf diff of folders": ("-m", "progtf", "diff", f"{folder}/one", f"{folder}/one"),
    }
    for name, words in commands.items():
        made.setdefault(name, []).append(wall(*words, cache=cache))
    wrong = wall("-m", "progtf", "run", f"{folder}/wrong.seme", "x", cache=cache, fails=True)
    made.setdefault(WRONG, []).append(wrong)
    made.setdefault(LARGE_AGAIN, []).append(large(folder))
    for name, seconds in interpreted(folder, cache):
        made.setdefault(name, []).append(seconds)


def interpreted(folder: str, cache: str) -> Iterator[tuple[str, float]]:
    """Seconds of one question to the largest program, as it comes with progtf and edited."""
    asked = "-m", "progtf", "run", LARGE, "What is 3 + 5?"
    yield SHIPPED, wall(*asked, cache=cache)
    yield NOTHING, wall(*asked, "--no-cache", cache=cache)
    copy = f"{folder}/math"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(Path(LARGE).parent, copy)
    edited = (*asked[:3], f"{copy}/all.seme", asked[4])
    with Path(copy, "gcd.seme").open("a") as file:
        file.write(f"# {time.time()}\n")
    yield EDITED, wall(*edited, cache=cache)
    yield KEPT, wall(*edited, cache=cache)
    code = "-c", READ.format(program=f"{copy}/all.seme")
    wall(*code, cache=cache)
    yield LOADED, wall(*code, cache=cache)


def large(folder: str) -> float:
    """Seconds of one question of the largest program, with a cache of its own."""
    asked = "run", LARGE, "What is 3 + 5?", *NETWORK
    return wall("-m", "progtf", *asked, cache=f"{folder}/large")


def figures() -> Iterator[Figure]:
    """Seconds of what needs no torch, and of a run how many imports of torch it takes."""
    made: Times[str] = {}
    with tempfile.TemporaryDirectory() as folder:
        wall("-m", "progtf", "compile", PROGRAM, "-o", f"{folder}/one", cache=f"{folder}/c")
        Path(folder, "wrong.seme").write_text("semes: a b\nlexicon:\n  x: +c\n")
        first = large(folder)
        for _ in range(ROUNDS):
            one_round(folder, made)
    yield Figure(TORCH, median(made[TORCH]), "s", "the least that a run can take")
    for name, aim in AIMS.items():
        yield Figure(name, median(made[name]), "s", f"aim: under {aim}")
        yield Figure(f"{name}, ratio", ratio(made[name], made[TORCH]), "x", TORCH)
    for name, aim in ((MEANT_FIRST, 0.6), (MEANT_AGAIN, 0.35), (FIRST, 1.5), (AGAIN, 1.25)):
        yield Figure(name, ratio(made[name], made[TORCH]), "x", f"{TORCH}; aim: at most {aim}")
    aims = {SHIPPED: 0.6, KEPT: 0.6, EDITED: 4, NOTHING: 6, LOADED: 0.6}
    for name, aim in aims.items():
        yield Figure(name, ratio(made[name], made[TORCH]), "x", f"{TORCH}; aim: at most {aim}")
    yield Figure(LARGE_FIRST, first, "s", "once: reading 32 programs, and their proof")
    yield Figure(LARGE_AGAIN, ratio(made[LARGE_AGAIN], made[TORCH]), "x", TORCH)
