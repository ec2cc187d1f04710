"""Real questions of the Mathematics Dataset, as ids."""

import random
from itertools import islice

from progtf.published import data_folder

PAD, START, END, FIRST = 1, 2, 3, 4


def folder():
    """``math`` of the data folder; None if it is not there."""
    place = data_folder() / "math"
    return place if place.is_dir() else None


def load(n_questions, seed=0):
    """Sources and targets with start and end symbols, in random order, and the symbol count."""
    lines = [
        (question, answer)
        for path in sorted(folder().rglob("*.txt"))
        for question, answer in _pairs(path.read_text().splitlines())
    ]
    random.Random(seed).shuffle(lines)
    symbols = sorted({symbol for pair in lines for text in pair for symbol in text})
    ids = {symbol: FIRST + place for place, symbol in enumerate(symbols)}
    chosen = lines[:n_questions]
    wrapped = [[[START, *map(ids.get, text), END] for text in pair] for pair in chosen]
    sources, targets = zip(*wrapped, strict=True)
    return list(sources), list(targets), FIRST + len(symbols)


def _pairs(lines):
    return zip(islice(lines, 0, None, 2), islice(lines, 1, None, 2), strict=True)
