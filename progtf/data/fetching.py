"""Files from an address: continued where they were cut off, with every failure in words.

By the standard library (decision 32). Its proxies are those that the environment names.
"""

import http.client
import os
import re
from collections.abc import Callable
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, build_opener

from progtf.atomic import opened
from progtf.data.errors import DataError

PIECE = 2**16
TRIES = 3
"""Attempts one after the other that bring nothing."""
WAIT = 30.0
"""Seconds without a byte."""

Gained = Callable[[str, int], None]
"""Told the name of a file, and how many bytes of it have come."""
Said = Callable[[str], None]
"""Told what a person should know though it stops nothing."""


class NoNetworkError(DataError):
    """Nobody was reached at an address."""


class _Answer(Protocol):
    url: str
    status: int
    headers: http.client.HTTPMessage

    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class _CutError(Exception):
    """An answer ended too soon."""


def address_of(folder: str, path: str) -> str:
    """The address of a file below that of a folder."""
    return f"{folder.rstrip('/')}/{quote(path)}"


def load(address: str, part: Path, size: int | None, most: int, gained: Gained, said: Said) -> None:
    """Writes what lies at an address to a file; what is there of it already stays.

    Args:
        address: Of http or https.
        part: The file, of which the beginning may be there.
        size: How many bytes are due; None if that is not known.
        most: That it may have.
        gained: Told of bytes that come.
        said: Told that the file has moved.

    Raises:
        NoNetworkError: Nobody answers.
        DataError: The address has nothing, something larger, or is cut off every time.
        OSError: The file cannot be written.
    """
    tries = 0
    while size is None or _size(part) < size:
        before = _size(part)
        try:
            _read_on(address, part, most, gained, said)
        except _CutError as error:
            tries = 0 if _size(part) > before else tries + 1
            if tries == TRIES:
                there = f"cut off after {_size(part):,} bytes ({error})"
                raise DataError(there, address, help="the same command goes on there") from None
        else:
            return


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _read_on(address: str, part: Path, most: int, gained: Gained, said: Said) -> None:
    """Appends what a file lacks; begins anew where the other side does not go on."""
    begun = _size(part)
    answer = _asked(address, begun)
    if answer is None:  # so much of it there is not
        part.unlink()
        _read_on(address, part, most, gained, said)
        return
    with closing(answer), opened(part, append=True) as file:
        if answer.url != address:
            said(f"{address} has moved to {answer.url}")
        if begun and not _goes_on(answer, begun):
            file.truncate(0)
            begun = 0
        _append(answer, file, most - begun, address, gained)


def _goes_on(answer: _Answer, begun: int) -> bool:
    span = answer.headers.get("Content-Range", "")
    return answer.status == HTTPStatus.PARTIAL_CONTENT and span.startswith(f"bytes {begun}-")


def _append(answer: _Answer, file: BinaryIO, room: int, address: str, gained: Gained) -> None:
    length = answer.headers.get("Content-Length", "")
    due = int(length) if re.fullmatch(r"\d{1,15}", length) else None
    name, read = address.rpartition("/")[2], 0
    while piece := _next(answer):
        read += len(piece)
        if read > room:
            file.truncate(0)
            raise DataError("there is another file: it has more bytes than are due", address)
        file.write(piece)
        gained(name, len(piece))
    file.flush()
    if due is not None and read < due:
        raise _CutError("the connection was closed")


def _next(answer: _Answer) -> bytes:
    try:
        return answer.read(PIECE)
    except (OSError, http.client.HTTPException) as error:
        raise _CutError(_why(error)) from None


def _asked(address: str, begun: int) -> _Answer | None:
    """The answer to a request, for what follows some bytes; None: nothing does."""
    headers = {"User-Agent": "progtf"} | ({"Range": f"bytes={begun}-"} if begun else {})
    if urlsplit(address).scheme not in ("http", "https"):
        raise DataError("an address begins with http:// or https://", address)
    try:
        request = Request(address, headers=headers)  # noqa: S310  checked above
        return build_opener().open(request, timeout=WAIT)
    except HTTPError as error:
        error.close()
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and begun:
            return None
        raise DataError(_refusal(error), address) from None
    except (URLError, OSError, http.client.HTTPException, ValueError) as error:
        raise NoNetworkError(_unreached(address, error)) from None


def _refusal(error: HTTPError) -> str:
    """What an answer says that is not the file."""
    status = f"{error.code} {' '.join(str(error.reason).split())[:200]}"
    if error.code in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        return f"the file is not there any more, or has moved ({status})"
    if error.code // 100 == 3:
        return f"the file has moved, and cannot be followed to {error.url} ({status})"
    return f"the file is not given out ({status})"


def _unreached(address: str, error: Exception) -> str:
    place = urlsplit(address).netloc
    return f"no network: {place} is not reached ({_why(error)})"


def _why(error: object) -> str:
    while isinstance(error, URLError):
        error = error.reason
    if isinstance(error, TimeoutError):
        return f"no answer within {WAIT:.0f} seconds"
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(said).split())[:200]


def is_address(text: str | os.PathLike[str]) -> bool:
    """Whether a text names a place of the web."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", str(text)) is not None
