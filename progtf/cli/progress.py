"""How far long work has come, on stderr."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(total: int | None) -> Iterator[Callable[[str, int], None]]:
    """Shows a bar on stderr; yields what tells it which file has come how much further."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    disable = not console.is_terminal
    columns = (*columns, TimeRemainingColumn())
    with Progress(*columns, console=console, disable=disable, redirect_stdout=False) as bar:
        task = bar.add_task("", total=total)
        yield lambda name, more: bar.update(task, description=name, advance=more)
