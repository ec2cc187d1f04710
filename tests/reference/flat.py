"""The reference of a program, from its text."""

from pathlib import Path

from progtf.building.load import _values_alone
from progtf.notation import flat as f
from progtf.notation.diagnostics import Source
from progtf.notation.expand import expand
from progtf.notation.files import gather
from progtf.notation.parser import parse_all
from progtf.program.interface import interface_of
from progtf.program.model import Program
from progtf.reference import Reference


def flat_of(text: str, name: str, folder: Path | None) -> f.Flat:
    """The flat program of a text."""
    file, _ = parse_all(Source(name, text))
    files, _ = gather(file, folder)
    flat, _ = expand(file, files)
    return _values_alone(flat)


def reference_of(program: Program, text: str, folder: Path | None = None) -> Reference:
    """The reference of a program that was read from a text."""
    return Reference(flat_of(text, program.name, folder), interface_of(program))
