"""A text that is being edited, and what is known of it; found when somebody asks, and once."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

from progtf.building.edits import Edits
from progtf.building.load import analyse, unread_examples
from progtf.collector import collector_paused
from progtf.lsp.mentions import Mention, mentions
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Diagnostic, Source, Span
from progtf.notation.files import MOST_PARSED, Files, gather, parsed_once
from progtf.notation.parser import parse_all

Parsed = tuple[s.File, tuple[Diagnostic, ...]]


@dataclass(frozen=True)
class Document:
    """A text as it stands, right or wrong.

    Args:
        name: what messages call it; the path of a file.
        text: of the program.
        folder: where files that it uses are looked up; None: library files only.
        kept: what was found of it before its last edit.
    """

    name: str
    text: str
    folder: Path | None = None
    kept: Edits = field(default_factory=Edits, compare=False)

    @cached_property
    def parsed(self) -> Parsed:
        """Its lines, and what is wrong with those that cannot be read."""
        return parse_all(self.kept.source(self.name, self.text), self.kept.line)

    @cached_property
    def files(self) -> Files:
        """The files that it uses."""
        return gather(self.parsed[0], self.folder)[0]

    @cached_property
    def found(self) -> tuple[Diagnostic, ...]:
        """All that is wrong or doubtful in it, as ``progtf check`` finds before it proves."""
        with collector_paused():
            program, found = analyse(self.text, self.name, self.folder, kept=self.kept)
            return found if program is None else (*found, *unread_examples(program))

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The names in it."""
        return mentions(self.parsed[0])

    @cached_property
    def known(self) -> dict[str, Mention]:
        """What is declared in it and in the files that it uses, by how it is written here."""
        file = self.parsed[0]
        found = {each.name: each for each in self._borrowed(file, "", frozenset({file.name}))}
        own = {each.name: each for each in self.mentions if _declares(each)}
        return {**found, **own}

    def _borrowed(self, file: s.File, prefix: str, above: frozenset[str]) -> Iterator[Mention]:
        """What the files that a file uses declare, under the prefixes that they are used with."""
        for use in (each for each in file.statements if isinstance(each, s.UseFile)):
            used = self.files.of(use)
            if used is None or used.name in above:
                continue
            inner = prefix + (f"{use.prefix}." if use.prefix else "")
            for each in _declared(used.span.source):
                yield replace(each, name=inner + each.name)
            yield from self._borrowed(used, inner, above | {used.name})

    def at(self, line: int, column: int) -> Mention | None:
        """The name at a place; lines count from 1, columns from 0."""
        for each in self.mentions:
            span = each.span
            end = span.end if each.kind != "file" else span.start + len(each.name)
            if each.kind != "copy" and span.line == line and span.start <= column <= end:
                return each
        return None

    def declaration(self, mention: Mention) -> Span | None:
        """Where a name is declared, if that is known."""
        if mention.local is not None:
            return mention.local
        found = self.known.get(mention.name)
        return None if found is None else found.span

    def target(self, mention: Mention) -> Span | None:
        """Where one goes from a name: to its declaration; from a path, to the file."""
        if mention.kind != "file":
            return self.declaration(mention)
        used = self.files.used.get((self.name, mention.name))
        return used and Span(used.span.source, 1, 0, 0)

    def same(self, mention: Mention) -> tuple[Mention, ...]:
        """All mentions of the same thing in this text."""
        return tuple(
            each
            for each in self.mentions
            if (each.name, each.local) == (mention.name, mention.local)
            and (each.kind in _TITLES) == (mention.kind in _TITLES)
        )

    def path(self, source: Source) -> Path | None:
        """Where a text lies that a span points into."""
        for path, (file, _) in self.files.parsed.items():
            if file.span.source.name == source.name:
                return path
        own = self.folder is not None and source.name == self.name
        return Path(self.name).resolve() if own else None


_TITLES = ("layer", "head", "file")
"""Names that no line can refer to, or that are none."""


def _declares(mention: Mention) -> bool:
    return mention.role == "declares" and mention.local is None and mention.kind not in _TITLES


@lru_cache(MOST_PARSED)
def _declared(source: Source) -> tuple[Mention, ...]:
    """What a text that is used declares, found once however often it is used."""
    return tuple(filter(_declares, mentions(parsed_once(source)[0])))
