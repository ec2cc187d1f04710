"""The first thing to see: written networks, one that learns the rest in seconds, trained ones.

Every line that begins with `$` is run as it stands.
"""

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

ROOT = Path(__file__).parents[1]
OUT = Path("out/demo")
ARTICLES = "examples/a_or_an.seme"
DIGITS = "examples/math/place_value.seme"
SHOP = "examples/hybrid/shop.seme"
LEARNED = OUT / "checkpoints/step-0000200"
PROBLEM = "A jar has 21 coins, all dimes and nickels. They are worth 150 cents. How many are dimes?"
PASSAGE = "In 1867 the potter Maria Lind moved to Bergen, where she opened a small workshop."
QUESTION = "Where did Maria Lind open a workshop?"
BILLS = ("2 tea and 3 cake", "4 juice and 1 bun")


def main() -> int:
    """Shows written programs, one that learns, and trained networks; 1 if a command failed."""
    os.chdir(ROOT)
    shutil.rmtree(OUT, ignore_errors=True)
    console = Console(highlight=False, soft_wrap=True)
    failed = False

    def chapter(title: str, text: str) -> None:
        console.print()
        console.rule(f"[bold]{title}", align="left")
        console.print(text, markup=False)

    def show(*words: str | Path) -> None:
        nonlocal failed
        console.print(f"\n$ {shlex.join(map(str, words))}", style="bold", markup=False)
        if words[0] == "cat":
            console.print((ROOT / words[1]).read_text(encoding="utf-8").strip(), markup=False)
            return
        begun = time.perf_counter()
        command = [sys.executable, "-m", *map(str, words)]
        status = subprocess.run(command, check=False, stderr=subprocess.STDOUT).returncode
        failed |= status > (words[1] == "diff")  # which says by 1 that there is a difference
        console.print(f"({time.perf_counter() - begun:.0f} s)", style="dim")

    chapter("A network written by hand", "This text, and what it uses, are all of its weights.")
    show("cat", ARTICLES)
    show("progtf", "run", ARTICLES, "I eat an old pear", "I eat a old pear")
    chapter("One that reads characters", "Written likewise; it answers questions of mathematics.")
    show(
        "progtf", "run", DIGITS,
        "What is the hundred thousands digit of 56168856?",
        "What is the hundred billions digit of 356887041321?",
    )  # fmt: skip
    chapter(
        "A network of which the rest is learned",
        f"How a bill comes about is written in {SHOP}; what four goods cost is not (`~1price`).\n"
        "Before training each of them costs 1. The prices are learned from 180 bills.",
    )
    show("progtf", "run", SHOP, *BILLS)
    show("progtf", "train", "runs/shop.toml", "-o", OUT)
    show("progtf", "run", LEARNED, *BILLS)
    show("progtf", "diff", SHOP, LEARNED)
    chapter(
        "Two small networks that were trained",
        "They lie in the package. What each can do and what not, a card beside it says\n"
        "(progtf/networks); where they are unsure, or find nothing, they say so.",
    )
    show("progtf", "solve", PROBLEM)
    show("progtf", "answer", "--text", PASSAGE, "--question", QUESTION)
    chapter(
        "Next",
        "docs/tutorial.md writes a first program in half an hour; README.md says what else there\n"
        "is, how long it takes, what it needs.",
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
