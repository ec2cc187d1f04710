"""Who answers for a program: the interpreter, but where only a network computes what is written."""

from collections.abc import Iterator
from pathlib import Path

from progtf.notation.diagnostics import Span
from progtf.numbers import plain
from progtf.program.model import Head, Layer, Program
from progtf.program.outcome import Who


def who_answers(program: Program) -> Who:
    """Whose answers are a program's where nobody asks for others."""
    return "interpreter" if network_alone(program) is None else "network"


def network_alone(program: Program) -> str | None:
    """Why only a network says what a program does; None: the interpreter says it exactly.

    What is learned is in no text; layer normalisation and tanh have no fractions; and attention
    that is written softly mixes what it finds with what it does not.
    """
    return next(_reasons(program), None)


def _reasons(program: Program) -> Iterator[str]:
    if program.hybrid:
        yield "something in it is left to training"
    if program.norm == "layer":
        yield "`norm: layer` is computed in float64 alone"
    if program.cell is not None and program.cell.activation == "tanh":
        yield "`activation: tanh` is computed in float64 alone"
    for head in _heads(program):
        if head.soft:
            name = f"head `{head.name}`" if head.name else "a head"
            given, due = plain(head.sharpness), plain(head.hard)
            yield (
                f"{name} in {_place(head.span)} attends softly: `sharpness: {given}`, where "
                f"{due} would leave nothing to the rest"
            )


def _heads(program: Program) -> Iterator[Head]:
    for stage in (*program.encoder, *program.decoder):
        if isinstance(stage, Layer):
            yield from (*stage.heads, *stage.cross)


def _place(span: Span) -> str:
    return f"line {span.line} of {Path(span.source.name).name}"


def told(program: Program) -> str:
    """Who answers, as a line says it."""
    why = network_alone(program)
    if why is None:
        return "answered by the interpreter, exactly; what follows is of the network"
    return f"answered by the network: {why}"
