"""``progtf fmt``."""

from pathlib import Path
from typing import Annotated

import typer

from progtf.atomic import write
from progtf.cli.messages import UserError, say, write_out
from progtf.cli.streams import read_stdin
from progtf.cli.texts import read_text, with_doubt
from progtf.notation.files import as_text
from progtf.notation.format import format_text
from progtf.notation.render import SemeError


def fmt(
    files: Annotated[list[Path], typer.Argument(help="Programs; `-` formats stdin to stdout.")],
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; status 1 if something would change.")
    ] = False,
) -> None:
    """Bring programs into the one spacing that everyone uses. Comments and meaning stay."""
    if [str(file) for file in files] == ["-"]:
        write_out(format_text(as_text(read_stdin(), "<stdin>"), "<stdin>"))
        return
    texts = {file: read_text(file) for file in files}
    formatted = {file: _formatted(file, text) for file, text in texts.items()}
    changed = [file for file in texts if texts[file] != formatted[file]]
    for file in changed:
        if not check:
            write(file, formatted[file], named=True)
        say(f"{'would format' if check else 'formatted'} {file}")
    if check and changed:
        raise UserError(f"{len(changed)} of {len(files)} files are not formatted")


def _formatted(file: Path, text: str) -> str:
    try:
        return format_text(text, str(file))
    except SemeError as error:
        raise with_doubt(error, file) from None
