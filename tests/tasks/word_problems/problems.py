"""Word problems of our own, as lines of JSON; those of the published sets, where they are."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks.published import missing
from progtf.published import data_folder
from progtf.tasks.word_problems import WordProblem, read_word_problems


def line(text: str, equations: list[str], answers: list[float], **others: Any) -> str:
    """A line of a file: what looks like a number is one."""
    words = text.split()
    numbers = [
        {"token": [place], "value": word.replace(",", "")}
        for place, word in enumerate(words)
        if word.replace(",", "").replace(".", "").isdecimal()
    ]
    unknowns = sorted({name for text in equations for name in text.split() if name[0] == "X"})
    expr = [[0, equation] for equation in equations] + [[1, " ".join(unknowns)]]
    said = {"id": text[:20], "text": text, "numbers": numbers, "expr": expr, "answer": [answers]}
    return json.dumps(said | others)


COINS = line(
    "A jar has 21 coins , dimes of 10 cents and nickels of 5 cents . They are worth 150 cents ."
    " How many dimes are there ?",
    ["X_0 X_1 + N_0 =", "N_1 X_0 * N_2 X_1 * + N_3 ="],
    [9, 12],
)
SHELF = line("6.5 metres of shelf hold 13 books a metre . How many ?", ["X_0 N_0 N_1 * ="], [84.5])
PERCENT = line("What is 20 % of 1,250 ?", ["X_0 C_0_01 N_0 * N_1 * ="], [250])


_KINDS = (
    (
        "The sum of two sides is {} cm . One is {} cm longer than the other . How long are they ?",
        ["X_0 X_1 + N_0 =", "X_0 X_1 - N_1 ="],
        lambda a, b: [(a + b) / 2, (a - b) / 2],
    ),
    (
        "{} boxes hold {} pens each . How many pens are that ?",
        ["X_0 N_0 N_1 * ="],
        lambda a, b: [a * b],
    ),
    ("Of {} birds {} fly away . How many stay ?", ["X_0 N_0 N_1 - ="], lambda a, b: [a - b]),
    (
        "{} % of the {} pupils walk . How many is that ?",
        ["X_0 C_0_01 N_0 * N_1 * ="],
        lambda a, b: [a * b / 100],
    ),
)


def made(count: int, seed: int) -> list[str]:
    """Lines of problems of four kinds, with numbers drawn at random."""
    drawn = random.Random(seed)
    lines = []
    for place in range(count):
        text, equations, answer = _KINDS[place % len(_KINDS)]
        first, second = drawn.randint(50, 99), drawn.randint(2, 49)
        lines.append(
            line(text.format(first, second), equations, answer(first, second), id=str(place))
        )
    return lines


def saved(folder: Path, *lines: str) -> Path:
    """A file of some lines."""
    path = folder / "own.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def published(*patterns: str) -> dict[str, tuple[WordProblem, ...]]:
    """The problems of the published files, by the names of these; skips where there are none."""
    folder = data_folder() / "mwp"
    paths = sorted(path for pattern in patterns for path in folder.glob(f"{pattern}.jsonl"))
    if not paths:
        pytest.skip(missing("alg514", "draw1k", "mawps") or f"no {patterns} in {folder}")
    return {path.stem: read_word_problems(path) for path in paths}
