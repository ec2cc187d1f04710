"""Tables and bars of rich whose words are shown as they are: no markup, no emoji, no escapes."""

import sys
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from progtf.terminal import plain

WIDTH = 120
"""Columns, where there is no terminal."""


class Shown(Console):
    """A console that obeys nothing of what it is given to show.

    Args:
        settings: as those of rich's ``Console``.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Every title, heading, cell and line passes here."""
        return super().render_str(plain(text), **settings)


def print_table(table: Table) -> None:
    """Prints a table; where the output is not a terminal, nothing is cut off."""
    Shown(width=None if sys.stdout.isatty() else WIDTH).print(table)


def bar(console: Shown, *, disable: bool) -> Progress:
    """A bar behind a line of words, which are shown as they are."""
    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
    return Progress(
        *columns, TimeRemainingColumn(), console=console, disable=disable, redirect_stdout=False
    )
