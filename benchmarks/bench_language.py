"""The language programs: what they get right, and sentences a second on one thread.

Grammaticality and translation are measured on the sets in ``tests/data/language``. Sentiment is
held against VADER itself, on the texts of its paper, and BLiMP on its pairs, which ``progtf data
get blimp blimp-words`` brings; what is not there is left out. CPU time is counted: with one thread
it is what wall time would be on an idle machine.
"""

import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import numpy as np

import progtf
from benchmarks.figures import ROOT, Figure, Found, Missing
from benchmarks.published import missing
from benchmarks.timing import interleaved, one_thread
from progtf.extras import not_installed
from progtf.network.model import Model
from progtf.program.answers import Answer
from progtf.published import data_folder

PROGRAMS = ROOT / "examples/language"
SETS = ROOT / "tests/data/language"
A_SECOND = "sentences a second"
POSITIVE = 0.05  # VADER's cut between classes


def figures() -> Iterator[Found]:
    """A few for each program that has its data."""
    one_thread()
    yield from _grammaticality()
    yield from _translation()
    for name, measure, data in (("sentiment", _sentiment, "vader"), ("blimp", _blimp, "blimp")):
        if why := missing(data):
            yield Missing(f"{name}: {why}")
        elif name == "sentiment" and find_spec("vaderSentiment") is None:
            yield Missing(f"sentiment: {not_installed('vaderSentiment')}")
        else:
            yield from measure(data_folder() / data)


def _grammaticality() -> Iterator[Figure]:
    model = _compiled("grammaticality")
    for path in (SETS / "grammaticality.tsv", SETS / "grammaticality_constructions.tsv"):
        rows = _rows(path)
        said, speed = _timed(model, [row[1] for row in rows])
        pairs = zip(said, rows, strict=True)
        right = sum((answer.text == "GRAMMATICAL") == (row[0] == "1") for answer, row in pairs)
        yield Figure(f"{path.stem}, judged right", right, f"of {len(rows)}")
        yield Figure(path.stem, speed, A_SECOND)


def _translation() -> Iterator[Figure]:
    model = _compiled("translation")
    for path in (SETS / "translation.tsv", SETS / "translation_constructions.tsv"):
        rows = _rows(path)
        said, speed = _timed(model, [row[0] for row in rows])
        right = sum(answer.text == row[1] for answer, row in zip(said, rows, strict=True))
        yield Figure(f"{path.stem}, translated exactly", right, f"of {len(rows)}")
        yield Figure(path.stem, speed, A_SECOND, "aim: 4,000")


def _sentiment(data: Path) -> Iterator[Figure]:
    from vaderSentiment.vaderSentiment import (  # noqa: PLC0415  an extra
        SentimentIntensityAnalyzer,
    )

    model, judge = _compiled("sentiment"), SentimentIntensityAnalyzer()
    for path in sorted(data.glob("*_GroundTruth.txt")):
        texts = [row[2] for row in _rows(path, header=False)]
        answers, speed = _timed(model, texts)
        said = np.array([answer.score for answer in answers])
        meant = np.array([judge.polarity_scores(text)["compound"] for text in texts])
        same = float((_classes(said) == _classes(meant)).mean())
        alike = float(np.corrcoef(said, meant)[0, 1])
        yield Figure(f"{path.stem}, correlation", alike, "", "VADER")
        yield Figure(f"{path.stem}, same class", 100 * same, f"% of {len(texts)}", "VADER")
        yield Figure(path.stem, speed, A_SECOND)


def _blimp(data: Path) -> Iterator[Figure]:
    for program in ("blimp", "blimp_published"):
        if program == "blimp" or (data / "vocabulary.csv").is_file():
            yield from _pairs(program, data)


def _pairs(program: str, data: Path) -> Iterator[Figure]:
    """What a program says of BLiMP; a pair with a word that it does not know is not right."""
    model, rates, taken, n_right, n_pairs = _compiled(program), dict[str, float](), 0, 0, 0
    known: list[str] = []
    for path in sorted(data.glob("*.jsonl")):
        pairs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        texts = [[pair[f"sentence_{side}"] for pair in pairs] for side in ("good", "bad")]
        sides = [[getattr(a, "score", None) for a in model.try_answers(side)] for side in texts]
        both = [(good, bad) for good, bad in zip(*sides, strict=True) if None not in (good, bad)]
        right = sum(good > bad for good, bad in both)
        rates[path.stem] = right / len(pairs)
        taken, n_right, n_pairs = taken + len(both), n_right + right, n_pairs + len(pairs)
        scored = zip(pairs, sides[0], strict=True)
        known += [pair["sentence_good"] for pair, score in scored if score is not None][:20]
    mean = 100 * float(np.mean(list(rates.values())))
    yield Figure(f"{program}, mean", mean, "%", f"{len(rates)} sets")
    yield Figure(f"{program}, all words known", 100 * taken / n_pairs, f"% of {n_pairs} pairs")
    yield Figure(f"{program}, right of these", 100 * n_right / taken, "%")
    for name in sorted(rates, key=rates.__getitem__)[:3]:
        yield Figure(f"{program}, {name}", 100 * rates[name], "%", "one of the three weakest")
    yield Figure(program, _timed(model, known)[1], A_SECOND)


def _compiled(name: str) -> Model:
    return progtf.compile(progtf.load(PROGRAMS / f"{name}.seme"))


def _timed(model: Model, texts: Sequence[str]) -> tuple[list[Answer], float]:
    """The answers, and the median speed of three rounds."""
    answers: list[list[Answer]] = []
    ways = {"": lambda: answers.append(model.answers(texts))}
    seconds = median(interleaved(ways, 3, warm_up=0)[""])
    return answers[-1], len(texts) / seconds


def _rows(path: Path, *, header: bool = True) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line.split("\t") for line in lines[header:]]


def _classes(compound: np.ndarray) -> np.ndarray:
    return np.where(compound >= POSITIVE, 1, np.where(compound <= -POSITIVE, -1, 0))
