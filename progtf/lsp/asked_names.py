"""What a client asks about a place: the name there, and what could stand there."""

from typing import Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from progtf.lsp import convert
from progtf.lsp.complete import proposals
from progtf.lsp.document import Document
from progtf.lsp.hover import hover as said_of
from progtf.lsp.mentions import Mention
from progtf.lsp.rename import RenameError, renamed
from progtf.lsp.server import Server

_KINDS = {
    "seme": types.CompletionItemKind.Variable,
    "sum": types.CompletionItemKind.Value,
    "vector": types.CompletionItemKind.Value,
    "constant": types.CompletionItemKind.Constant,
    "circuit": types.CompletionItemKind.Function,
    "loop": types.CompletionItemKind.Module,
    "file": types.CompletionItemKind.File,
    "keyword": types.CompletionItemKind.Keyword,
}


class At(Protocol):
    """A request about a place."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


def place(server: Server, params: At) -> tuple[Document, int, int]:
    """The document, line and column that a request is about."""
    document = server.document(params.text_document.uri)
    return document, *convert.place_of(document, params.position, server.codec)


def hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    """What a name is."""
    said = said_of(*place(server, params))
    if said is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said))


def definition(server: Server, params: types.DefinitionParams) -> types.Location | None:
    """Where a name is declared; of a path, the file."""
    document, line, column = place(server, params)
    mention = document.at(line, column)
    if mention is None:
        return None
    span = document.target(mention)
    return span and convert.location(document, span, server.codec)


def references(server: Server, params: types.ReferenceParams) -> list[types.Location]:
    """Where a name stands."""
    document = server.document(params.text_document.uri)
    own = params.context.include_declaration
    found = [m for m in _same(server, params) if own or m.role != "declares"]
    places = (convert.location(document, each.span, server.codec) for each in found)
    return [each for each in places if each is not None]


def highlights(
    server: Server, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    """The same name elsewhere in the text, written or read."""
    write, read = types.DocumentHighlightKind.Write, types.DocumentHighlightKind.Read
    return [
        types.DocumentHighlight(
            convert.range_of(each.span, server.codec), read if each.role == "reads" else write
        )
        for each in _same(server, params)
    ]


def _same(server: Server, params: At) -> tuple[Mention, ...]:
    document, line, column = place(server, params)
    mention = document.at(line, column)
    return () if mention is None else document.same(mention)


def prepare_rename(server: Server, params: types.PrepareRenameParams) -> types.Range | None:
    """What a new name would replace."""
    document, line, column = place(server, params)
    mention = document.at(line, column)
    if mention is None or mention.kind == "file":
        return None
    return convert.range_of(mention.span, server.codec)


def rename(server: Server, params: types.RenameParams) -> types.WorkspaceEdit:
    """Another name for what stands at a place.

    Raises:
        JsonRpcInvalidParams: with the reason, if it cannot have it.
    """
    document, line, column = place(server, params)
    try:
        spans = renamed(document, line, column, params.new_name)
    except RenameError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    edits = [
        types.TextEdit(convert.range_of(each, server.codec), params.new_name) for each in spans
    ]
    return types.WorkspaceEdit({params.text_document.uri: edits})


def complete(server: Server, params: types.CompletionParams) -> list[types.CompletionItem]:
    """What could stand here."""
    document, line, column = place(server, params)
    return [
        types.CompletionItem(
            each.text,
            kind=_KINDS.get(each.kind),
            detail=each.about,
            text_edit=types.TextEdit(
                convert.columns_range(document, line, each.start, column, server.codec), each.text
            ),
        )
        for each in proposals(document, line, column)
    ]
