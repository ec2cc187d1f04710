"""What a server does when a client tells it something, and who answers what it asks.

Who answers knows programs, and is imported once a client was told that the server is there.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from lsprotocol import types

from progtf.lsp.server import Server

TOKENS = ("variable", "parameter", "function", "class", "string")
MODIFIERS = ("declaration", "modification")


def define(server: Server) -> None:
    """Gives a server what it can be asked."""
    feature = server.feature
    feature(types.TEXT_DOCUMENT_DID_OPEN)(_changed)
    feature(types.TEXT_DOCUMENT_DID_CHANGE)(_changed)
    feature(types.TEXT_DOCUMENT_DID_SAVE)(_saved)
    feature(types.TEXT_DOCUMENT_DID_CLOSE)(_closed)
    feature(types.SHUTDOWN)(_shutdown)
    feature(types.INITIALIZED)(_ready)
    feature(types.TEXT_DOCUMENT_HOVER)(_by(_names, "hover"))
    feature(types.TEXT_DOCUMENT_DEFINITION)(_by(_names, "definition"))
    feature(types.TEXT_DOCUMENT_REFERENCES)(_by(_names, "references"))
    feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(_by(_names, "highlights"))
    feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(_by(_names, "prepare_rename"))
    feature(types.TEXT_DOCUMENT_RENAME)(_by(_names, "rename"))
    feature(types.TEXT_DOCUMENT_FORMATTING)(_by(_texts, "formatted"))
    feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(_by(_texts, "folds"))
    feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(_by(_texts, "symbols"))
    feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions())(_by(_texts, "lenses"))
    mends = types.CodeActionOptions([types.CodeActionKind.QuickFix])
    feature(types.TEXT_DOCUMENT_CODE_ACTION, mends)(_by(_mends, "actions"))
    triggers = types.CompletionOptions(trigger_characters=['"', "/", ".", ">", "+", "-"])
    feature(types.TEXT_DOCUMENT_COMPLETION, triggers)(_by(_names, "complete"))
    legend = types.SemanticTokensLegend(TOKENS, MODIFIERS)
    feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)(_by(_texts, "colours"))


def _names() -> ModuleType:
    from progtf.lsp import asked_names  # noqa: PLC0415  see above

    return asked_names


def _texts() -> ModuleType:
    from progtf.lsp import asked_texts  # noqa: PLC0415  see above

    return asked_texts


def _mends() -> ModuleType:
    from progtf.lsp import asked_mends  # noqa: PLC0415  see above

    return asked_mends


def _by(module: Callable[[], ModuleType], name: str) -> Callable[[Server, Any], Any]:
    """A function of a module that is imported when it is first asked."""

    def answer(server: Server, params: Any) -> Any:
        return getattr(module(), name)(server, params)

    return answer


def _ready(server: Server, params: types.InitializedParams) -> None:
    del server, params
    _names()
    _texts()
    _mends()


async def _changed(
    server: Server, params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams
) -> None:
    await server.read(params.text_document.uri)


async def _saved(server: Server, params: types.DidSaveTextDocumentParams) -> None:
    del params
    uris = [uri for uri in server.opened if server.is_open(uri)]
    server.forget()
    for uri in uris:
        await server.read(uri)


def _closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    server.opened.pop(params.text_document.uri, None)
    empty = types.PublishDiagnosticsParams(params.text_document.uri, [])
    server.text_document_publish_diagnostics(empty)


def _shutdown(server: Server, params: None) -> None:
    del params
    server.close()
