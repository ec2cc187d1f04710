"""``progtf run --stream``: tokens as a decoder writes them."""

import sys
from collections.abc import Iterable
from pathlib import Path

from progtf.cli.messages import FIRST_PRINTED, TWO_TOKENS, UserError, say, warn
from progtf.program.answers import EndlessError
from progtf.program.outcome import NotExactError
from progtf.program.tokens import InputError, join
from progtf.running.interpret import Interpreter
from progtf.running.stream import Stream
from progtf.terminal import plain


def print_streams(
    file: Path, runner: object, inputs: Iterable[str], kind: str, *, strict: bool
) -> bool:
    """Prints what each input comes to as it is written, a line each; whether any failed."""
    if not isinstance(runner, Interpreter):
        raise UserError(f"{file}: only the interpreter writes bit by bit; leave --stream out")
    failed, refused, number, shape = False, 0, 0, runner.speaker.interface
    for number, text in enumerate(inputs, start=1):
        place = f"{kind} {number}"
        try:
            stream = runner.stream(text, strict=strict)
        except InputError as error:
            warn(f"{place}: {error}")
            say("")
            failed, refused = True, refused + 1
            continue
        except ValueError as error:
            raise UserError(f"{file}: {error}; leave --stream out") from None
        try:
            _print(stream, shape.tokens, shape.join)
        except (EndlessError, NotExactError) as error:
            say("")
            warn(f"{place}: {error}")
            failed = True
        else:
            say("")
        if stream.broken and not strict:
            warn(f"{place}: {stream.outcome}")
        if stream.tied:
            warn(f"{place}: {TWO_TOKENS} {FIRST_PRINTED}")
    if refused and number > 1:
        warn(f"{refused} of {number} inputs refused")
    return failed


def _print(stream: Stream, tokens: str, end: str) -> None:
    before = None
    for some in stream.some():
        text = join(some, tokens, end)
        if some and before is not None:  # with the blank between both
            text = join([before, *some], tokens, end)[len(before) :]
        before = some[-1] if some else before
        sys.stdout.write(plain(text).replace("\n", "\\n"))
        sys.stdout.flush()
