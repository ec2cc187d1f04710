"""Examples that a program cannot read: they would fail whatever it computes."""

from collections.abc import Iterator

from progtf.building.problems.order import unread_example
from progtf.notation.diagnostics import Diagnostic
from progtf.program.interface import interface_of
from progtf.program.model import Program
from progtf.program.tokens import InputError, Reader
from progtf.program.vectors import read_vectors


def unread_examples(program: Program) -> Iterator[Diagnostic]:
    """A mistake for every example with an input that the program does not take."""
    interface = interface_of(program)
    reader = Reader.of(interface)
    for example in program.examples:
        try:
            if interface.takes_vectors:
                read_vectors(example.input, interface.names[: interface.semes])
            else:
                reader.read(example.input)
        except InputError as error:
            yield unread_example(example.span, str(error))
