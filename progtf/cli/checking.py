"""``progtf check``: what is wrong with programs, and how far they are from a wrong answer."""

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from progtf.building.load import analyse, unread_examples
from progtf.cache import Cache
from progtf.cli.messages import UserError, say, warn, with_notes
from progtf.cli.texts import read_bytes, read_text, with_doubt
from progtf.compiled import Place
from progtf.notation.diagnostics import Diagnostic, errors
from progtf.notation.render import SemeError
from progtf.notation.spell import counted
from progtf.program.summary import summary
from progtf.program.who import told, who_answers
from progtf.terminal import plain

if TYPE_CHECKING:
    from rich.table import Table

    from progtf.exact.report import Report
    from progtf.exact.worst import Breaking, Worst
    from progtf.notation.diagnostics import Span
    from progtf.program.model import Program
    from progtf.program.outcome import Outcome

WORST_FIRST = 1, 3, 0
"""What a command ends with: refused, not proven, exact."""
WIDTH = 116  # columns, where there is no terminal
LONGEST = 52  # characters of a line of the file
LONGEST_INPUT = 65_536  # tokens
ALIKE = 8  # words that are all the same are counted, if they are more
WORST = 40  # rows of rules; those with the smallest margins are shown


def check(
    files: Annotated[list[Path], typer.Argument(help="Programs.")],
    *,
    dtype: Annotated[
        str | None,
        typer.Option(
            help="How weights are stored: float64, float32, bfloat16, float16. "
            "Without it as the network runs: float32 if it is exact in it, otherwise float64."
        ),
    ] = None,
    length: Annotated[
        int | None,
        typer.Option(min=1, max=LONGEST_INPUT, help="Longest input in tokens, if not as declared."),
    ] = None,
    lexicon: Annotated[
        Path | None,
        typer.Option(
            help="Lines of a lexicon in place of what the programs say of these tokens, such as the"
            " `chosen.seme` of a run."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what is wrong.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object for each program, and no table.")
    ] = False,
    proof: Annotated[
        Path | None,
        typer.Option(
            help="Write a proof of the network that a program compiles to into this file, which"
            " `python -m progtf.exact.kernel FILE FOLDER` checks with nothing but Python."
        ),
    ] = None,
) -> None:
    """Say what is wrong or doubtful in programs, who answers, and whether networks are exact.

    A written program is answered by the interpreter, exactly; all else that is said here is of the
    network that the program compiles to, for those who train, export or run it.

    For every head the smallest attention gap and the largest leak, for every rule the smallest
    threshold margin, for the answer the smallest logit gap, over all inputs up to the longest one.
    `docs/checking.md` explains the table; `progtf run --margins` measures the same on inputs.

    What is assumed is told worst first, with a text that breaks it where one is found.

    Status 0 if all programs are exact, also under assumptions; 3 if one is not proven to be; 1 if
    one is refused: it has an error, or would answer wrongly.
    """
    lines = "" if lexicon is None else read_text(lexicon)
    if proof is not None and (len(files) > 1 or length is not None):
        raise UserError("--proof is of one program at its declared length")
    found = {
        _check(file, lines, dtype, length, quiet=quiet, as_json=as_json, proof=proof)
        for file in files
    }
    sys.exit(next(status for status in WORST_FIRST if status in found))


def _check(
    file: Path,
    lexicon: str,
    dtype: str | None,
    length: int | None,
    *,
    quiet: bool,
    as_json: bool,
    proof: Path | None,
) -> int:
    """Checks one program; the status that it has."""
    from progtf.exact import FORMATS  # noqa: PLC0415  numpy takes its time
    from progtf.exact.worst import worst_first  # noqa: PLC0415  as above
    from progtf.outcomes import Question, outcome_of  # noqa: PLC0415  as above

    if dtype not in (None, *FORMATS):
        raise UserError(f"--dtype {dtype} is none of {', '.join(FORMATS)}")
    program, found = _read(file, lexicon)
    if program is None:
        _say(file, found, {"verdict": "refused"} if as_json else None, program)
        return WORST_FIRST[0]
    question = Question(program, Cache.of_user())
    *before, report = question.reports(dtype, length)
    outcome = outcome_of(program, report)
    outcome = outcome if dtype or length else question.by_parts(outcome)
    found = (*found, *unread_examples(program))
    problems = (*found, *report.found, *report.unproven)
    if as_json:
        every = {name: each for name, each in asdict(outcome).items() if name != "held"}
        shown = {**every, "length": report.length, "answers": who_answers(program)}
        shown |= {"again": program.again} if program.again else {}
        _say(file, problems, {**shown, **_worst(worst_first(program, report), outcome)}, program)
        return _status(found, report, outcome, _prove(program, outcome.dtype, proof, quiet=True))
    _say(file, problems, None, program)
    if not quiet:
        say(summary(program))
        say(told(program))
        for name in _scanning(program):
            say(f"{name} looks through all that was written for each token")
        _print_report(report, file, worst_first(program, report))
        for other in before:
            say(f"in {other.dtype}: NOT {_why_not(other)}")
        _print_parts(outcome, report)
        if program.again:
            most = counted(program.again, "step")
            say(f"asked again, {most} at most: what is proven is proven of each step")
    return _status(found, report, outcome, _prove(program, outcome.dtype, proof, quiet=quiet))


def _scanning(program: "Program") -> Iterator[str]:
    """The heads of a decoder for which a token costs the more the longer the text is."""
    from progtf.running.sight import scans  # noqa: PLC0415  numpy takes its time

    for layer in program.decoder if program.kind == "decoder" else ():
        for head in getattr(layer, "heads", ()):
            if scans(head):
                place = f"layer `{layer.name}`" if layer.name else f"line {head.span.line}"
                yield f"head `{head.name}` of {place}" if head.name else f"a head of {place}"


def _read(file: Path, lexicon: str) -> "tuple[Program | None, tuple[Diagnostic, ...]]":
    """A program, as it was kept or read anew, and all that is wrong or doubtful in it."""
    if lexicon:
        return analyse(read_text(file), str(file), file.parent, lexicon=lexicon)
    place = Place(file, read_bytes(file), Cache.of_user())
    return place.program() or place.analysed()


def _prove(program: "Program", dtype: str, file: Path | None, *, quiet: bool) -> bool:
    """Writes a proof, if one is asked for; whether there is one, or none was asked for."""
    if file is None:
        return True
    from progtf.atomic import replacing  # noqa: PLC0415  only who asks waits
    from progtf.exact.kernel.numbers import NotProven  # noqa: PLC0415  as above
    from progtf.exact.proving import proof_of  # noqa: PLC0415  as above

    try:
        made = proof_of(program, dtype)
    except NotProven as why:
        warn(f"no proof: {why}")
        return False
    with replacing(file) as opened:
        opened.write(made.text.encode())
    if not quiet:
        say(f"{plain(str(file))}: {made.says}")
    return True


def _status(
    found: tuple[Diagnostic, ...], report: "Report", outcome: "Outcome", proven: bool
) -> int:
    """The status of a program, whatever its texts break."""
    if errors(found):
        return WORST_FIRST[0]
    return (0 if proven else WORST_FIRST[1]) if report.exact else outcome.status


def _worst(worst: "Worst", outcome: "Outcome") -> dict[str, Any]:
    """What is assumed, the worst first, and what breaks, for JSON; what is assumed of some kinds of
    texts alone comes last.
    """
    words = [each.words for each in worst.assumed]
    broken = [(each.words, each.breaking) for each in worst.assumed if each.breaking is not None]
    shown = [*broken, *((None, each) for each in worst.besides)]
    return {
        "assumptions": [*words, *outcome.assumptions[len(words) :]],
        "broken": [
            {"assumption": which, "text": each.text, "says": each.says} for which, each in shown
        ],
        "tried": worst.tried,
    }


def _say(
    file: Path,
    found: tuple[Diagnostic, ...],
    shown: dict[str, Any] | None,
    program: "Program | None",
) -> None:
    """Says on stderr what is wrong, or on stdout, in JSON, what is shown and what is wrong."""
    if shown is not None:
        shown = {"file": str(file), **shown, "problems": [_problem(each) for each in found]}
        say(json.dumps(shown, ensure_ascii=False))
    elif found:
        error = SemeError(found)
        warn(with_notes(error if program else with_doubt(error, file)))


def _problem(problem: Diagnostic) -> dict[str, Any]:
    """A diagnostic; line and column count from 1."""
    span = problem.span
    return {
        "severity": problem.severity,
        "code": problem.code,
        "file": span.source.name,
        "line": span.line,
        "column": span.start + 1,
        "headline": problem.headline,
        "label": problem.label,
        "help": problem.help,
    }


def _print_report(report: "Report", file: Path, worst: "Worst") -> None:
    from progtf.tables import Shown  # noqa: PLC0415  rich is slow

    console = Shown(width=max(Shown().width, WIDTH))
    places = {each.number: place for place, each in enumerate(worst.assumed, start=1)}
    for table in (_heads(report, places), _rules(report, file, places)):
        if table.row_count:
            console.print(table)
    console.print(" ".join(_answer(report, places)))
    for place, each in enumerate(worst.assumed, start=1):
        console.print(f"  {place} assumes that {each.words}")
        if each.breaking is not None:
            console.print(f"    broken by {_breaking(each.breaking)}")
    for each in worst.besides:
        console.print(f"  besides, a promise is broken by {_breaking(each)}")
    if worst.tried and worst.assumed:
        console.print(f"  {'; '.join(_tried(worst))}")
    verdict = _verdict(report)
    under = " if what is assumed holds" if report.exact and report.assumptions else ""
    console.print(f"{verdict}{under}: weights in {report.dtype}, {report.length} tokens at most")


def _breaking(found: "Breaking") -> str:
    """A text, and what does not hold of it; of many words that are one word how many they are."""
    parts = found.parts
    alike = len(parts) > ALIKE and len(set(parts)) == 1
    text = f'"{parts[0]}" {len(parts):,} times' if alike else f'"{found.text}"'
    return f"{plain(text)}: {plain(found.says)}"


def _tried(worst: "Worst") -> Iterator[str]:
    """Of what is listed what no text broke, and what the network alone needs."""
    broken = sum(each.breaking is not None for each in worst.assumed)
    held = sum(each.held for each in worst.assumed)
    if broken < held:
        yield f"no text that breaks {_span(broken, held)} among {worst.tried:,} tried"
    if held < len(worst.assumed):
        yield f"only the network needs {_span(held, len(worst.assumed))}"


def _span(after: int, last: int) -> str:
    """``3 to 9``: the numbers behind one, up to the last."""
    return str(last) if last == after + 1 else f"{after + 1} to {last}"


def _print_parts(outcome: "Outcome", report: "Report") -> None:
    """Which kinds of texts are answered in float32 if the whole is not, and what that assumes."""
    if outcome.lighter:
        say(f"in float32: exact for texts of one kind, {', '.join(outcome.lighter)}")
    for assumed in outcome.assumptions[len(report.assumptions) :]:
        say(f"  which assumes that {assumed}")


def _verdict(report: "Report") -> str:
    if report.found:
        return f"NOT exact, {counted(len(report.found), 'problem')}"
    if report.unproven:
        return f"NOT proven, {counted(len(report.unproven), 'bound')} not derived"
    return "exact"


def _why_not(report: "Report") -> str:
    """Why a program is not exact in a format: the first problem."""
    verdict = "exact" if report.found else "proven"
    first = (*report.found, *report.unproven)[0]
    return f"{verdict}: {first.headline} (`--dtype {report.dtype}` says all)"


def _table(title: str, *columns: str) -> "Table":
    """Numbers to the right, before the name of what they belong to."""
    from rich.box import SIMPLE  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(title=title, title_justify="left", box=SIMPLE, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="left" if column == columns[-1] else "right", no_wrap=True)
    return table


def _heads(report: "Report", places: dict[int, int]) -> "Table":
    table = _table("Heads", "attention gap, nats", "leak", "address gap", "assumes", "head")
    for row in report.heads:
        address = "" if row.address is None else f"{row.address:.3g}"
        gap = "no rival" if math.isinf(row.gap) else f"{max(row.gap, 0.0):.3g}"
        name = f"{row.place} / {row.name or '(unnamed)'}"
        table.add_row(gap, f"{row.leak:.2g}", address, _listed(row.assumed, places), name)
    return table


def _rules(report: "Report", file: Path, places: dict[int, int]) -> "Table":
    """The lines with the smallest margins, if not all of them fit."""
    rows = report.rules
    if len(rows) > WORST:
        rows = sorted(rows, key=lambda row: math.inf if row.margin is None else row.margin)[:WORST]
    left = len(report.rules) - len(rows)
    title = f"Rules, those nearest to a threshold of {len(report.rules):,}" if left else "Rules"
    table = _table(title, "threshold margin, of a step", "error", "rules", "assumes", "line")
    for row in rows:
        margin = "no step" if row.margin is None else f"{max(row.margin, 0.0):.4g}"
        text = plain(f"{_place(row.span, file)}: {row.text}")
        line = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        table.add_row(
            margin, f"{row.error:.2g}", f"{row.count:,}", _listed(row.assumed, places), line
        )
    return table


def _place(span: "Span", file: Path) -> str:
    """The line, and before it the name of the file if it is one that the program uses."""
    other = span.source.name != str(file)
    return f"{Path(span.source.name).name}:{span.line}" if other else str(span.line)


def _listed(numbers: tuple[int, ...], places: dict[int, int]) -> str:
    """The places of assumptions in the list."""
    return " ".join(map(str, sorted(places[number] for number in numbers)))


def _answer(report: "Report", places: dict[int, int]) -> Iterator[str]:
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
        yield f"(assumes {_listed(row.assumed, places)})"
