"""``progtf test``: the examples in a program, on the interpreter and on compiled models."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

import progtf
from progtf.cli.messages import UserError, say, warn, with_notes
from progtf.cli.sources import read_program
from progtf.notation.render import SemeError
from progtf.numbers import EXACT
from progtf.program.answers import Answer, EndlessError
from progtf.program.expected import agrees
from progtf.program.formats import DIGITS, rules_hold
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter

# By which share of the larger of 1 and a number the format of weights may miss it. What is declared
# whole may lie off a quarter at most.
NOISE = {"interpreter": EXACT, "float64": EXACT, "float32": 1e-4, "bfloat16": 1e-2}


def test(
    files: Annotated[list[Path], typer.Argument(help="Programs with an `examples:` block.")],
) -> None:
    """Run the examples of programs on the interpreter and on models in three number formats.

    A format is left out if it is too coarse for the numbers that the rules of a program compare.
    Status 1 if any example fails or a program has none.
    """
    failed = False
    for file in files:
        try:
            program = read_program(file)
        except (SemeError, UserError) as error:
            warn(f"{file}: cannot be read\n{with_notes(error)}")
            failed = True
            continue
        misses = list(_misses(program, file))
        failed |= bool(misses) or not program.examples
        ways = ways_to_run(program)
        runs = len(program.examples) * len(ways)
        verdict = "no examples" if not program.examples else f"{runs - len(misses)} of {runs} right"
        say(f"{file}: {len(program.examples)} examples on {', '.join(ways)}: {verdict}")
        for miss in misses:
            say(miss)
    if failed:
        sys.exit(1)


def ways_to_run(program: Program) -> tuple[str, ...]:
    """The interpreter, and the number formats in which the rules of a program hold."""
    return tuple(way for way in NOISE if way not in DIGITS or rules_hold(program, way))


def _misses(program: Program, file: Path) -> Iterator[str]:
    """Every example that fails, in every format, as it is told."""
    for where in ways_to_run(program) if program.examples else ():
        meaning = where == "interpreter"
        runner = Interpreter(program) if meaning else progtf.compile(program, where)
        answers = runner.try_answers([example.input for example in program.examples])
        for example, answer in zip(program.examples, answers, strict=True):
            got = _got(answer)
            expected = example.output, runner.speaker.interface, NOISE[where]
            if isinstance(answer, InputError) or not agrees(answer, *expected):
                yield (
                    f"  {file}:{example.span.line}: {where}: {example.input}\n"
                    f"    expected {example.output}\n    got      {got}"
                )


def _got(answer: Answer | InputError) -> str:
    """What was answered, or why nothing was; of an answer that does not end both."""
    if isinstance(answer, EndlessError):
        return f"{answer.answer.text}\n    but {answer}"
    return str(answer) if isinstance(answer, InputError) else answer.text
