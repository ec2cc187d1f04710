"""Another name for what has one: everywhere in a text where it is meant, or nowhere."""

import re
from collections.abc import Iterator
from dataclasses import replace

from progtf.lsp.document import Document
from progtf.lsp.mentions import Mention
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Span, errors
from progtf.notation.highlight import keywords
from progtf.notation.names import shadow

_NAME = re.compile(r"[^\W\d]\w*")


class RenameError(ValueError):
    """Why something cannot be renamed, in words for its author."""


def renamed(document: Document, line: int, column: int, name: str) -> tuple[Span, ...]:
    """Which parts of a text become ``name`` so that what is named at a place is called so.

    Raises:
        RenameError: if that cannot be done, or would change what another line means.
    """
    mention = document.at(line, column)
    if mention is None or mention.kind == "file":
        raise RenameError("no name stands here")
    _allowed(document, mention, name)
    found = (each.span for each in document.same(mention))
    spans = (*found, *_copies(document, mention), *_examples(document, mention))
    after = replace(document, text=_changed(document, spans, name))
    if _complaints(after) - _complaints(document):
        raise RenameError(f"with `{name}` the program would no longer be right")
    return spans


def _allowed(document: Document, mention: Mention, name: str) -> None:
    """Refuses what is no name, is taken, or stands in another file.

    Raises:
        RenameError: with the reason.
    """
    if not _NAME.fullmatch(shadow(name)):
        raise RenameError(f"`{name}` is no name: letters, digits and _ behind a letter")
    if name in (words := keywords()).openers or name in words.inside:
        raise RenameError(f"`{name}` is a word of the notation")
    if errors(document.parsed[1]):
        raise RenameError("a line cannot be read; mend it first")
    place = mention.span if mention.kind else document.declaration(mention)
    known = document.known.get(mention.name)
    if place is None:
        raise RenameError(f"`{mention.name}` is not declared")
    if mention.local is None and known is not None and known.kind == "copy":
        raise RenameError(f"`{mention.name}` is made of another name: rename that")
    if place.source.name != document.name:
        raise RenameError(f"`{mention.name}` is declared in {place.source.name}: rename it there")
    if name in document.known or any(each.name == name for each in document.mentions):
        raise RenameError(f"`{name}` is the name of something else")


def _copies(document: Document, mention: Mention) -> Iterator[Span]:
    """Where copies of the name stand, as in ``next.verb``: the part that is the name."""
    if mention.local is not None:
        return
    copies = {m.name for m in document.mentions if m.kind == "copy" and _made_of(m, mention.name)}
    for each in document.mentions:
        if each.name in copies and each.kind != "copy":
            start = each.span.start + each.name.rindex(mention.name)
            yield replace(each.span, start=start, end=start + len(mention.name))


def _made_of(copy: Mention, name: str) -> bool:
    """Whether a copy is one of a name, or a loop's flag is that of the loop."""
    return copy.name.endswith(f".{name}") or copy.name.startswith(f"{name}.")


def _examples(document: Document, mention: Mention) -> Iterator[Span]:
    """Where the vectors that examples expect have the name."""
    if mention.local is not None:
        return
    wanted = re.compile(rf"[+−-][\d.]*({re.escape(shadow(mention.name))})(?![\w.])")
    for block in document.parsed[0].statements:
        if isinstance(block, s.Block) and block.keyword == "examples":
            for example in (each for each in block.children if isinstance(each, s.Example)):
                span = example.span
                text = span.source.lines[span.line - 1]
                for match in wanted.finditer(shadow(text), span.start + len(example.raw[0])):
                    if text[slice(*match.span(1))] == mention.name:
                        yield Span(span.source, span.line, *match.span(1))


def _changed(document: Document, spans: tuple[Span, ...], name: str) -> str:
    lines = list(document.parsed[0].span.source.lines)
    for span in sorted(spans, key=lambda each: (each.line, each.start), reverse=True):
        line = lines[span.line - 1]
        lines[span.line - 1] = line[: span.start] + name + line[span.end :]
    return "\n".join(lines)


def _complaints(document: Document) -> set[tuple[str, int]]:
    return {(each.code, each.span.line) for each in document.found}
