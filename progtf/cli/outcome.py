"""What is proven of answers, told at the command line, and the cache that remembers it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Timer
from typing import Annotated

import typer

from progtf.cache import Cache
from progtf.cli.messages import fail, say, warn
from progtf.notation.spell import counted
from progtf.program.outcome import Outcome, Who
from progtf.terminal import plain

PATIENCE = 1.0  # seconds
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Neither use nor keep what was found out of programs before."),
]
Settled = Annotated[
    str | None,
    typer.Option(
        help="How weights are stored: float64, float32, bfloat16, float16. Without it float32 "
        "if the program is exact in it, else float64; or as in the folder."
    ),
]
Asked = Annotated[
    Who | None,
    typer.Option(
        "--engine",
        help="Who answers: the `interpreter`, exactly, or the `network` that a program compiles "
        "to. Without it as `progtf run` has it: of a written program the interpreter.",
    ),
]
app = typer.Typer(add_completion=False)


def kept(*, no_cache: bool) -> Cache:
    """Where outcomes are remembered."""
    return Cache(None) if no_cache else Cache.of_user()


def tell(file: Path, outcome: Outcome, *, strict: bool = False) -> None:
    """Says of answers that are not exact what is proven of them; ends where none may be given."""
    if outcome.exact:
        return
    if strict:
        fail(f"error: {file}: {outcome}; --strict asks for exact answers", outcome.status)
    warn(f"{file}: {outcome}")


@contextmanager
def saying_so(what: str) -> Iterator[None]:
    """Shows on a terminal, if it takes long, what is done: ``checking ..., once``."""
    said = plain(f"{what} ...")
    shown: list[str] = []

    def show() -> None:
        shown.append(said)
        _write(said)

    timer = Timer(PATIENCE, show)
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if shown:
            _write("\r" + " " * len(said) + "\r")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


@app.callback(invoke_without_command=True)
def about(context: typer.Context) -> None:
    """What is kept on disk so that a program is read and checked only once (docs/checking.md).

    Without a command: what is kept, and why programs were read anew the last time.
    """
    if context.invoked_subcommand is None:
        _tell_kept()


@app.command()
def clear() -> None:
    """Forget everything that was kept."""
    user = Cache.of_user()
    entries, size, left = user.clear()
    where = "nothing is kept" if user.folder is None else str(user.folder)
    say(f"{where}: {counted(entries, 'file')} removed, {size:,} bytes")
    if left:
        fail(f"error: {where}: {counted(left, 'file')} could not be removed")


def _tell_kept() -> None:
    user = Cache.of_user()
    entries, size = user.size
    where = "nothing is kept" if user.folder is None else str(user.folder)
    say(f"{where}: {counted(entries, 'file')}, {size:,} bytes of {user.most:,}")
    entries, size = Cache(user.shipped).size
    say(f"came with progtf: {counted(entries, 'file')}, {size:,} bytes")
    for path, each in user.readings.items():
        when = datetime.fromtimestamp(each.when).astimezone().strftime("%Y-%m-%d %H:%M")
        say(f"{when}  {each.seconds:6.2f} s  {plain(path)}: {plain(each.why)}")
