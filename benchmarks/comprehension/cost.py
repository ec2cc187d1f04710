"""What a step of each arm costs at the published size; `python -m benchmarks.comprehension.cost`.

Width 100, vec(T) 10 × 10, 32 passages of 200 words with questions of 15, drawn at random. The
arms take turns, so that what else the machine does falls on all of them.
"""

import json
import time
from statistics import median
from typing import Any

import torch

from benchmarks.comprehension.page import COST, DOCS, write_page
from benchmarks.comprehension.plan import ARMS
from benchmarks.rows import read_rows
from progtf.atomic import write
from progtf.data import Words
from progtf.tasks.comprehension import PASSAGE, PLACES, SELDOM
from progtf.training.config import Model, Reading
from progtf.training.networks import build_network
from progtf.training.reading import SpanSubject

BATCH, PASSAGE_WORDS, QUESTION_WORDS = 32, 200, 15
TYPES, TURNS = 20_000, 3
SIZES: dict[str, Any] = {"symbols": 100, "roles": 20, "d_symbol": 10, "d_role": 10}
PUBLISHED = {
    "narrow LSTM": {"model.reading.narrow": 35},
    "TPRLSTM": {"model.reading.d_symbol": 5},
}
"""What the arms have otherwise than at the small size."""


def main() -> None:
    """Measures, and writes what was found."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    units = (PASSAGE, *PLACES, *(f"w{n}" for n in range(TYPES)), SELDOM)
    words = Words(units, open=True)
    subjects = {name: _subject(name, words) for name in ARMS}
    steps = {name: torch.optim.Adam(each.parameters()) for name, each in subjects.items()}
    found: dict[str, list[float]] = {name: [] for name in ARMS}
    source, answer = _batch()
    for turn in range(TURNS + 1):
        for name, subject in subjects.items():
            begun = time.process_time()
            steps[name].zero_grad()
            subject.train().loss(source, answer).backward()
            steps[name].step()
            if turn:  # the first warms up
                found[name].append(time.process_time() - begun)
    beside = found["LSTM"]
    rows = [_row(name, subjects[name], found[name], beside) for name in ARMS]
    lines = ",\n".join(f" {json.dumps(row)}" for row in rows)
    write(COST, f"[\n{lines}\n]\n")
    print(lines)
    write_page(read_rows(DOCS / "experiments" / "comprehension.json"))


def _subject(name: str, words: Words) -> SpanSubject:
    changed, tables = ARMS[name] | PUBLISHED.get(name, {}), {"": {}, "reading": dict(SIZES)}
    for key, value in changed.items():
        table, _, last = key.removeprefix("model.").rpartition(".")
        tables[table][last] = value
    if "reads" in tables[""]:
        tables[""]["reads"] = DOCS.parent / "runs" / tables[""]["reads"]
    reading = Reading(**tables["reading"])
    wanted = Model(kind="reader", width=100, dropout=0.2, reading=reading, **tables[""])
    return SpanSubject(build_network(wanted, 1, words), wanted, words)


def _batch() -> tuple[torch.Tensor, torch.Tensor]:
    first = 4 + 1 + len(PLACES)
    drawn = torch.randint(first, first + TYPES, (BATCH, QUESTION_WORDS + PASSAGE_WORDS))
    question, passage = drawn.split([QUESTION_WORDS, PASSAGE_WORDS], dim=1)
    column = torch.ones(BATCH, 1, dtype=torch.long)
    source = torch.cat([2 * column, question, 4 * column, passage, 3 * column], dim=1)
    return source, torch.cat([2 * column, 15 * column, 16 * column, 3 * column], dim=1)


def _row(
    name: str, subject: SpanSubject, seconds: list[float], beside: list[float]
) -> dict[str, Any]:
    module = subject.module
    table = module.words.table.numel()  # drawn here; frozen where a file is read
    return {
        "arm": name,
        "parameters": sum(p.numel() for p in module.parameters() if p.requires_grad) - table,
        "phrase": sum(p.numel() for p in module.phrases.parameters()),
        "seconds": round(median(seconds), 2),
        "beside_lstm": round(
            median(mine / other for mine, other in zip(seconds, beside, strict=True)), 2
        ),
    }


if __name__ == "__main__":
    main()
