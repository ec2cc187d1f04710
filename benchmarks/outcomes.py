"""What `progtf check` says of every example: writes the table in `docs/outcomes.md`.

`python -m benchmarks.outcomes` checks all programs anew, which takes minutes. The tests check the
quick ones, and that no example is left out.
"""

from collections.abc import Iterator
from pathlib import Path
from time import process_time

from progtf.building.load import analyse
from progtf.exact import Report, check
from progtf.notation.diagnostics import Diagnostic
from progtf.program.model import Program

TABLE = Path("docs/outcomes.md")
HEAD = """\
# Outcomes

What `progtf check` says of every example at the declared length: with weights in float32 or, where
that is not exact, in float64, in which it then runs. [Checking](checking.md#three-outcomes) tells
the outcomes. Seconds are of one processor, in that format. Written by
`python -m benchmarks.outcomes`; the tests check the quick ones again.

| program | outcome | in | assumptions | seconds | what is not derived |
| --- | --- | --- | --- | --- | --- |
"""


def programs() -> Iterator[Path]:
    """All examples, in order."""
    yield from sorted(Path("examples").rglob("*.seme"))


def outcome(report: Report) -> str:
    """One word or two for a report."""
    if report.found:
        return "not exact"
    return "not proven" if report.unproven else "exact"


def row(path: Path) -> str:
    """The line of the table for one program."""
    program, _ = analyse(path.read_text(encoding="utf-8"), str(path), path.parent)
    if program is None:
        return f"| {path.as_posix()} | needs data |  |  |  | |"
    report, took = timed(program, "float32")
    if not report.exact and not program.hybrid:
        report, took = timed(program, "float64")
    left = "; ".join(f"{d.code}, {_place(d)}" for d in (*report.found, *report.unproven))
    counts = f"{report.dtype} | {len(report.assumptions)} | {took:.1f}"
    return f"| {path.as_posix()} | {outcome(report)} | {counts} | {left} |"


def timed(program: Program, dtype: str) -> tuple[Report, float]:
    """A report, and the seconds that it takes."""
    start = process_time()
    report = check(program, dtype)
    return report, process_time() - start


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
