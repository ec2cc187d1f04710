"""The reference of a program, from its text."""

from pathlib import Path

from progtf.building.load import flat_program
from progtf.program.interface import interface_of
from progtf.program.model import Program
from progtf.reference import Reference


def reference_of(program: Program, text: str, folder: Path | None = None) -> Reference:
    """The reference of a program that was read from a text."""
    return Reference(flat_program(text, program.name, folder), interface_of(program))
