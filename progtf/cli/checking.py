"""``progtf check``: what is wrong with programs, and how far they are from a wrong answer."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from progtf.building.examples import unread_examples
from progtf.building.load import analyse
from progtf.cli.messages import UserError, plain, say, warn, with_notes
from progtf.cli.sources import read_text, with_doubt
from progtf.notation.diagnostics import errors
from progtf.notation.seme_error import SemeError
from progtf.notation.spell import counted
from progtf.program.summary import summary

if TYPE_CHECKING:
    from rich.table import Table

    from progtf.exact.report import Report
    from progtf.notation.diagnostics import Span

WIDTH = 116  # columns, where there is no terminal
LONGEST = 52  # characters of a line of the file
WORST = 40  # rows of rules; those with the smallest margins are shown


def check(
    files: Annotated[list[Path], typer.Argument(help="Programs.")],
    *,
    dtype: Annotated[
        str, typer.Option(help="How weights are stored: float64, float32, bfloat16, float16.")
    ] = "float32",
    length: Annotated[
        int | None, typer.Option(min=1, help="Longest input in tokens, if not as declared.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what is wrong.")] = False,
) -> None:
    """Say everything that is wrong or doubtful in programs, and refuse what would not be exact.

    For every head the smallest attention gap and the largest leak, for every rule the smallest
    threshold margin, for the answer the smallest logit gap, over all inputs up to the longest one.
    `docs/checking.md` explains the table; `progtf run --margins` measures the same on inputs.

    Status 1 if a program has an error, or could answer wrongly for all that can be shown.
    """
    results = [_check(file, dtype, length, quiet=quiet) for file in files]
    if not all(results):
        sys.exit(1)


def _check(file: Path, dtype: str, length: int | None, *, quiet: bool) -> bool:
    """Checks one program; whether it may be used."""
    from progtf.exact import FORMATS, check  # noqa: PLC0415  numpy takes its time

    if dtype not in FORMATS:
        raise UserError(f"--dtype {dtype} is none of {', '.join(FORMATS)}")
    program, found = analyse(read_text(file), str(file), file.parent)
    report = None if program is None else check(program, dtype, length)
    found = (*found, *(() if program is None else unread_examples(program)))
    found = (*found, *(() if report is None else (*report.found, *report.unproven)))
    if found:
        error = SemeError(found)
        warn(with_notes(error if program else with_doubt(error, file)))
    if program is not None and report is not None and not quiet:
        say(summary(program))
        _print_report(report, file)
    return not errors(found)


def _print_report(report: "Report", file: Path) -> None:
    from rich.console import Console  # noqa: PLC0415  rich is slow
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False)
    console = Console(highlight=False, width=max(console.width, WIDTH))
    for table in (_heads(report), _rules(report, file)):
        if table.row_count:
            console.print(table)
    console.print(Text(" ".join(_answer(report))))
    for number, assumed in enumerate(report.assumptions, start=1):
        console.print(Text(f"  {number} assumes that {assumed}"))
    verdict = _verdict(report)
    under = " if what is assumed holds" if report.exact and report.assumptions else ""
    console.print(f"{verdict}{under}: weights in {report.dtype}, {report.length} tokens at most")


def _verdict(report: "Report") -> str:
    if report.found:
        return f"NOT exact, {counted(len(report.found), 'problem')}"
    if report.unproven:
        return f"NOT proven, {counted(len(report.unproven), 'bound')} not derived"
    return "exact"


def _table(title: str, *columns: str) -> "Table":
    """Numbers to the right, before the name of what they belong to."""
    from rich.box import SIMPLE  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(title=title, title_justify="left", box=SIMPLE, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="left" if column == columns[-1] else "right", no_wrap=True)
    return table


def _heads(report: "Report") -> "Table":
    from rich.text import Text  # noqa: PLC0415

    table = _table("Heads", "attention gap, nats", "leak", "address gap", "assumes", "head")
    for row in report.heads:
        address = "" if row.address is None else f"{row.address:.3g}"
        gap = "no rival" if math.isinf(row.gap) else f"{max(row.gap, 0.0):.3g}"
        name = Text(f"{row.place} / {row.name or '(unnamed)'}")
        table.add_row(gap, f"{row.leak:.2g}", address, _listed(row.assumed), name)
    return table


def _rules(report: "Report", file: Path) -> "Table":
    """The lines with the smallest margins, if not all of them fit."""
    from rich.text import Text  # noqa: PLC0415

    rows = report.rules
    if len(rows) > WORST:
        rows = sorted(rows, key=lambda row: math.inf if row.margin is None else row.margin)[:WORST]
    left = len(report.rules) - len(rows)
    title = f"Rules, those nearest to a threshold of {len(report.rules):,}" if left else "Rules"
    table = _table(title, "threshold margin, of a step", "error", "rules", "assumes", "line")
    for row in rows:
        margin = "no step" if row.margin is None else f"{max(row.margin, 0.0):.4g}"
        text = plain(f"{_place(row.span, file)}: {row.text}")
        line = Text(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
        table.add_row(margin, f"{row.error:.2g}", f"{row.count:,}", _listed(row.assumed), line)
    return table


def _place(span: "Span", file: Path) -> str:
    """The line, and before it the name of the file if it is one that the program uses."""
    other = span.source.name != str(file)
    return f"{Path(span.source.name).name}:{span.line}" if other else str(span.line)


def _listed(numbers: tuple[int, ...]) -> str:
    return " ".join(str(number) for number in numbers)


def _answer(report: "Report") -> Iterator[str]:
    row = report.output
    if row is None:
        yield "Answer: nothing is derived"
        return
    what = "a number" if row.name == "residual" else "a score"
    if row.gap is not None and math.isfinite(row.gap):
        yield f"Answer: logit gap at least {max(row.gap, 0.0):.4g},"
    elif row.name != "residual":
        yield "Answer: logit gap not derived,"
    else:
        yield "Answer: the residual,"
    yield f"{what} lies at most {row.error:.2g} off"
    if row.assumed:
        yield f"(assumes {_listed(row.assumed)})"
