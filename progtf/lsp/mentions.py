"""Every name in a text, where it stands, and whether it is declared, written or read there."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal

from progtf.notation import syntax as s
from progtf.notation import unparse
from progtf.notation.diagnostics import Span
from progtf.notation.fields import DISTANCE, WORD, WORDS, WRITING_LIST, keys_of
from progtf.notation.names import shadow
from progtf.notation.scope import names_in
from progtf.notation.spell import UNFINISHED
from progtf.notation.unparse_line import declaration, line_of

Kind = Literal[
    "seme", "sum", "vector", "constant", "circuit", "layer", "head", "loop", "file", "copy", ""
]
Role = Literal["declares", "writes", "reads"]
_WRITING = frozenset(keys_of(WRITING_LIST, DISTANCE))
_WORDS = frozenset(keys_of(WORD, WORDS))
_GIVING = (s.LexiconEntry, s.LexiconRow, s.SpellingMark, s.Rest)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name where it stands.

    Attributes:
        name: without its indices.
        kind: what is declared; "" where a name is used. A copy is declared where it is written
            from, as ``verb`` in ``copy: verb as next`` declares ``next.verb``.
        role: what is done with it.
        span: of the name alone; of a file, of its path.
        blocks: the titled blocks around it, such as ``layer read``.
        about: of a declaration, what is said of it.
        local: where a loop's variable or a circuit's parameter of this name is declared, if one is.
    """

    name: str
    kind: Kind
    role: Role
    span: Span
    blocks: tuple[str, ...] = ()
    about: str = ""
    local: Span | None = None


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a node."""

    blocks: tuple[str, ...] = ()
    locals: Mapping[str, Span] = field(default_factory=dict[str, Span])
    role: Role = "reads"
    line: Span | None = None

    def mention(self, span: Span, name: str, kind: Kind = "", about: str = "") -> Mention:
        """A name that stands where ``span`` begins; of ``top.rest``, what a parameter gives."""
        role = "declares" if kind and kind != "file" else self.role
        first = name.partition(".")[0]
        local = None if kind else self.locals.get(name, self.locals.get(first))
        name = name if name in self.locals or local is None else first
        own = Span(span.source, span.line, span.start, span.start + len(name))
        return Mention(name, kind, role, own, self.blocks, about, local)


def mentions(file: s.File) -> tuple[Mention, ...]:
    """All names of a text in the order in which they stand."""
    found = (each for statement in file.statements for each in _at_most(statement))
    once = dict.fromkeys(found)  # a line with two texts is looked through for both
    return tuple(sorted(once, key=lambda each: (each.span.line, each.span.start)))


def _at_most(statement: s.Statement) -> Iterator[Mention]:
    """Those of a statement, as far as it is not nested too deeply to be read at all."""
    with suppress(RecursionError):
        yield from _of(statement, _Around())


def _of(node: Any, around: _Around) -> Iterator[Mention]:  # noqa: C901, PLR0912  one case a node
    match node:
        case s.Block():
            yield from _block(node, around)
        case s.ForBlock(clauses=clauses, children=body) | s.Loop(clauses=clauses, body=body):
            yield from _looped(clauses, body, around, _of)
        case s.Let(name=name, span=span):
            yield around.mention(span, name, "constant", line_of(node))
            yield from _of(node.value, around)
        case s.Declaration(name=name):
            yield around.mention(name.span, name.base, "seme", declaration(node))
            yield from _parts((name.indices, node.values, node.step), around)
        case s.Alias() | s.NamedValue():
            kind = "sum" if isinstance(node, s.Alias) else "vector"
            yield around.mention(node.name.span, node.name.base, kind, line_of(node))
            yield from _parts((node.name.indices, node.value), around)
        case s.Rule(target=target):
            yield from _written(target, around)
            yield from _parts((node.value, node.when), around)
        case s.Field(key=key, value=value) if key in _WRITING:
            yield from _written(value, around)
        case s.Field(key=key) if key in _WORDS:
            return
        case s.Copy(names=names):
            yield from _parts(names, around)
            yield from (_copy(node, name, around) for name in names)
        case s.Phrase(target=target):
            yield from _written(target, around)
        case (
            s.Name(base=base, span=span)
            | s.UseCircuit(name=base, span=span)
            | s.Variable(name=base, span=span)
        ):
            yield around.mention(span, base)
            yield from _parts(getattr(node, "indices", getattr(node, "arguments", ())), around)
        case s.UseFile(path=path):
            yield _file(path, node.span, around)
            yield from _of(node.when, around)
        case _ if isinstance(node, _GIVING):
            yield from _parts(_values(node), replace(around, role="writes", line=_place(node)))
        case str():
            yield from _placeholders(node, around)
        case _:
            yield from _parts(_values(node), replace(around, line=_place(node) or around.line))


def _parts(nodes: Iterable[Any], around: _Around) -> Iterator[Mention]:
    for node in nodes:
        yield from _of(node, around)


def _values(node: Any) -> Iterable[Any]:
    """What a node is made of."""
    if isinstance(node, tuple):
        return node
    known = is_dataclass(node) and not isinstance(node, Span)
    return [getattr(node, part.name) for part in fields(node)] if known else ()


def _copy(copy: s.Copy, name: s.Name, around: _Around) -> Mention:
    called, said = f"{copy.prefix.base}.{name.base}", f"copy: {unparse.copy(copy)}"
    return replace(around.mention(name.span, name.base, "copy", said), name=called)


def _place(node: Any) -> Span | None:
    span = getattr(node, "span", None)
    return span if isinstance(span, Span) else None


def _placeholders(text: str, around: _Around) -> Iterator[Mention]:
    """``{name}`` in the quoted texts of a line."""
    at = around.line
    if at is None or not any(names_in(text)):
        return
    for name, start, end in names_in(at.source.lines[at.line - 1]):
        yield around.mention(Span(at.source, at.line, start, end), name)


def _block(block: s.Block, around: _Around) -> Iterator[Mention]:
    title = block.name
    if title is None:
        yield from _parts((*block.arguments, *block.children), around)
        return
    kind: Kind = "layer" if block.keyword == "dense" else block.keyword  # type: ignore[assignment]
    yield around.mention(title.span, title.base, kind, line_of(block))
    if block.keyword == "loop":
        ended = around.mention(title.span, title.base, "copy", "up where a loop did not end")
        yield replace(ended, name=title.base + UNFINISHED)
    inner = replace(around, blocks=(*around.blocks, f"{block.keyword} {unparse.name(title)}"))
    if block.keyword == "circuit":
        parameters = list(_parameters(block, inner))
        yield from parameters
        inner = replace(inner, locals={each.name: each.span for each in parameters})
    else:
        yield from _parts((*title.indices, *block.arguments), around)
    yield from _parts(block.children, inner)


def _parameters(block: s.Block, around: _Around) -> Iterator[Mention]:
    """The parameters of a circuit, found behind its name."""
    assert block.name is not None
    span, text = block.span, block.span.source.lines[block.span.line - 1]
    for parameter in block.arguments:
        place = re.compile(rf"\b{re.escape(str(parameter))}\b").search(text, block.name.span.end)
        if place is not None:
            at = Span(span.source, span.line, *place.span())
            found = around.mention(at, str(parameter), "constant", f"parameter of {line_of(block)}")
            yield replace(found, local=found.span)


def _looped(
    clauses: tuple[s.Clause, ...],
    body: Iterable[Any],
    around: _Around,
    of: Callable[[Any, _Around], Iterator[Mention]],
) -> Iterator[Mention]:
    """Clauses from left to right, each of which knows those before it, and what they go over."""
    for clause in clauses:
        yield from _of(clause.domain, around)
        found = list(_variables(clause, around))
        yield from found
        around = replace(around, locals={**around.locals, **{m.name: m.span for m in found}})
        yield from _of(clause.guards, around)
    for each in body:
        yield from of(each, around)


def _variables(clause: s.Clause, around: _Around) -> Iterator[Mention]:
    """The variable of a clause, and that of its places."""
    span, text = clause.span, clause.span.source.lines[clause.span.line - 1]
    opening = re.compile(r"for\s+(\w+)(?:\s+at\s+(\w+))?").search(shadow(text), span.start)
    for group in (1, 2):
        if opening is not None and opening[group]:
            at = Span(span.source, span.line, *opening.span(group))
            name, about = (text[slice(*opening.span(part))] for part in (group, 0))
            found = around.mention(at, name, "constant", about)
            yield replace(found, local=found.span)


def _written(value: Any, around: _Around) -> Iterator[Mention]:
    """What is written to: a name, or the last name of every entry; the others are read."""
    writes = replace(around, role="writes")
    match value:
        case s.Name(base=base, span=span, indices=indices):
            yield writes.mention(span, base)
            yield from _parts(indices, around)
        case s.Entry(terms=(*read, written)):
            yield from _parts(read, around)
            yield from _of(written.coefficient, around)
            yield from () if written.name is None else _written(written.name, around)
        case s.Loop(clauses=clauses, body=body):
            yield from _looped(clauses, body, around, _written)
        case tuple():
            for each in value:
                yield from _written(each, around)
        case _:
            yield from _of(value, around)


def _file(path: str, span: Span, around: _Around) -> Mention:
    start = span.source.lines[span.line - 1].find(path, span.start)
    return around.mention(Span(span.source, span.line, start, start), path, "file")
