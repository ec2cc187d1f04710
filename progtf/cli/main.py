"""The command line: ``progtf run|test|check|fmt|compile|...``."""

import sys

import typer

from progtf.cli import data, outcome
from progtf.cli.build import compile_, decompile, diff
from progtf.cli.checking import check
from progtf.cli.evaluate import evaluate
from progtf.cli.examples import test
from progtf.cli.formatting import fmt
from progtf.cli.messages import UserError, fail, system_message, with_notes
from progtf.cli.pages import export, notebook
from progtf.cli.pairs import pairs
from progtf.cli.run import run
from progtf.cli.train import train
from progtf.notation.render import SemeError
from progtf.program.formats import FormatError
from progtf.program.tokens import InputError
from progtf.weights.decompile import UnwritableError
from progtf.weights.folder import FolderError

app = typer.Typer(
    name="progtf",
    help="Write the weights of a transformer by hand, run them, compile them, compare them.\n\n"
    "A program is a `.seme` file; `docs/tutorial.md` writes a first one. `progtf run` runs it, "
    "`progtf test` its examples, `progtf check` says what is wrong with it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command(context_settings={"ignore_unknown_options": True})(run)  # `-3` is a text
app.command()(test)
app.command()(check)
app.command()(fmt)
app.command("compile")(compile_)
app.command()(decompile)
app.command()(diff)
app.command("eval")(evaluate)
app.command()(pairs)
app.command()(train)
app.command()(export)
app.command()(notebook)
app.add_typer(data.app, name="data")
app.add_typer(outcome.cache, name="cache")


def main() -> None:
    """The entry point: a user's mistake is a message and status 1, never a traceback."""
    try:
        app()
    except SemeError as error:
        fail(with_notes(error))
    except (FolderError, FormatError, InputError, UnwritableError, UserError) as error:
        fail(f"error: {error}")
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        fail(f"error: {system_message(error)}")
    except UnicodeDecodeError as error:
        fail(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
