"""What a server does when a client tells it something, and who answers what it asks."""

from lsprotocol import types

from progtf.lsp import asked_names as names
from progtf.lsp import asked_texts as texts
from progtf.lsp.server import Server


def define(server: Server) -> None:
    """Gives a server what it can be asked."""
    feature = server.feature
    feature(types.TEXT_DOCUMENT_DID_OPEN)(_changed)
    feature(types.TEXT_DOCUMENT_DID_CHANGE)(_changed)
    feature(types.TEXT_DOCUMENT_DID_SAVE)(_saved)
    feature(types.TEXT_DOCUMENT_DID_CLOSE)(_closed)
    feature(types.SHUTDOWN)(_shutdown)
    feature(types.TEXT_DOCUMENT_HOVER)(names.hover)
    feature(types.TEXT_DOCUMENT_DEFINITION)(names.definition)
    feature(types.TEXT_DOCUMENT_REFERENCES)(names.references)
    feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(names.highlights)
    feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(names.prepare_rename)
    feature(types.TEXT_DOCUMENT_RENAME)(names.rename)
    feature(types.TEXT_DOCUMENT_FORMATTING)(texts.formatted)
    feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(texts.folds)
    feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(texts.symbols)
    feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions())(texts.lenses)
    triggers = types.CompletionOptions(trigger_characters=['"', "/", ".", ">", "+", "-"])
    feature(types.TEXT_DOCUMENT_COMPLETION, triggers)(names.complete)
    legend = types.SemanticTokensLegend(texts.TOKENS, texts.MODIFIERS)
    feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)(texts.colours)


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
