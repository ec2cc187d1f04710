"""What a client says, message by message: what is none is answered by its error and passed over."""

import json
import re
from typing import Any, BinaryIO

from lsprotocol.types import ErrorCodes
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

MOST = 2**26
"""Bytes of a message."""
_LINE = 2**13
_LENGTH = re.compile(rb"Content-Length:[ \t]*([0-9]+)\s*$", re.IGNORECASE)
"""At the end of a line: a body that was told too short may stand before it."""


class Answering(LanguageServerProtocol):
    """The protocol; a request whose parameters are none of its method's has its error."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as its type."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise


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
