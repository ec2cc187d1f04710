"""What is doubtful in a program that has been built.

A warning is a function of the context: it looks at what parts read and write, and builds nothing.

    for part in context.parts:
        part.reads    # (seme, place), of a group `group.`
        part.writes   # semes
        part.span     # where it is written
"""

from collections.abc import Callable, Iterator

from progtf.building import problems
from progtf.building.context import Context
from progtf.notation.diagnostics import Diagnostic

Warnings = Callable[[Context], Iterator[Diagnostic]]


def two_writers(context: Context) -> Iterator[Diagnostic]:
    """Two parts of one stack may write a seme at one token."""
    for name, first, second in context.written.doubles():
        yield problems.order.two_writers(second, name, at=first)


WARNINGS: tuple[Warnings, ...] = (two_writers,)
