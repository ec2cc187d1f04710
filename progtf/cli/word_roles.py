"""``progtf roles`` of a network that reads passages: its largest roles and nearest symbols."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from progtf.atomic import write
from progtf.cli.messages import UserError, say
from progtf.cli.roles_table import print_table
from progtf.tasks.comprehension import read_questions

if TYPE_CHECKING:
    from progtf.training.word_roles import Entry, Seen

SHOWN = 20
"""Passages of the page."""
TITLES = ("entry", "words, %", "parts of speech", "words")


def word_roles(
    checkpoint: Path, data: Path, tags: Path | None, limit: int, out: Path | None, *, as_json: bool
) -> None:
    """Prints the words of every role and symbol, and writes a page of passages in colours.

    Raises:
        UserError: for a network without roles.
        DataError: for a file that is none.
    """
    from progtf.training.answer import Reader  # noqa: PLC0415  torch is slow
    from progtf.training.config import RunError  # noqa: PLC0415
    from progtf.training.word_roles import (  # noqa: PLC0415
        entries,
        passages_of,
        read_tags,
        role_names,
        seen,
    )

    questions = read_questions(data)
    try:
        reader = Reader.load(checkpoint, questions)
    except RunError as error:
        raise UserError(str(error)) from None
    passages = passages_of(questions)[:limit]
    words = seen(reader, passages, {} if tags is None else read_tags(tags))
    try:
        found = entries(reader, words)
    except ValueError as error:
        raise UserError(f"{checkpoint}: {error}") from None
    rows = [_row(each) for each in found]
    if as_json:
        say(json.dumps([dict(zip(TITLES, row, strict=True)) for row in rows]))
    else:
        print_table(TITLES, rows)
    if out is not None:
        write(out, _page(checkpoint, words, rows, role_names(reader)), named=True)
        say(f"wrote {out}")


def _row(entry: "Entry") -> tuple[str, ...]:
    kinds = ", ".join(f"{kind} {100 * share:.0f} %" for kind, share in entry.kinds)
    return entry.name, f"{100 * entry.share:.1f}", kinds, ", ".join(entry.words)


def _page(checkpoint: Path, words: "Seen", rows: list[tuple[str, ...]], names: list[str]) -> str:
    from progtf.views.roles import roles_page  # noqa: PLC0415  quick start of other commands

    count = int(words.passage.max()) + 1
    largest = words.roles[:, 0].argmax(axis=1)
    questions = []
    for number in range(min(count, SHOWN)):
        here = [n for n, passage in enumerate(words.passage) if passage == number]
        questions.append(([f"{words.words[n]} " for n in here], [int(largest[n]) for n in here]))
    how = f"{checkpoint}: what the phrase layer gives the words of {count} passages, read from left"
    how += " to right. A word counts for the role of the greatest attention, and for the symbol"
    how += " whose vector is nearest to F·a by its cosine."
    heading = "Passages, coloured by largest role"
    return roles_page("Roles of words", (how,), [TITLES, *rows], questions, heading, names)
