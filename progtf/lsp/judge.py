"""What takes long is found out beside the editor: whether a program is exact, its examples right.

A process of its own answers a line of JSON with a line of JSON; who takes too long is stopped.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from progtf.building.load import analyse
from progtf.cache import Cache
from progtf.notation.diagnostics import Diagnostic
from progtf.numbers import EXACT
from progtf.outcomes import Question, outcome_of
from progtf.program.answers import EndlessError
from progtf.program.expected import agrees, found
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter

Data = dict[str, Any]


def judge(text: str, name: str, folder: Path | None) -> Data:
    """What is proven of a program, and which of its examples fail.

    Returns:
        ``outcome`` in words, ``problems`` that the proof found, ``count`` of examples, and
        ``wrong``: of each that fails its line and what was found. Empty for a text with errors.
    """
    program, _ = analyse(text, name, folder)
    if program is None:
        return {}
    report = Question(program, Cache.of_user()).reports(None, None)[-1]
    problems = [_told(each, name) for each in (*report.found, *report.unproven)]
    outcome = str(outcome_of(program, report).verdict)
    wrong = [{"line": line, "found": found} for line, found in _wrong(program)]
    count = len(program.examples)
    return {"outcome": outcome, "problems": problems, "count": count, "wrong": wrong}


def _wrong(program: Program) -> Iterator[tuple[int, str]]:
    interpreter = Interpreter(program)
    answers = interpreter.try_answers([example.input for example in program.examples])
    for example, answer in zip(program.examples, answers, strict=True):
        if isinstance(answer, EndlessError):
            yield example.span.line, f"found {answer.answer.text}, but {answer}"
        elif isinstance(answer, InputError):
            yield example.span.line, str(answer)
        elif not agrees(answer, example.output, interpreter.speaker.interface, EXACT):
            seen = found(answer, example.output, interpreter.speaker, EXACT)
            yield example.span.line, f"expected {example.output}, found {seen}"


def _told(problem: Diagnostic, name: str) -> Data:
    span = problem.span
    line = span.line if span.source.name == name else 1
    return {"line": line, "start": span.start, "end": span.end, "code": problem.code,
            "text": problem.headline, "help": problem.help}  # fmt: skip


def main() -> None:
    """Says that it is ready, and answers until the input ends."""
    print("ready", flush=True)  # noqa: T201  its output is its answer
    for line in sys.stdin:
        request = json.loads(line)
        folder = None if request["folder"] is None else Path(request["folder"])
        try:
            found = judge(request["text"], request["name"], folder)
        except Exception as error:  # noqa: BLE001  an editor goes on
            found = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
