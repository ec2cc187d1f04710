"""Measures reading comprehension; `python -m benchmarks.comprehension FOLDER --vectors FILE`.

What `docs/experiments/comprehension.json` does not have yet is measured, and the tables of
`docs/comprehension.md` are made of it. A training that was stopped goes on; one that is to have
more steps than it had goes on, too, as its learning rate is constant.
"""

import json
import os
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from benchmarks.comprehension.page import DOCS, write_page
from benchmarks.comprehension.plan import WINDOW, Arm, arms, name_of, settings
from benchmarks.comprehension.roles import probed
from benchmarks.published import missing
from benchmarks.rows import add_row, read_rows
from progtf.published import data_folder
from progtf.tasks.comprehension import Judged, Question, judged, mean, read_questions, slide
from progtf.training.answer import Reader
from progtf.training.config import read_run
from progtf.training.log import Log
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer

DATA = data_folder() / "squad"
FOUND = Path(os.environ.get("FOUND", DOCS / "experiments" / "comprehension.json"))
BATCHES = 509
"""Steps that see every training question once."""


def main(
    folder: Annotated[
        Path, typer.Argument(help="Keeps the runs, so that one that was stopped goes on.")
    ] = Path("runs/out/comprehension"),
    wanted: Annotated[str, typer.Argument(help="Only such arms, as `TPR-50-*`.")] = "*",
    *,
    vectors: Annotated[
        Path, typer.Option(help="Word vectors, cut by scripts/word_vectors.py.")
    ] = Path("vectors.txt"),
    tags: Annotated[
        Path | None, typer.Option(help="Of scripts/tag_passages.mjs: roles are held against them.")
    ] = None,
    epochs: Annotated[int, typer.Option(help="How often all training questions are seen.")] = 12,
    page: Annotated[bool, typer.Option("--page", help="Measure nothing, make the page.")] = False,
) -> None:
    """Measures all arms as far as they are not yet, and makes docs/comprehension.md.

    `progtf data get squad` brings the data.
    """
    if not page and (why := missing("squad")):
        sys.exit(f"error: {why}")
    torch.set_num_threads(1)
    for arm in () if page else arms():
        mine = 0 if arm.arm == WINDOW else epochs
        there = {(*(row[key] for key in Arm._fields), row["epochs"]) for row in read_rows(FOUND)}
        if (*arm, mine) not in there and fnmatchcase(name_of(arm), wanted):
            row = counted(arm) if arm.arm == WINDOW else measured(arm, mine, folder, vectors)
            if tags is not None and arm.arm != WINDOW:
                steps = f"step-{row['steps']:07d}"
                checkpoint = folder / name_of(arm) / "checkpoints" / steps
                row["probe"] = probed(checkpoint, DATA, tags, arm.seed)
            add_row(FOUND, row)
            print(json.dumps({k: v for k, v in row.items() if k != "each"}), flush=True)
    write_page(read_rows(FOUND))


def counted(arm: Arm) -> dict[str, Any]:
    """The row of the sliding window."""
    questions = read_questions(DATA / "dev.jsonl.gz")
    scores = [judged(q.passage.span(*slide(q)), q.answers) for q in questions]
    return {**arm._asdict(), "epochs": 0, **_scores(questions, scores)}


def measured(arm: Arm, epochs: int, runs: Path, vectors: Path) -> dict[str, Any]:
    """The row of a training."""
    out = runs.absolute() / name_of(arm)
    file = DOCS.parent / "runs" / "comprehension.toml"
    changes = settings(arm, epochs * BATCHES, str(vectors.absolute()))
    run = read_run(file, {**changes, "out": str(out)})
    begun = time.process_time()
    with joined() as ranks:
        setup = set_up(run, ranks)
        sizes = [
            sum(p.numel() for p in part.parameters() if p.requires_grad)
            for part in (setup.subject.module, setup.subject.module.phrases)
        ]
        start = setup.progress.step
        result = Trainer(setup).train(Log(out, show=False))
    seconds = time.process_time() - begun
    steps = max(result.step - start, 1)
    questions = read_questions(DATA / "dev.jsonl.gz")
    found = Reader.load(result.folder, questions).answers(questions)
    scores = [
        judged(each.text(q.passage), q.answers) for each, q in zip(found, questions, strict=True)
    ]
    return {
        **arm._asdict(), "epochs": epochs, "steps": result.step,
        "parameters": sizes[0], "phrase": sizes[1],
        "seconds_an_epoch": round(seconds / steps * BATCHES) if result.step > start else None,
        **_scores(questions, scores),
        "curve": [[line["step"], round(line["interpolate"], 1)] for line in result.curve],
    }  # fmt: skip


def _scores(questions: tuple[Question, ...], scores: list[Judged]) -> dict[str, Any]:
    """Percent, and of each paragraph how many questions it has and the sum of their F1."""
    exact, f1 = mean(scores)
    paragraphs: dict[str, list[float]] = {}
    for question, score in zip(questions, scores, strict=True):
        paragraphs.setdefault(question.passage.raw, []).append(100 * score.f1)
    each = [[len(some), round(sum(some), 1)] for some in paragraphs.values()]
    return {"f1": round(100 * f1, 2), "em": round(100 * exact, 2), "each": each}


if __name__ == "__main__":
    typer.run(main)
