"""Tasks of a class: a program to start from, what is wanted, and examples that are hidden.

A task is a TOML file of four texts. The `examples:` of its solution are what the page ticks off as
a changed program meets them; the solution itself stays out of the page.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from progtf.building.load import parse_program
from progtf.cli.messages import UserError
from progtf.cli.page_body import as_figure
from progtf.cli.texts import as_text, read_text
from progtf.notation.diagnostics import Source
from progtf.notation.examples import Example
from progtf.notation.render import SemeError
from progtf.numbers import EXACT
from progtf.program.expected import agrees
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter
from progtf.views.page import program_body
from progtf.views.program import describe

Data = dict[str, Any]
TASK = ".toml"
KEYS = ("title", "wanted", "start", "solution")


@dataclass(frozen=True)
class Task:
    """What a file says of a task.

    Attributes:
        title: a name for it.
        wanted: what a program is to do, in a sentence.
        start: the program that pupils change.
        solution: one that does what is wanted; its examples are hidden from pupils.
    """

    title: str
    wanted: str
    start: str
    solution: str


def read_task(file: Path) -> Task:
    """The task in a file, whether or not its programs are right.

    Raises:
        UserError: if the file is not there, or is no task.
    """
    hint = f"a task has {', '.join(KEYS)}, each a text"
    try:
        said = tomllib.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file}: {error}; {hint}") from None
    wrong = [key for key in said if key not in KEYS]
    if wrong:
        raise UserError(f"{file}: a task has no `{wrong[0]}`; {hint}")
    for key in KEYS:
        if not isinstance(said.get(key), str) or not said[key].strip():
            raise UserError(f"{file}: `{key}` is missing, or no text; {hint}")
    texts = {key: said[key].lstrip("\n") for key in KEYS}
    return Task(**texts)


def task_body(file: Path, python: str) -> tuple[Task, str]:
    """A task and the HTML of its page; ``python``: the folder of Python for browsers.

    Raises:
        UserError: also for a task that nobody can solve, or that is solved as it begins.
        SemeError: with the mistakes of one of its programs.
    """
    task = read_task(file)
    solution, start = (_program(file, task, key) for key in ("solution", "start"))
    hidden = solution.examples
    if not hidden:
        raise UserError(f"{file}: the solution has no `examples:`, and a task needs some to hide")
    if missed := _missed(solution, hidden):
        place = f"line {missed[0].span.line} of the solution"
        raise UserError(f"{file}: the solution does not meet its own example in {place}")
    if not _missed(start, hidden):
        raise UserError(f"{file}: the program that one starts from meets all hidden examples")
    source = Source(f"{as_text(file.stem)}.seme", task.start)
    data, still = as_figure(source, start, file, None, python)
    if data["program"]["cut"] is not None or describe(solution)["cut"] is not None:
        raise UserError(f"{file}: its words are cut or looked up by Python; the page must do it")
    data["task"] = as_task(task.wanted, hidden)
    return task, program_body(task.title, "", data, still, python)


def as_task(wanted: str, hidden: Sequence[Example]) -> Data:
    """What a figure needs of a task; without words of what is ``wanted`` it only tells how far
    one is.
    """
    examples = [{"input": each.input, "output": each.output, "line": 0} for each in hidden]
    return {"wanted": wanted, "hidden": examples}


def _program(file: Path, task: Task, key: str) -> Program:
    """One of the programs of a task."""
    try:
        return parse_program(getattr(task, key), f"{file}: {key}", file.parent)
    except SemeError as error:
        error.add_note(f"this is the text `{key}` of {file}; its lines are counted from its first")
        raise


def _missed(program: Program, hidden: tuple[Example, ...]) -> list[Example]:
    """Those of some examples that a program does not meet."""
    meant = Interpreter(program)
    answers = meant.try_answers([each.input for each in hidden])
    shape = meant.speaker.interface
    return [
        example
        for example, answer in zip(hidden, answers, strict=True)
        if isinstance(answer, InputError) or not agrees(answer, example.output, shape, EXACT)
    ]
