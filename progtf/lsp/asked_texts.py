"""What a client asks about a whole text."""

from collections.abc import Iterator

from lsprotocol import types

from progtf.lsp import convert
from progtf.lsp.document import Document
from progtf.lsp.server import Server
from progtf.lsp.structure import Part, parts
from progtf.lsp.structure import folds as folds_of
from progtf.notation.diagnostics import errors
from progtf.notation.format import format_text

_COLOURS = {"constant": 1, "circuit": 2, "layer": 3, "head": 3, "loop": 3}


def formatted(server: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    """The whole text in the one spacing; nothing while a line cannot be read."""
    document = server.document(params.text_document.uri)
    if errors(document.parsed[1]):
        return []
    text = format_text(document.text, document.name)
    lines = document.parsed[0].span.source.lines
    return (
        [] if text == document.text else [types.TextEdit(convert.lines_range(1, len(lines)), text)]
    )


def folds(server: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """What can be folded."""
    found = folds_of(server.document(params.text_document.uri))
    return [types.FoldingRange(first - 1, last - 1) for first, last in found]


def symbols(server: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """The blocks of a text, for an outline."""
    return [_symbol(server, part) for part in parts(server.document(params.text_document.uri))]


def _symbol(server: Server, part: Part) -> types.DocumentSymbol:
    kinds = {"head": types.SymbolKind.Method, "circuit": types.SymbolKind.Function}
    return types.DocumentSymbol(
        part.title or part.keyword,
        kinds.get(part.keyword, types.SymbolKind.Namespace),
        convert.lines_range(part.span.line, part.last),
        convert.range_of(part.span, server.codec),
        children=[_symbol(server, each) for each in part.parts],
    )


def lenses(server: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
    """What is said above lines."""
    state = server.state(params.text_document.uri)
    said = convert.lenses(state.document, state.judged)
    return [
        types.CodeLens(convert.lines_range(line, line), types.Command(title, ""))
        for line, title in said
    ]


def colours(server: Server, params: types.SemanticTokensParams) -> types.SemanticTokens:
    """The names of a text, by what they are."""
    document = server.document(params.text_document.uri)
    return types.SemanticTokens(list(_coded(document, server)))


def _coded(document: Document, server: Server) -> Iterator[int]:
    """Five numbers a name, as the protocol packs them: relative line and column, length, what."""
    line = start = 0
    for each in document.mentions:
        if each.kind in ("file", "copy"):
            continue
        at = convert.range_of(each.span, server.codec)
        first = at.start.character if at.start.line != line else at.start.character - start
        known = document.known.get(each.name)
        kind = "constant" if each.local else each.kind or (known.kind if known else "")
        role = ("declares", "writes").index(each.role) + 1 if each.role != "reads" else 0
        yield from (at.start.line - line, first, at.end.character - at.start.character)
        yield from (_COLOURS.get(kind, 0), role)
        line, start = at.start.line, at.start.character
