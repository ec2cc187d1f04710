"""The language server: what an editor asks, answered by the modules beside this one.

Texts are read at once when they change; what takes longer, whether a program is exact and which of
its examples fail, is found out beside, when nobody types.
"""

import asyncio
import gc
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec

from progtf.child import Child
from progtf.lsp.messages import NO_ADDRESS, Answering, is_address, path_of
from progtf.notation.diagnostics import Diagnostic, errors
from progtf.texts import NotTextError, read_text

if TYPE_CHECKING:  # what knows programs is imported once a client waits no more
    from progtf.lsp.document import Document

IDLE = 0.4
"""Seconds without a change before a program is judged."""
PATIENCE = 60.0
"""Seconds for a judgement."""


class Server(LanguageServer):
    """A language server for programs.

    Args:
        idle: seconds without a change before a program is judged.
    """

    def __init__(self, version: str, idle: float = IDLE) -> None:
        full = types.TextDocumentSyncKind.Full
        super().__init__("progtf", version, text_document_sync_kind=full, protocol_cls=Answering)
        self.idle = idle
        self.opened: dict[str, Opened] = {}
        self.judge = Child("progtf.lsp.judge", PATIENCE)
        self.beside = ThreadPoolExecutor(1)

    @property
    def codec(self) -> PositionCodec:
        """How the client counts columns."""
        return self.workspace.position_codec

    def document(self, uri: str) -> "Document":
        """The text of a file as it stands in the editor, or, if it is not open, on the disk."""
        return self.state(uri).document

    def is_open(self, uri: str) -> bool:
        """Whether a text is open in the editor."""
        return unquote(uri) in self.workspace.text_documents

    def state(self, uri: str) -> "Opened":
        """What is known of a file; anew if its text has changed.

        Raises:
            JsonRpcException: if it is not open, and cannot be read.
        """
        from progtf.building.edits import Edits  # noqa: PLC0415  as below
        from progtf.lsp.document import Document  # noqa: PLC0415  imports all that reads programs

        text = self._text(uri)
        known = self.opened.get(uri)
        if known is None or known.document.text != text:
            path = path_of(uri) if uri.startswith("file:") else None
            folder = None if path is None else Path(path).parent
            kept = Edits() if known is None else known.document.kept
            known = self.opened[uri] = Opened(Document(path or uri, text, folder, kept))
        return known

    async def read(self, uri: str) -> None:
        """Says what is wrong with a text at once, and when nobody types what takes longer."""
        state = self.state(uri)
        unreadable = state.document.parsed[1]
        if errors(unreadable):
            self._publish(uri, self._told(state, unreadable))
        await asyncio.sleep(0)
        if self._current(uri, state):
            self._publish(uri, self._told(state, state.document.found))
            await asyncio.sleep(self.idle)
        if self._current(uri, state):
            gc.collect()
            if not errors(state.document.found):
                await self._judge(uri, state)

    def forget(self) -> None:
        """Files on the disk may have changed: what is known of those that use them is not."""
        self.opened.clear()

    def close(self) -> None:
        """Ends the process beside this one."""
        self.judge.stop()
        self.beside.shutdown(wait=False, cancel_futures=True)

    def _text(self, uri: str) -> str:
        if self.is_open(uri):
            return self.workspace.get_text_document(uri).source
        if not is_address(uri):
            raise _unread(uri, NO_ADDRESS)
        if (path := path_of(uri)) is None:
            raise _unread(uri, "it is not open, and no file")
        try:
            return read_text(Path(path))
        except NotTextError as error:
            raise _unread(uri, str(error)) from None
        except OSError as error:
            raise _unread(uri, (error.strerror or str(error)).lower()) from None

    def _current(self, uri: str, state: "Opened") -> bool:
        return self.opened.get(uri) is state

    def _told(self, state: "Opened", found: tuple[Diagnostic, ...]) -> tuple[types.Diagnostic, ...]:
        from progtf.lsp import convert  # noqa: PLC0415  as above

        judged = convert.judged(state.document, state.judged, self.codec) if state.judged else ()
        return (*convert.diagnostics(state.document, found, self.codec), *judged)

    async def _judge(self, uri: str, state: "Opened") -> None:
        document = state.document
        folder = None if document.folder is None else str(document.folder)
        asked = json.dumps({"text": document.text, "name": document.name, "folder": folder})
        loop = asyncio.get_running_loop()
        said = await loop.run_in_executor(self.beside, self.judge.ask, asked)
        if self._current(uri, state):
            state.judged = {"outcome": "given up"} if said is None else json.loads(said)
            self._publish(uri, self._told(state, document.found))
            self._refresh()

    def _publish(self, uri: str, found: tuple[types.Diagnostic, ...]) -> None:
        version = self.workspace.get_text_document(uri).version
        params = types.PublishDiagnosticsParams(uri, found, version)
        self.text_document_publish_diagnostics(params)

    def _refresh(self) -> None:
        """Asks for the lenses anew, of a client that can."""
        workspace = self.client_capabilities.workspace
        lens = workspace and workspace.code_lens
        if lens and lens.refresh_support:
            self.workspace_code_lens_refresh(None)


def _unread(uri: str, why: str) -> JsonRpcException:
    return JsonRpcException(f"{uri}: {why}", types.LSPErrorCodes.RequestFailed.value)


@dataclass(eq=False)
class Opened:
    """A text in the editor, and what was found out of it beside."""

    document: "Document"
    judged: dict[str, Any] = field(default_factory=dict[str, Any])
