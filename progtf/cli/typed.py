"""The tokens of a text as commands show them: where each was typed, and what it was read by."""

from collections.abc import Iterator, Sequence
from typing import Any

from progtf.program.model import BOS, EOS
from progtf.program.spelling import Token
from progtf.program.tokens import Reader, given


def typed_in(reader: Reader, text: str) -> list[Token]:
    """The words of a text that a program can read; none where its tokens are characters."""
    return reader.placed(given(text)) if reader.tokens.startswith("words") else []


def as_data(reader: Reader, tokens: Sequence[Token]) -> list[dict[str, Any]]:
    """Tokens for JSON: ``from`` and ``to`` count characters from 0.

    Of a word that the lexicon does not have, ``known`` is false; ``guessed`` is the line of
    ``spelling:`` that it was read by.
    """
    return [{"token": str(token)} | _of(reader, token) for token in tokens]


def _of(reader: Reader, token: Token) -> dict[str, Any]:
    said: dict[str, Any] = {"from": token.place[0], "to": token.place[1]}
    if token not in reader.lexicon:
        said["known"] = False
    return said | ({"guessed": token.guess} if token.guess else {})


def guesses(reader: Reader, text: str) -> Iterator[str]:
    """What is said of each word that was read by its spelling."""
    if reader.spelling.guesses:
        for token in typed_in(reader, text):
            if token.guess:
                yield f"`{token}` is not in the lexicon: read by `{token.guess}`"


def told(reader: Reader, text: str) -> str:
    """A line that says where the words of a text stand in it; "" where they are its words."""
    tokens = [token for token in typed_in(reader, text) if token not in (BOS, EOS)]
    if not tokens or reader.spelling == type(reader.spelling)():
        return ""
    return "tokens, and where they stand in the text: " + ", ".join(map(_shown, tokens))


def _shown(token: Token) -> str:
    first, behind = token.place
    where = f"{first + 1}-{behind}" if first < behind else "added"
    return f"{token} ({where}{f', {token.guess}' if token.guess else ''})"
