"""``--digits``: how many digits of numbers are printed."""

from typing import TYPE_CHECKING, Annotated

import typer

from progtf.cli.messages import UserError
from progtf.numbers import MOST_DIGITS

if TYPE_CHECKING:
    from progtf.program.answering import Answering
    from progtf.training.networks import LearnedModel

Digits = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_DIGITS,
        help="Significant digits of numbers that are not whole, and decimals of scores, in place "
        "of 6 and 4. What is declared whole always has every digit.",
    ),
]


def with_digits(runner: "Answering | LearnedModel", digits: int | None) -> None:
    """Lets what answers print so many digits; None: as many as ever."""
    if digits is not None:
        from progtf.program.answering import Answering  # noqa: PLC0415  who asks for digits waits

        if not isinstance(runner, Answering):
            raise UserError("a network that is learned as a whole writes texts: leave --digits out")
        runner.print_digits(digits)
