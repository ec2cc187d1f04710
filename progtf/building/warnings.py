"""What is doubtful in a program that has been built.

A warning is a function of the context and the program: it looks at what is read and written, and
builds nothing.

    for part in context.parts:    # heads and rules
        part.reads                # (seme, place), of a group `group.`
        part.crossing             # what a decoder's head reads of the encoder
        part.writes               # semes
        part.span                 # where it is written
    context.written.reads         # all that is read, by loops, raw weights and the answer, too
    program.outputs               # what the answer is read from; program.classify

A new one also needs a message (`problems/`), its entry in docs/errors.md, and a program that has it
in tests/golden/warned.
"""

from collections.abc import Callable, Iterator

from progtf.building import problems
from progtf.building.context import Context
from progtf.notation.diagnostics import Diagnostic
from progtf.program.model import Program

Warnings = Callable[[Context, Program], Iterator[Diagnostic]]


def two_writers(context: Context, _: Program) -> Iterator[Diagnostic]:
    """Two parts of one stack may write a seme at one token."""
    for name, first, second in context.written.doubles():
        yield problems.order.two_writers(second, name, at=first)


WARNINGS: tuple[Warnings, ...] = (two_writers,)
