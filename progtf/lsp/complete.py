"""What can stand where somebody is writing: keywords, names, circuits, files, tokens."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from progtf.lsp.document import Document
from progtf.lsp.mentions import Kind
from progtf.notation.blocks import BLOCKS
from progtf.notation.files import beside, library, library_name
from progtf.notation.highlight import BEFORE_NAMES, within
from progtf.notation.names import shadow
from progtf.notation.parse_errors import keywords_of
from progtf.notation.parser import grammar
from progtf.notation.vocabulary import blocks_around, meaning_of

_USE_FILE = re.compile(r"""^\s*(?:use|lexicon\s+from|output\s+from)\s+["']([^"']*)$""")
_USE_CIRCUIT = re.compile(r"^\s*use\s+[\w.]*$")
_OPENING = re.compile(r"^\s*[\w.]*$")
_WRITTEN = re.compile(r"[^\W\d][\w.]*$")
_TERM = re.compile(BEFORE_NAMES)
_ARROW = re.compile(r"->|→")


@dataclass(frozen=True, slots=True)
class Proposal:
    """One thing that can stand here.

    ``text`` takes the place of what is written from column ``start`` on.
    """

    text: str
    kind: Kind | str
    about: str
    start: int


def proposals(document: Document, line: int, column: int) -> tuple[Proposal, ...]:
    """What can stand at a place; lines count from 1, columns from 0."""
    lines = document.parsed[0].span.source.lines
    before = lines[line - 1][:column] if line <= len(lines) else ""
    if "#" in before.replace('"#"', ""):
        return ()
    file = _USE_FILE.match(before)
    if file is not None:
        found = (_proposal(path, "file", "", file.start(1)) for path in _paths(document))
        return tuple(found)
    written = _WRITTEN.search(shadow(before))
    start = len(before) if written is None else written.start()
    found = dict.fromkeys(_here(document, lines, line, before, start))
    return tuple(found)


def _here(
    document: Document, lines: list[str], line: int, before: str, start: int
) -> Iterator[Proposal]:
    circuits = bool(_USE_CIRCUIT.match(shadow(before)))
    rule = _rule(lines, line, len(before) - len(before.lstrip()))
    if rule == "examples_line" and not _ARROW.search(before):
        return  # its texts are anybody's
    if _OPENING.match(shadow(before)):
        around = blocks_around(lines, line)[:-1]
        for word in keywords_of(rule, grammar()):
            yield _proposal(word, "keyword", meaning_of(word, around), start)
    elif not circuits and rule != "examples_line" and not _TERM.search(shadow(before)[:start]):
        around = blocks_around(lines, line)
        for word in within():
            yield _proposal(word, "keyword", meaning_of(word, around), start)
    for name, each in document.known.items():
        if (each.kind == "circuit") == circuits:
            yield _proposal(name, each.kind, each.about, start)
    if circuits:
        return
    own = document.mentions
    yield from (_proposal(m.name, "constant", m.about, start) for m in own if m.span == m.local)


def _proposal(text: str, kind: str, about: str, start: int) -> Proposal:
    return Proposal(text, kind, about, start)


def _rule(lines: list[str], line: int, indent: int) -> str:
    """The rule for lines at a depth: that of the nearest block above which is less deep."""
    for above in reversed(lines[: line - 1]):
        content = above.strip()
        depth = len(above) - len(above.lstrip())
        if content and not content.startswith("#") and depth < indent:
            word = re.split(r"\W", content, maxsplit=1)[0]
            if word in BLOCKS:
                return BLOCKS[word].rule
            indent = depth
    return "file_line"


def _paths(document: Document) -> Iterable[str]:
    """The files of the library, and those beside the program."""
    found = [library_name(path) for path in library()]
    if document.folder is not None and document.folder.is_dir():
        found += sorted(p.name for p in beside(document.folder) if str(p) != document.name)
    return found
