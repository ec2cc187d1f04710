"""Whether every step of chains is right, judged by what its texts mean in exact numbers.

    progtf data make --out FOLDER --split interpolate --count 500 --seed 5500
    python -m benchmarks.steps FOLDER --count 120 --seed 5500

Of each module the first questions that take more than one step are asked, and `benchmarks.judge`
judges each step: a text that is asked again means what the one before it meant, and what a question
is answered is right, or refused with `?`. The answers of the data set are held against the last.
Each module with chains has a row in `docs/experiments/steps.json`; a row that is there for the same
program, questions and count is not made again. What is wrong is printed, and then the status is 1;
what the judge cannot read is printed, and counted.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

import progtf
from benchmarks.answered import TOLD, content, files_of, machine
from benchmarks.judge.chains import VERDICTS, Chain, Judged, judged
from benchmarks.rows import add_row, read_rows
from progtf.data import ModuleFile
from progtf.program.answering import Answering
from progtf.program.answers import Answer, EndlessError
from progtf.program.chains import ChainError
from progtf.program.tokens import InputError

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "examples" / "math" / "all.seme"
ROWS = ROOT / "docs" / "experiments" / "steps.json"
AT_ONCE = 10
PROBED = 20
"""A module of which so many first questions take one step each has no chains."""


def main(
    data: Annotated[Path, typer.Argument(help="A folder of `progtf data make`.")],
    *,
    seed: Annotated[int, typer.Option(help="Of the questions, as it is told in the rows.")],
    count: Annotated[int, typer.Option(help="Questions of each module.")] = 120,
    rows: Annotated[Path, typer.Option(help="Where the rows are kept.")] = ROWS,
    program: Annotated[Path, typer.Option(help="A program.")] = PROGRAM,
) -> None:
    """Judges every step of the chains of every module that has some."""
    model = progtf.interpret(progtf.load(program))
    there = {tuple(row[name] for name in TOLD) for row in read_rows(rows)}
    wrong = 0
    for file in files_of(data):
        told = program.name, file.split, file.module, count, content(file, count)
        if told in there or not any(chains_of(model, file, min(count, PROBED))):
            continue
        chains = [*chains_of(model, file, count)]
        steps = [step for chain in chains for step in chain.steps]
        by_chain, by_step = (Counter(each.verdict for each in some) for some in (chains, steps))
        row: dict[str, Any] = dict(zip(TOLD, told, strict=True)) | {
            "chains": {name: by_chain[name] for name in VERDICTS},
            "steps": {name: by_step[name] for name in VERDICTS},
            "seed": seed, **machine(),
        }  # fmt: skip
        add_row(rows, row)
        print(file.split, file.module, "chains", row["chains"], "steps", row["steps"], flush=True)
        for step in steps:
            if step.verdict in ("wrong", "not judged"):
                print(f"  {step}")
        wrong += by_step["wrong"]
    sys.exit(1 if wrong else 0)


def chains_of(model: Answering, file: ModuleFile, count: int) -> Iterator[Chain]:
    """The judged chains among the first questions of a module."""
    problems = islice(file.problems(), count)
    while some := [*islice(problems, AT_ONCE)]:
        answers = model.try_answers([question for question, _ in some])
        for (question, expected), answer in zip(some, answers, strict=True):
            chain = chain_of(answer)
            if chain is not None:
                yield _held_against(chain, question, expected)


def chain_of(answer: Answer | InputError) -> Chain | None:
    """The judged chain of an answer, or of the error that ended it; None if it is one step."""
    if isinstance(answer, Answer):
        steps, error = answer.steps, ""
    elif isinstance(answer, ChainError):
        steps, error = answer.steps, str(answer)
    elif isinstance(answer, EndlessError):
        steps, error = answer.answer.steps, str(answer)
    else:
        return None
    return judged(steps, error) if len(steps) > 1 or error else None


def _held_against(chain: Chain, question: str, expected: str) -> Chain:
    """Wrong, too, where the data set has another answer."""
    last = chain.steps[-1]
    if last.verdict == "refused" or last.answer == expected:
        return chain
    return Chain((*chain.steps, Judged(question, last.answer, "wrong", f"expected {expected}")))


if __name__ == "__main__":
    typer.run(main)
