"""``progtf answer``: the answer to a question, where it stands in a passage."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from progtf.cli.messages import UserError, say
from progtf.cli.trained import checkpoint_of

if TYPE_CHECKING:
    from progtf.tasks.comprehension import Question
    from progtf.training.answer import Answered


def answer(
    *,
    text: Annotated[str, typer.Option(help="The passage, in English.")],
    question: Annotated[str, typer.Option(help="What is asked of it.")],
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="A checkpoint of your own, in place of the network of the package.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Find the answer to a question in a passage, by a network that has learned to.

    Prints the answer, the words around it, and the chance that the network gives to just these
    words. The network may be wrong. The one of the package says that it found no answer where its
    chance is too small, and the status is 1; it still finds some where there is none
    (progtf/networks/answer/README.md). One of your own always answers.

    Example: `progtf answer --text "Anna has a goat in the mill." --question "Where is the goat?"`
    """
    checkpoint = checkpoint_of(checkpoint, "answer")
    from progtf.training.answer import Reader, asked  # noqa: PLC0415  torch is slow
    from progtf.training.config import RunError  # noqa: PLC0415
    from progtf.training.sureness import least_sure  # noqa: PLC0415

    try:
        put = asked(text, question)
        (found,) = Reader.load(checkpoint, [put]).answers([put])
        least = least_sure(checkpoint) or 0.0
    except (RunError, ValueError) as error:
        raise UserError(str(error)) from None
    sure = found.chance >= least
    if as_json:
        say(_as_json(put, found, sure))
    elif sure:
        say(_told(put, found))
    if not sure:
        raise UserError(
            f"no answer was found: the likeliest words, `{found.text(put.passage)}`, have a chance"
            f" of {found.chance:.2f}; of less than {least:.2f} too many are wrong"
        )


def _told(put: "Question", found: "Answered") -> str:
    first, last = found.words
    words = len(put.passage.words)
    around = put.passage.span(max(first - 4, 0), min(last + 4, words - 1))
    place = f"word {first + 1}" if first == last else f"words {first + 1} to {last + 1}"
    return (
        f"{found.text(put.passage)}\n  {place} of {words}, in `{around}`; chance {found.chance:.2f}"
    )


def _as_json(put: "Question", found: "Answered", sure: bool) -> str:
    """`answer` is null where the network does not answer; the words are the likeliest then."""
    first, last = found.words
    said = {
        "answer": found.text(put.passage) if sure else None,
        "words": [first + 1, last + 1],
        "begins at": put.passage.places[first][0],
        "chance": round(found.chance, 6),
    }
    return json.dumps(said, indent=1)
