"""What `progtf check` says of every example: writes the table in `docs/outcomes.md`.

`python -m benchmarks.outcomes` checks all programs anew, which takes minutes. The tests check the
quick ones, and that no example is left out.
"""

from collections.abc import Iterator
from pathlib import Path
from time import process_time

from progtf.building.load import analyse
from progtf.cache import Cache
from progtf.exact import Report, check
from progtf.notation.diagnostics import Diagnostic
from progtf.outcomes import Question, outcome_of
from progtf.program.model import Program
from progtf.program.outcome import Outcome

TABLE = Path("docs/outcomes.md")
HEAD = """\
# Outcomes

What `progtf check` says of every example's network at the declared length: with weights in float32
or, where that is not exact, in float64, in which it then runs.
[Checking](checking.md#three-outcomes) tells the outcomes; of what is `learned` the written part is
exact. Assumptions are those of all that is said to be exact: of `all.seme` also those of its kinds
of texts that are answered in float32. Seconds are of one processor, in that format, and no row of
them is kept. Written by
`python -m benchmarks.outcomes`; tests check the quick ones again, long tests all.

| program | outcome | in | assumptions | seconds | what is not derived |
| --- | --- | --- | --- | --- | --- |
"""


def programs() -> Iterator[Path]:
    """All examples, in order."""
    yield from sorted(Path("examples").rglob("*.seme"))


def found(program: Program) -> tuple[Outcome, Report]:
    """What ``progtf check`` says of a program, and its last report; nothing is remembered."""
    question = Question(program, Cache(None))
    report = question.reports(None, None)[-1]
    return question.by_parts(outcome_of(program, report)), report


def row(path: Path) -> str:
    """The line of the table for one program."""
    program, wrong = analyse(path.read_text(encoding="utf-8"), str(path), path.parent)
    if program is None:  # a row that says so would hold only where the data is not
        raise SystemExit(f"{path}: {wrong[0].headline}; the table is written where all data is")
    outcome, report = found(program)
    took = timed(program, outcome.dtype)
    left = "; ".join(f"{d.code}, {_place(d)}" for d in (*report.found, *report.unproven))
    counts = f"{outcome.dtype} | {len(outcome.assumptions)} | {took:.1f}"
    return f"| {path.as_posix()} | {outcome.verdict} | {counts} | {left} |"


def timed(program: Program, dtype: str) -> float:
    """The seconds that a check takes in one format."""
    start = process_time()
    check(program, dtype)
    return process_time() - start


def _place(problem: Diagnostic) -> str:
    return f"{Path(problem.span.source.name).name}:{problem.span.line}"


def main() -> None:
    """Checks all programs and writes the table."""
    rows: list[str] = []
    for path in programs():
        rows.append(row(path))
        print(rows[-1], flush=True)
    TABLE.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
