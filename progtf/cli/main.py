"""The command line: ``progtf run|test|check|fmt|compile|...``."""

import errno
import sys
from typing import Annotated

import typer

from progtf.cli.commands import MARKUP, Commands
from progtf.cli.messages import fail, say, system_message
from progtf.cli.streams import given_up, settle
from progtf.cli.surroundings import wrong_number
from progtf.collector import collect_seldom

app = typer.Typer(
    cls=Commands,
    name="progtf",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=MARKUP,
)


def _version(asked: bool) -> None:
    if asked:
        from progtf.cli.version import version  # noqa: PLC0415  only who asks for it

        say(version())
        raise typer.Exit


@app.callback()
def about(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Say which this is."),
    ] = False,
) -> None:
    """Write the weights of a transformer by hand, run them, compile them, compare them.

    A program is a `.seme` file; `docs/tutorial.md` writes a first one. `progtf run` runs it,
    `progtf test` its examples, `progtf check` says what is wrong with it.
    """


def main() -> None:
    """The entry point: a user's mistake is a message and status 1, never a traceback."""
    collect_seldom()
    settle()
    if wrong := wrong_number():
        fail(f"error: {wrong}")
    try:
        _run()
    finally:
        given_up(sys.stderr)


def _run() -> None:
    """Runs a command until all that it has to say is said."""
    try:
        try:
            app()
        finally:
            if not sys.stdout.closed:  # as who speaks the language server protocol leaves it
                sys.stdout.flush()
    except OSError as error:
        if not given_up(sys.stdout):
            fail(f"error: {system_message(error)}")
        if error.errno == errno.EPIPE:  # who read it has enough
            sys.exit(1)
        fail(f"error: stdout: {system_message(error)}")
    except UnicodeDecodeError as error:
        fail(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        from progtf.cli.mistakes import told  # noqa: PLC0415  only who made one waits

        said = told(error)
        if said is None:
            raise
        fail(said)


if __name__ == "__main__":
    main()
