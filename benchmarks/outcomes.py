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

TABLE = Path("docs/outcomes.md")
HEAD = """\
# Outcomes

What `progtf check` says of every example, with weights in float32 and at the declared length.
[Checking](checking.md#three-outcomes) explains the outcomes. Seconds are of one processor. Written
by `python -m benchmarks.outcomes`; the tests check the quick ones again.

| program | outcome | assumptions | seconds | what is not derived |
| --- | --- | --- | --- | --- |
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
    start = process_time()
    program, _ = analyse(path.read_text(encoding="utf-8"), str(path), path.parent)
    if program is None:
        return f"| {path.as_posix()} | needs data |  |  | |"
    report = check(program)
    took = process_time() - start
    left = "; ".join(f"{d.code}, {_place(d)}" for d in (*report.found, *report.unproven))
    counts = f"{len(report.assumptions)} | {took:.1f}"
    return f"| {path.as_posix()} | {outcome(report)} | {counts} | {left} |"


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
