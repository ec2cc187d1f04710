"""What is raised for a program that cannot be used."""

from collections.abc import Iterable, Sequence

from progtf.notation.diagnostics import Diagnostic
from progtf.notation.render import render_all


class SemeError(Exception):
    """A program that cannot be used; ``diagnostics`` holds everything that was found."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: Sequence[Diagnostic] = tuple(diagnostics)
        super().__init__(render_all(self.diagnostics))
