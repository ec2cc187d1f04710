"""What a client offers where something is wrong: the name that was meant, or to declare it."""

from lsprotocol import types

from progtf.lsp import convert
from progtf.lsp.document import Document
from progtf.lsp.server import Server
from progtf.notation.mending import declaration, meant, undeclared

KIND = types.CodeActionKind.QuickFix


def actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What mends the mistakes in a range of a text."""
    wanted = params.context.only
    if wanted is not None and not any(KIND.value.startswith(kind) for kind in wanted):
        return []
    uri = params.text_document.uri
    document = server.document(uri)
    found: list[types.CodeAction] = []
    for each in document.found:
        at = convert.range_of(each.span, server.codec)
        if each.span.source.name != document.name or not _touch(at, params.range):
            continue
        if name := meant(each):
            found.append(_action(f"Write {name}", uri, types.TextEdit(at, name), each.code, params))
        if name := undeclared(each):
            edit = _declared(document, name, server)
            found.append(_action(f"Declare {name}", uri, edit, each.code, params))
    return found


def _touch(one: types.Range, other: types.Range) -> bool:
    return _place(one.start) <= _place(other.end) and _place(other.start) <= _place(one.end)


def _place(at: types.Position) -> tuple[int, int]:
    return at.line, at.character


def _declared(document: Document, name: str, server: Server) -> types.TextEdit:
    put = declaration(document.parsed[0].span.source, name)
    return types.TextEdit(convert.range_of(put.span, server.codec), put.text)


def _action(
    title: str, uri: str, edit: types.TextEdit, code: str, params: types.CodeActionParams
) -> types.CodeAction:
    mended = [each for each in params.context.diagnostics if each.code == code]
    change = types.WorkspaceEdit({uri: [edit]})
    return types.CodeAction(title, KIND, diagnostics=mended, edit=change)
