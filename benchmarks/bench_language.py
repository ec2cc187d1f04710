"""The language programs: what they get right, and sentences a second on one thread.

Grammaticality and translation are measured on the sets in ``tests/data/language``. Sentiment is
held against VADER itself, on the texts of its paper (``$PROGTF_DATA/vader``), and BLiMP on its
pairs (``$PROGTF_DATA/blimp``); what is not there is left out. CPU time is counted: with one thread
it is what wall time would be on an idle machine.
"""

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import progtf
from benchmarks.timing import one_thread
from progtf.network.model import Model
from progtf.program.answers import Answer

PROGRAMS = Path("examples/language")
SETS = Path("tests/data/language")
DATA = Path(os.environ.get("PROGTF_DATA", "no data"))
POSITIVE = 0.05  # VADER's cut between classes


def main() -> None:
    """Prints a few lines a program."""
    one_thread()
    _grammaticality()
    _translation()
    for name, measure, data in (
        ("sentiment", _sentiment, DATA / "vader"),
        ("blimp", _blimp, DATA / "blimp"),
    ):
        if data.is_dir():
            measure(_compiled(name), data)
        else:
            print(f"{name}: no {data}, set PROGTF_DATA")


def _grammaticality() -> None:
    model = _compiled("grammaticality")
    for path in (SETS / "grammaticality.tsv", SETS / "grammaticality_constructions.tsv"):
        rows = _rows(path)
        said = _timed(model, [row[1] for row in rows])
        right = [
            (a.text == "GRAMMATICAL") == (r[0] == "1") for a, r in zip(said, rows, strict=True)
        ]
        print(f"  {path.stem}: {sum(right)} of {len(right)} judged right")


def _translation() -> None:
    model = _compiled("translation")
    for path in (SETS / "translation.tsv", SETS / "translation_constructions.tsv"):
        rows = _rows(path)
        said = _timed(model, [row[0] for row in rows])
        right = sum(a.text == row[1] for a, row in zip(said, rows, strict=True))
        print(f"  {path.stem}: {right} of {len(rows)} translated exactly")


def _sentiment(model: Model, data: Path) -> None:
    from vaderSentiment.vaderSentiment import (  # noqa: PLC0415  an extra: progtf[sentiment]
        SentimentIntensityAnalyzer,
    )

    judge = SentimentIntensityAnalyzer()
    for path in sorted(data.glob("*_GroundTruth.txt")):
        texts = [row[2] for row in _rows(path, header=False)]
        said = np.array([answer.score for answer in _timed(model, texts)])
        meant = np.array([judge.polarity_scores(text)["compound"] for text in texts])
        same = (_classes(said) == _classes(meant)).mean()
        print(
            f"  {path.stem}: correlation with VADER {np.corrcoef(said, meant)[0, 1]:.5f},"
            f" same class {same:.2%} of {len(texts)}"
        )


def _blimp(model: Model, data: Path) -> None:
    rates: dict[str, float] = {}
    sides: list[list[str]] = [[], []]
    for path in sorted(data.glob("*.jsonl")):
        pairs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        sides = [[p[f"sentence_{side}"] for p in pairs] for side in ("good", "bad")]
        good, bad = ([a.score for a in model.answers(side)] for side in sides)
        rates[path.stem] = float(np.mean([g > b for g, b in zip(good, bad, strict=True)]))  # type: ignore[operator]
    _timed(model, sides[0])
    weakest = sorted(rates, key=rates.__getitem__)[:3]
    print(f"  mean of {len(rates)} paradigms {np.mean(list(rates.values())):.2%}; the weakest:")
    print("  " + ", ".join(f"{name} {rates[name]:.1%}" for name in weakest))


def _compiled(name: str) -> Model:
    start = time.process_time()
    model = progtf.compile(progtf.load(PROGRAMS / f"{name}.seme"))
    seconds = time.process_time() - start
    lines = len((PROGRAMS / f"{name}.seme").read_text(encoding="utf-8").splitlines())
    print(f"{name}: {lines} lines, read and compiled in {seconds:.2f} s")
    return model


def _timed(model: Model, texts: Sequence[str]) -> list[Answer]:
    """The answers; the median speed of three rounds is printed."""
    answers: list[Answer] = []
    seconds: list[float] = []
    for _ in range(3):
        start = time.process_time()
        answers = model.answers(texts)
        seconds.append(time.process_time() - start)
    print(f"  {len(texts) / sorted(seconds)[1]:.0f} sentences/s")
    return answers


def _rows(path: Path, *, header: bool = True) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line.split("\t") for line in lines[header:]]


def _classes(compound: np.ndarray) -> np.ndarray:
    return np.where(compound >= POSITIVE, 1, np.where(compound <= -POSITIVE, -1, 0))


if __name__ == "__main__":
    main()
