"""What a server does when a client tells it something, and who answers what it asks.

Who answers knows programs, and is imported once a client was told that the server is there.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from lsprotocol import types

from progtf.lsp.server import Server

TOKENS = ("variable", "parameter", "function", "class", "string")
MODIFIERS = ("declaration", "modification")
_NAMES, _TEXTS = "progtf.lsp.asked_names", "progtf.lsp.asked_texts"


def define(server: Server) -> None:
    """Gives a server what it can be asked."""
    feature = server.feature
    feature(types.TEXT_DOCUMENT_DID_OPEN)(_changed)
    feature(types.TEXT_DOCUMENT_DID_CHANGE)(_changed)
    feature(types.TEXT_DOCUMENT_DID_SAVE)(_saved)
    feature(types.TEXT_DOCUMENT_DID_CLOSE)(_closed)
    feature(types.SHUTDOWN)(_shutdown)
    feature(types.INITIALIZED)(_ready)
    feature(types.TEXT_DOCUMENT_HOVER)(_by(_NAMES, "hover"))
    feature(types.TEXT_DOCUMENT_DEFINITION)(_by(_NAMES, "definition"))
    feature(types.TEXT_DOCUMENT_REFERENCES)(_by(_NAMES, "references"))
    feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(_by(_NAMES, "highlights"))
    feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(_by(_NAMES, "prepare_rename"))
    feature(types.TEXT_DOCUMENT_RENAME)(_by(_NAMES, "rename"))
    feature(types.TEXT_DOCUMENT_FORMATTING)(_by(_TEXTS, "formatted"))
    feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(_by(_TEXTS, "folds"))
    feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(_by(_TEXTS, "symbols"))
    feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions())(_by(_TEXTS, "lenses"))
    triggers = types.CompletionOptions(trigger_characters=['"', "/", ".", ">", "+", "-"])
    feature(types.TEXT_DOCUMENT_COMPLETION, triggers)(_by(_NAMES, "complete"))
    legend = types.SemanticTokensLegend(TOKENS, MODIFIERS)
    feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)(_by(_TEXTS, "colours"))


def _by(module: str, name: str) -> Callable[[Server, Any], Any]:
    """A function of a module that is imported when it is first asked."""

    def answer(server: Server, params: Any) -> Any:
        return getattr(import_module(module), name)(server, params)

    return answer


def _ready(server: Server, params: types.InitializedParams) -> None:
    del server, params
    for module in (_NAMES, _TEXTS):
        import_module(module)


async def _changed(
    server: Server, params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams
) -> None:
    await server.read(params.text_document.uri)


async def _saved(server: Server, params: types.DidSaveTextDocumentParams) -> None:
    del params
    uris = list(server.opened)
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
