"""Questions that a network is looked into with: of a file, or as they are typed."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from progtf.cli.messages import UserError, warn

if TYPE_CHECKING:
    from progtf.data.problem import Problem
    from progtf.training.networks import LearnedModel

Questions = Annotated[
    Path,
    typer.Option(help="A file of questions and answers in turns, a line each, or of pairs (.tsv)."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and no table.")]
UNREAD = "\N{WHITE SQUARE}"
"""What an answer has where a network writes `<unk>`."""
PUT = 256
"""Questions that are put at a time."""
LEAST = 4
"""Questions that are divided in two, one half to fit to and one to count on."""


def read_problems(data: Path, limit: int | None, least: int = LEAST) -> "list[Problem]":
    """The first questions of a file, with their answers.

    Raises:
        UserError: for too few of them, and for a file that is damaged or no text.
    """
    from progtf.data import DataError, form_of, has_pairs, open_pairs  # noqa: PLC0415  quick start of others
    from progtf.data.lines import lines_of  # noqa: PLC0415
    from progtf.data.problem import Problem  # noqa: PLC0415

    if has_pairs(data) and form_of(data) != "in and out":
        try:
            each = chain.from_iterable(file.rows for file in open_pairs(data))
        except DataError as error:
            raise UserError(str(error)) from None
        found = [problem for _, problem in sorted(each)]
    else:
        try:
            lines = [line.text for line in lines_of(data)]
        except DataError as error:
            raise UserError(str(error)) from None
        found = [Problem(*pair) for pair in zip(lines[::2], lines[1::2], strict=False)]
    if len(found) < least:
        due = "four questions are" if least == LEAST else "a question is"
        raise UserError(f"{data}: {due} needed, and their answers between them")
    return found[:limit]


def problems_of(
    model: "LearnedModel", texts: Sequence[str] | None, data: Path | None, limit: int,
    *, right: bool = False,
) -> "list[Problem]":  # fmt: skip
    """Questions that were typed, with the answers that a network gives, or those of a file.

    An answer of a network ends before what is in no alphabet, or where there is no more room.

    Args:
        model: the network.
        texts: that were typed.
        data: the file.
        limit: the most questions of a file.
        right: of a file those alone that the network answers right.

    Raises:
        UserError: for neither of them, or for both; and where none, or no typed one, can be right.
        InputError: for a text that the network does not read.
    """
    from progtf.data.problem import Problem  # noqa: PLC0415  quick start of others
    from progtf.program.answers import so_far  # noqa: PLC0415

    if texts and data is None:
        if right:
            raise UserError("`--right` asks for a file: of typed questions no right answer is told")
        said = [so_far(each).text for each in model.try_answers([*texts])]
        answers = (answer.partition(UNREAD)[0].rstrip() for answer in said)
        return [Problem(*each) for each in zip(texts, answers, strict=True)]
    if texts or data is None:
        raise UserError("questions are due: `--data FILE`, or texts behind the checkpoint")
    if right:
        return right_ones(model, read_problems(data, None, 1), limit)
    return read_problems(data, limit, 1)


def right_ones(
    model: "LearnedModel", problems: "Sequence[Problem]", limit: int, least: int = 1
) -> "list[Problem]":
    """The first questions that a network answers right; it is told how many were put for them.

    Raises:
        UserError: for fewer than the least.
    """
    from progtf.program.answers import Answer  # noqa: PLC0415  quick start of others

    lower = getattr(model.vocabulary, "lower", False)
    found: list[Problem] = []
    put = last = 0
    while len(found) < limit and put < len(problems):
        some = problems[put : put + PUT]
        tried = model.try_answers([each.question for each in some])
        for (number, one), answer in zip(enumerate(some, start=put + 1), tried, strict=True):
            due = one.answer.lower() if lower else one.answer
            if len(found) < limit and isinstance(answer, Answer) and answer.text == due:
                found.append(one)
                last = number
        put += len(some)
    if len(found) < least:
        raise UserError(f"of {put} questions {len(found)} are answered right; {least} are needed")
    warn(f"note: {len(found)} questions are read, which are answered right, of the first {last}")
    return found
