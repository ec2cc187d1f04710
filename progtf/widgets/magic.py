"""``%%seme``: a program in a cell of its own."""

import shlex
from argparse import ArgumentParser, Namespace

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, magics_class

from progtf.building.load import parse_program
from progtf.notation.render import SemeError
from progtf.program.model import Program


class _Options(ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}; write `%%seme [NAME] [--play] [--input TEXT]`")


def _read(line: str) -> Namespace:
    """The options behind ``%%seme``."""
    options = _Options(prog="%%seme", add_help=False)
    options.add_argument("name", nargs="?")
    options.add_argument("--play", action="store_true")
    options.add_argument("--input")
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{line}: {error}") from None
    chosen = options.parse_args(words)
    if chosen.name is not None and not chosen.name.isidentifier():
        raise UsageError(f"`{chosen.name}` cannot be the name of a variable")
    return chosen


@magics_class
class SemeMagics(Magics):
    """The magics of ``%load_ext progtf``."""

    @cell_magic
    def seme(self, line: str, cell: str) -> object:
        """Reads the cell as a program: ``%%seme [NAME] [--play] [--input TEXT]``.

        With a name the program is put into a variable. ``--play`` shows it as a playground.
        Mistakes are listed with their places.
        """
        chosen = _read(line)
        if chosen.play:
            return self._playground(cell, chosen.name, chosen.input)
        program = self._program(cell, chosen.name)
        self._keep(chosen.name, program)
        return program

    def _playground(self, cell: str, name: str | None, text: str | None) -> object:
        from progtf.widgets.figures import Playground  # noqa: PLC0415  only where it is asked for

        shown = Playground(cell, text)
        self._keep(name, shown)
        return shown

    def _program(self, cell: str, name: str | None) -> Program:
        try:
            return parse_program(cell, f"<{name or 'cell'}>")
        except SemeError as error:
            raise UsageError(str(error)) from None

    def _keep(self, name: str | None, value: object) -> None:
        if name is not None and self.shell is not None:
            self.shell.push({name: value})


def register(shell: InteractiveShell) -> None:
    """Adds the magics to a shell."""
    shell.register_magics(SemeMagics)
