"""Tables of what happens inside: ``--trace`` and ``--margins``."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table

from progtf.cli import typed
from progtf.cli.messages import Kind, UserError, say, warn
from progtf.cli.sources import read_program
from progtf.notation.did_you_mean import nearest
from progtf.numbers import shown
from progtf.program.answers import Answer, EndlessError, so_far
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter, Trace
from progtf.running.margins import margins_of
from progtf.running.trace import Step
from progtf.tables import Shown

if TYPE_CHECKING:
    from progtf.network.model import Model


def print_traces(
    runner: "Model | Interpreter", inputs: Sequence[str], wanted: str, kind: Kind
) -> bool:
    """One table a layer and input: tokens down, semes across; whether an answer does not end.

    Of a layer that changes nothing of it one line says so.
    """
    if runner.speaker.interface.takes_vectors:
        raise UserError("--trace: this program takes vectors, and has no tokens to show")
    console = Shown(soft_wrap=True)
    said, failed = _said(runner, inputs, kind)
    for number, text, _ in _asked(inputs, said):
        if number:
            say(f"step {number}: {text}")
        space, style = runner.speaker.interface.space, runner.speaker.style
        columns = _columns(wanted, [dimension.name for dimension in space])
        if told := typed.told(runner.reader, text):
            say(told)
        before: list[list[str]] = []
        for moment in _moments(runner, text):
            title = f"{moment.stack} / {moment.label}"
            shown = [
                [style.shown(float(value), seme) for value, seme in zip(row, space, strict=False)]
                for row in moment.residual
            ]
            now = _cells(moment.tokens, shown, columns)
            console.print(f"{title}: as before" if now == before else _table(title, now, columns))
            before = now
    return failed


def _said(
    runner: "Model | Interpreter", inputs: Sequence[str], kind: Kind
) -> tuple[dict[int, Answer], bool]:
    """The answers by the places of their inputs, and whether one is refused or does not end.

    Raises:
        InputError: if the program can take none of the inputs.
    """
    tried = runner.try_answers(inputs)
    wrong = {n: each for n, each in enumerate(tried, 1) if isinstance(each, InputError)}
    refused = sum(not isinstance(each, EndlessError) for each in wrong.values())
    if refused == len(inputs):
        runner.read(inputs)
    for number, error in wrong.items():
        warn(f"{kind} {number}: {error}")
    if refused:
        warn(f"{refused} of {len(inputs)} inputs refused")
    return {
        n: so_far(each)
        for n, each in enumerate(tried)
        if isinstance(each, EndlessError) or not isinstance(each, InputError)
    }, bool(wrong)


def _asked(inputs: Sequence[str], said: Mapping[int, Answer]) -> Iterator[tuple[int, str, Answer]]:
    """Every text that was asked, with its answer; of a chain each step with its number, else 0."""
    for place, answer in said.items():
        if not answer.steps:
            yield 0, inputs[place], answer
        for number, step in enumerate(answer.steps, start=1):
            yield number, step.text, step.answer


def _moments(runner: "Model | Interpreter", text: str) -> list[Step]:
    if isinstance(runner, Interpreter):
        trace = Trace()
        with suppress(EndlessError):
            runner.answer(text, trace)
        return trace.steps
    return runner.trace(text)


Columns = dict[str, list[tuple[str, int]]]


def _columns(wanted: str, names: Sequence[str]) -> Columns:
    """What each asked-for name shows: a seme, or the members of a family, group or pattern."""
    columns: Columns = {}
    for name in (part.strip() for part in wanted.split(",")):
        places = [
            (seme.removeprefix(name).strip("[].") or seme, place)
            for place, seme in enumerate(names)
            if seme == name or seme.startswith((f"{name}[", f"{name}.")) or fnmatchcase(seme, name)
        ]
        if not places:
            hint = nearest(name, {seme.partition("[")[0] for seme in names})
            raise UserError(f"--trace: no seme is called `{name}`" + (hint and f"; {hint}"))
        columns[name] = places
    return columns


def _cells(
    tokens: Sequence[str], values: Sequence[Sequence[str]], columns: Columns
) -> list[list[str]]:
    """A row for every token."""
    return [
        [str(place), repr(token), *(_cell(row, name, each) for name, each in columns.items())]
        for place, (token, row) in enumerate(zip(tokens, values, strict=True))
    ]


def _table(title: str, cells: Sequence[Sequence[str]], columns: Columns) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE, pad_edge=False)
    for head in ("", "token", *columns):
        table.add_column(head, justify="left" if head else "right", no_wrap=True)
    for row in cells:
        table.add_row(*row)
    return table


def _cell(row: Sequence[str], name: str, members: list[tuple[str, int]]) -> str:
    """A seme's value, or of a family the members that are not 0, with what is not 1."""
    values = [(label, row[place]) for label, place in members if row[place] != "0"]
    if [label for label, _ in members] == [name]:
        return values[0][1] if values else "."
    return " ".join(label if v == "1" else f"{label}={v}" for label, v in values) or "."


def print_margins(
    file: Path, runner: "Model | Interpreter", inputs: Sequence[str], kind: Kind
) -> bool:
    """The smallest margins over all inputs, and where; whether an answer does not end."""
    console = Shown(soft_wrap=True)
    (said, failed), style = _said(runner, inputs, kind), runner.speaker.style
    for answer in said.values():
        console.print(answer.text)
    _, texts, answers = zip(*_asked(inputs, said), strict=True)
    table = Table("margin", "smallest", "where", title="Margins", title_justify="left")
    for name, value, where in _margins(file, texts, answers):
        table.add_row(name, shown(value, digits=style.digits), where)
    console.print(table)
    return failed


def _margins(
    file: Path, inputs: Sequence[str], answers: Sequence[Answer]
) -> Iterator[tuple[str, float, str]]:
    found = zip(answers, inputs, strict=True)
    gaps = [(answer.gap, text) for answer, text in found if answer.gap is not None]
    if gaps:
        gap, text = min(gaps)
        yield "logit gap", gap, text
    if file.is_dir():
        return
    found = margins_of(read_program(file), inputs)
    if found.attention is not None:
        yield "attention gap, nats", found.attention[0], found.attention[1]
    if found.threshold is not None:
        yield "threshold margin, of a step", found.threshold[0], found.threshold[1]
