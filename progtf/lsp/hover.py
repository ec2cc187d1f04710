"""What is said of a name: what it is, where it is declared, who writes it and who reads it; and
of a word or a mark what it does.
"""

from collections.abc import Iterator

from progtf.lsp.document import Document
from progtf.lsp.mentions import Mention
from progtf.markup import as_code, as_text, fenced
from progtf.notation.outline import meaning
from progtf.notation.vocabulary import explained

MOST = 8
"""Places that are listed."""


def hover(document: Document, line: int, column: int) -> str | None:
    """Markdown on the name, word or mark at a place, in which texts are shown as they are.

    Args:
        document: the text.
        line: from 1.
        column: from 0, in characters.
    """
    mention = document.at(line, column)
    if mention is None:
        return _keyword(document, line, column)
    if mention.kind == "file":
        return _file(document, mention)
    known = mention if mention.kind else _declared(document, mention)
    if known is None:
        said = f"{as_code(mention.name)} is not declared"
        return "\n\n".join([said, *_places(document, mention)])
    said = [fenced(known.about, "seme"), _where(document, known)]
    if known.kind == "seme" and (means := meaning(known.span)):
        said.insert(1, as_text(means))
    return "\n\n".join([*said, *_places(document, mention)])


def _keyword(document: Document, line: int, column: int) -> str | None:
    """What a word, a mark or a number does."""
    lines = document.parsed[0].span.source.lines
    found = explained(lines, line, column) if line <= len(lines) else None
    return None if found is None else f"{as_code(found[0])}: {found[1]}"


def _declared(document: Document, mention: Mention) -> Mention | None:
    if mention.local is None:
        return document.known.get(mention.name)
    return next((each for each in document.mentions if each.span == mention.local), None)


def _where(document: Document, known: Mention) -> str:
    place = f"line {known.span.line}"
    if known.span.source.name != document.name:
        place += f" of {as_text(known.span.source.name)}"
    return f"{known.kind}, declared in {place}"


def _places(document: Document, mention: Mention) -> Iterator[str]:
    for role in ("writes", "reads"):
        found = [each for each in document.same(mention) if each.role == role]
        places = list(dict.fromkeys(_place(each) for each in found))
        more = f" and {len(places) - MOST} more" if len(places) > MOST else ""
        if places:
            yield f"{'written' if role == 'writes' else 'read'} in {'; '.join(places[:MOST])}{more}"


def _place(mention: Mention) -> str:
    blocks = " / ".join(map(as_text, mention.blocks))
    return f"{blocks} (line {mention.span.line})" if blocks else f"line {mention.span.line}"


def _file(document: Document, mention: Mention) -> str | None:
    """The lines with which a file begins, as far as they are a comment."""
    for (user, path), file in document.files.used.items():
        if (user, path) == (document.name, mention.name):
            lines = file.span.source.lines
            said = [line.lstrip("# ") for line in lines[: _opening(lines)]]
            return "\n\n".join([as_code(path), as_text(" ".join(said))]).strip()
    return None


def _opening(lines: list[str]) -> int:
    return next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
