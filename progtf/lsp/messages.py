"""What a client says, message by message: what is none is answered by its error and passed over."""

import json
import os
import re
from typing import Any, BinaryIO
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from lsprotocol import types
from lsprotocol.types import ErrorCodes
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol
from pygls.uris import to_fs_path

MOST = 2**26
"""Bytes of a message."""
_LINE = 2**13
_LENGTH = re.compile(rb"Content-Length:[ \t]*([0-9]+)\s*$", re.IGNORECASE)
"""At the end of a line: a body that was told too short may stand before it."""


class Answering(LanguageServerProtocol):
    """The protocol; a request out of its time, or with another method's parameters, has its error.

    Notifications out of their time are passed over, as are changes of what was never opened.
    """

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as its type."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                answered = self._untimely(data["method"]) or error
                self._send_response(data["id"], error=answered.to_response_error())
            raise

    def handle_message(self, message: Any) -> None:
        """Hands a message to who answers it."""
        method, number = getattr(message, "method", ""), getattr(message, "id", None)
        untimely = self._untimely(method) if method else None
        if untimely is not None and number is not None:
            self._send_response(number, error=untimely.to_response_error())
        elif untimely is None and not self._passed_over(method, message):
            super().handle_message(message)

    def _untimely(self, method: str) -> JsonRpcException | None:
        """Why a method cannot be asked for now."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server was shut down; it waits for `exit`")
        if method == types.INITIALIZE:
            again = self._workspace is not None
            return JsonRpcInvalidRequest("the server is initialized already") if again else None
        if self._workspace is None:
            return JsonRpcServerNotInitialized("the server waits for `initialize`")
        return None

    def _passed_over(self, method: str, message: Any) -> bool:
        """Whether a message is about a text that is not open or cannot be, or a notebook."""
        if method == types.INITIALIZE:  # no file is looked for below a root
            message.params.root_uri = message.params.root_path = None
        if method == types.TEXT_DOCUMENT_DID_CHANGE:
            return unquote(message.params.text_document.uri) not in self.workspace.text_documents
        if method == types.TEXT_DOCUMENT_DID_OPEN and not (
            is_address(uri := message.params.text_document.uri)
        ):
            said = types.ShowMessageParams(types.MessageType.Error, f"{uri}: {NO_ADDRESS}")
            self.notify(types.WINDOW_SHOW_MESSAGE, said)
            return True
        return method.startswith("notebookDocument/")

    def _send_response(
        self, msg_id: int | str, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        """Answers; where the server itself failed, nobody else is told by which of its lines."""
        told = error and types.ResponseError(error.code, error.message)
        super()._send_response(msg_id, result, told)


NO_ADDRESS = "no file can be called so"


def path_of(uri: str) -> str | None:
    """The path that an address is of, whatever bytes it has; None for what is no file.

    Raises:
        ValueError: if it is no address.
    """
    path = to_fs_path(uri)
    if path is None or "\ufffd" not in path or "%" not in uri:
        return path
    return os.fsdecode(unquote_to_bytes(urlsplit(uri).path))  # which is not in UTF-8


def is_address(uri: str) -> bool:
    """Whether a file, or an editor's own text, can be called so."""
    try:
        path = path_of(uri)
        uri.encode()
    except ValueError:  # half a character, brackets that are no address
        return False
    return "\0" not in unquote(path or uri)


class Messages:
    """Stdin, of which nothing is read but whole messages that JSON-RPC knows.

    Args:
        stdin: what the client writes to.
        stdout: where it hears of what was none.
    """

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._stdin, self._stdout = stdin, stdout
        self._ready: list[bytes] = []

    def readline(self) -> bytes:
        """The next line of a header; nothing at the end."""
        if not self._ready:
            body = self._body()
            if body is None:
                return b""
            self._ready = [body, b"\r\n", f"Content-Length: {len(body)}\r\n".encode()]
        return self._ready.pop()

    def read(self, _size: int) -> bytes:
        """The body whose header was read."""
        return self._ready.pop()

    def _body(self) -> bytes | None:
        """The next message; None at the end."""
        while (length := self._length()) is not None:
            body = self._stdin.read(length)
            if len(body) < length:
                return None
            try:
                wrong = _wrong(json.loads(body))
            except (ValueError, RecursionError):
                wrong = "this is no JSON"
            if not wrong:
                return body
            self._refuse(wrong)
        return None

    def _length(self) -> int | None:
        """The length that the next header tells; None at the end."""
        length, told = 0, False
        while line := self._stdin.readline(_LINE):
            if match := _LENGTH.search(line):
                length = int(match[1][:20])
                told = True
            if line.strip():
                continue
            if told and 0 < length <= MOST:
                return length
            if told:
                self._refuse(f"a message has between 1 and {MOST} bytes, not {length}")
            length, told = 0, False
        return None

    def _refuse(self, why: str) -> None:
        error = {"code": ErrorCodes.InvalidRequest.value, "message": why}
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        self._stdout.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._stdout.flush()


def _wrong(said: Any) -> str:
    """Why a value is no message; "" for one that is."""
    if not isinstance(said, dict):
        return "a message is an object"
    if said.get("jsonrpc") != "2.0":
        return "a message says `jsonrpc`: `2.0`"
    if isinstance(said.get("id", 0), bool) or not isinstance(said.get("id", 0), int | str):
        return "an `id` is a whole number or a text"
    if "method" not in said:
        return "" if "id" in said and ("result" in said or "error" in said) else "no `method`"
    if not isinstance(said["method"], str):
        return "a `method` is a text"
    return "" if isinstance(said.get("params", {}), dict | list | None) else "no `params`"
