"""``progtf test``: the examples in a program, on the interpreter or on compiled models."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import progtf
from progtf import numbers
from progtf.cli.messages import UserError, say, warn, with_notes
from progtf.cli.outcome import Asked
from progtf.cli.sources import read_program
from progtf.notation.render import SemeError
from progtf.program.answers import EndlessError
from progtf.program.expected import agrees, found
from progtf.program.formats import rules_hold
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.program.who import who_answers
from progtf.running.interpret import Interpreter

if TYPE_CHECKING:
    from progtf.program.outcome import Who

MEANING, FORMATS = "interpreter", ("float64", "float32", "bfloat16")
NOISE = {way: numbers.NOISE.get(way, numbers.EXACT) for way in (MEANING, *FORMATS)}
"""By which share of the larger of 1 and a number each may miss it; the interpreter by nothing."""


def test(
    files: Annotated[list[Path], typer.Argument(help="Programs with an `examples:` block.")],
    *,
    engine: Asked = None,  # noqa: PT028  a command, no test of ours
) -> None:
    """Run the examples of programs by their meaning, or on networks in three number formats.

    The networks are asked with `--engine network`, and where a program leaves something to training
    or attends softly. A format is left out if it is too coarse for the numbers that the rules of a
    program compare. Status 1 if any example fails or a program has none.
    """
    failed = False
    for file in files:
        try:
            program = read_program(file)
        except (SemeError, UserError) as error:
            warn(f"{file}: cannot be read\n{with_notes(error)}")
            failed = True
            continue
        ways = ways_of(program, engine or who_answers(program))
        misses = list(_misses(program, ways))
        failed |= bool(misses) or not program.examples
        runs = len(program.examples) * len(ways)
        verdict = "no examples" if not program.examples else f"{runs - len(misses)} of {runs} right"
        say(f"{file}: {len(program.examples)} examples on {', '.join(ways)}: {verdict}")
        for miss in misses:
            say(miss)
    if failed:
        sys.exit(1)


def ways_of(program: Program, engine: "Who") -> tuple[str, ...]:
    """In which ways somebody answers."""
    meaning, *formats = ways_to_run(program)
    return (meaning,) if engine == "interpreter" else tuple(formats)


def ways_to_run(program: Program) -> tuple[str, ...]:
    """The interpreter, and the number formats in which the rules of a program hold."""
    return MEANING, *(way for way in FORMATS if rules_hold(program, way))


def _misses(program: Program, ways: tuple[str, ...]) -> Iterator[str]:
    """Every example that fails, in every way, as it is told."""
    for where in ways if program.examples else ():
        meaning = where == MEANING
        runner = Interpreter(program) if meaning else progtf.compile(program, where)
        answers = runner.try_answers([example.input for example in program.examples])
        for example, answer in zip(program.examples, answers, strict=True):
            due, noise, speaker = example.output, NOISE[where], runner.speaker
            refused = isinstance(answer, InputError)
            if refused or not agrees(answer, due, speaker.interface, noise):
                got = _refused(answer) if refused else found(answer, due, speaker, noise)
                place = f"{example.span.source.name}:{example.span.line}"  # of a used file, too
                yield (
                    f"  {place}: {where}: {example.input}\n    expected {due}\n    got      {got}"
                )


def _refused(error: InputError) -> str:
    """Why nothing was answered; of an answer that does not end it, too."""
    ends = not isinstance(error, EndlessError)
    return str(error) if ends else f"{error.answer.text}\n    but {error}"
