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
            help="A checkpoint of `progtf train runs/comprehension.toml`.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Find the answer to a question in a passage, by a network that has learned to.

    Prints the answer, the words around it, and the chance that the network gives to just these
    words. The network may be wrong, and it finds an answer where there is none.

    Example: `progtf answer --text "Anna has a goat." --question "Who has it?" --checkpoint FOLDER`
    """
    checkpoint = checkpoint_of(checkpoint, "comprehension", "squad", 6108, _TRAINED_IN)
    from progtf.training.answer import Reader, asked  # noqa: PLC0415  torch is slow
    from progtf.training.config import RunError  # noqa: PLC0415

    try:
        put = asked(text, question)
        (found,) = Reader.load(checkpoint, [put]).answers([put])
    except (RunError, ValueError) as error:
        raise UserError(str(error)) from None
    say(_as_json(put, found) if as_json else _told(put, found))


_TRAINED_IN = "about forty minutes of a processor core; a first checkpoint after three or four"


def _told(put: "Question", found: "Answered") -> str:
    first, last = found.words
    words = len(put.passage.words)
    around = put.passage.span(max(first - 4, 0), min(last + 4, words - 1))
    place = f"word {first + 1}" if first == last else f"words {first + 1} to {last + 1}"
    return (
        f"{found.text(put.passage)}\n  {place} of {words}, in `{around}`; chance {found.chance:.2f}"
    )


def _as_json(put: "Question", found: "Answered") -> str:
    first, last = found.words
    said = {
        "answer": found.text(put.passage),
        "words": [first + 1, last + 1],
        "begins at": put.passage.places[first][0],
        "chance": round(found.chance, 6),
    }
    return json.dumps(said, indent=1)
