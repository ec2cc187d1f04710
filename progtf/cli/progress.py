"""How far long work has come, on stderr."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from progtf.tables import Shown, bar
from progtf.terminal import plain


@contextmanager
def progress_bar(total: int | None) -> Iterator[Callable[[str, int], None]]:
    """Shows a bar on stderr; yields what tells it which file has come how much further."""
    console = Shown(stderr=True)
    with bar(console, disable=not console.is_terminal) as shown:
        task = shown.add_task("", total=total)
        yield lambda name, more: shown.update(task, description=plain(name), advance=more)
