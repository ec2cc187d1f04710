"""The one door for text: whoever wrote it, and with what, the same text is the same here.

Windows, macOS and editors write texts in their own ways: in UTF-8 with a mark before it or without
one, in UTF-16, with ends of lines of their own, an accent as a character of its own. Here all of
them become one form: lines that end in a line feed, characters in Unicode's normal form C. Text
that comes as a stream is read line by line, and a line that is none leaves the others.
"""

import codecs
import re
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path, PurePath
from typing import IO, NamedTuple

from progtf.bounded import SETTINGS, read_bytes

LONGEST = 2**22
"""Bytes of a line."""
_PIECE = 2**16
_MARK = "\ufeff"
_MARKS = (  # in this order: the mark of UTF-32 begins as that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED = (
    (re.compile(rb"[^\0]\0(?:\n|[^\0]\0)"), "utf-16-le"),
    (re.compile(rb"\0[^\0]\0[^\0]"), "utf-16-be"),
)
"""How the first line of UTF-16 without a mark begins, and none of UTF-8."""
_HALVED = "progtf.halved"
_LEFT = re.compile(
    r"\..*|thumbs\.db|desktop\.ini|__macosx|~\$.*|\#.*\#|.*(?:~|\.(?:bak|orig|sw[a-p]))",
    re.IGNORECASE,
)
"""What macOS (``._a.txt``, ``.DS_Store``), Windows and editors leave beside files."""


class Line(NamedTuple):
    """A line of a text, without its end.

    Attributes:
        number: From 1.
        text: In normal form; where the line is no text, with a mark for each byte that is none.
        wrong: Why it is none; "" for a text.
    """

    number: int
    text: str
    wrong: str = ""


class NotTextError(ValueError):
    """Bytes that are no text.

    Attributes:
        line: That has the first of them, from 1.
        column: Where it stands there, in characters from 0.
        text: All that was given, with a mark for each byte that is none.
        why: In words.
    """

    def __init__(self, line: int, column: int, text: str, why: str) -> None:
        self.line, self.column, self.text, self.why = line, column, text, why
        super().__init__(f"line {line} is {why}")


class TooLongError(ValueError):
    """A line that has no end within the bound; ``line`` is its number."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(f"line {line} has more than {LONGEST:,} bytes")


def normal(text: str) -> str:
    """The text in normal form C, in which what looks alike is alike."""
    if text.isascii():
        return text
    import unicodedata  # noqa: PLC0415  most texts need none

    return unicodedata.normalize("NFC", text)


def with_line_feeds(text: str) -> str:
    """The text with line feeds for whatever ends its lines, and without a mark before any."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() else text.lstrip(_MARK).replace(f"\n{_MARK}", "\n")


def given(text: str) -> str:
    """A text as a person gave it to a command or from Python, in normal form, without a mark."""
    return text if text.isascii() else normal(text.lstrip(_MARK))


def why_no_text(text: str) -> str:
    """Why a text that a person gave is none: bytes of another encoding stand in it; "" if it is."""
    if text.isascii():
        return ""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return _why(error.start, ord(text[error.start]))
    return ""


def _why(column: int, unit: int) -> str:
    """What is wrong with a character: a byte, as Python has it in texts, or half of a character."""
    if 0xDC80 <= unit <= 0xDCFF:
        return f"not written in UTF-8: character {column + 1} is the byte 0x{unit - 0xDC00:02x}"
    return f"no text: character {column + 1}, U+{unit:04X}, is half of a character"


def text_of(data: bytes) -> str:
    """The text that bytes are.

    Raises:
        NotTextError: If they are none.
    """
    return normal(characters_of(data))


def characters_of(data: bytes) -> str:
    """The text that bytes are, with the very characters that stand there; errors as ``text_of``."""
    encoding, mark = _encoding(data[: data.find(b"\n") + 1] or data)
    try:
        return with_line_feeds(data[mark:].decode(encoding))
    except UnicodeDecodeError:
        pass
    try:
        lines = [*lines_in(BytesIO(data))]
    except TooLongError as error:
        raise NotTextError(error.line, 0, "", "not written in UTF-8") from None
    wrong = next(line for line in lines if line.wrong)
    column = next(n for n, c in enumerate(wrong.text) if "\ud800" <= c <= "\udfff")
    raise NotTextError(wrong.number, column, "\n".join(line.text for line in lines), wrong.wrong)


def read_text(path: Path, most: int = SETTINGS) -> str:
    """The text of a file.

    Raises:
        OSError: If there is none, it is no ordinary file, has more bytes, or cannot be read.
        NotTextError: If it is no text.
    """
    return text_of(read_bytes(path, most))


def lines_in(file: IO[bytes]) -> Iterator[Line]:
    """Yields the lines of a stream as they come.

    Raises:
        TooLongError: If a line has no end.
    """
    number = 0
    for raw in _ended(file):
        if len(raw) > LONGEST:
            raise TooLongError(number + 1)
        for each in raw.removesuffix(b"\n").removesuffix(b"\r").split(b"\r"):
            number += 1
            yield _line(number, each)


def _ended(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream as UTF-8, each with the line feed at its end."""
    first = file.readline(LONGEST + 1)
    encoding, mark = _encoding(first)
    if encoding == "utf-8":
        if first[mark:]:
            yield first[mark:]
        yield from iter(partial(file.readline, LONGEST + 1), b"")
        return
    decoder = codecs.getincrementaldecoder(encoding)(_HALVED)
    read = partial(getattr(file, "read1", file.read), _PIECE)
    rest = ""
    for piece in chain([first[mark:]], iter(read, b"")):
        *whole, rest = (rest + decoder.decode(piece)).split("\n")
        yield from (f"{each}\n".encode(errors="surrogatepass") for each in whole)
        if len(rest) > LONGEST:
            break
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest.encode(errors="surrogatepass")


def _encoding(begun: bytes) -> tuple[str, int]:
    """In what a text is written, told by its first line; and how many bytes its mark has."""
    if begun[:1] in (b"\xff", b"\xfe", b"\0") or begun[1:2] == b"\0":
        for mark, encoding in _MARKS:
            if begun.startswith(mark):
                return encoding, len(mark)
        for beginning, encoding in _UNMARKED:
            if beginning.match(begun):
                return encoding, 0
    bare = begun
    while bare.startswith(codecs.BOM_UTF8):
        bare = bare[len(codecs.BOM_UTF8) :]
    return "utf-8", len(begun) - len(bare)


def _line(number: int, raw: bytes) -> Line:
    if raw.isascii():
        return Line(number, raw.decode())
    try:
        return Line(number, normal(raw.decode().lstrip(_MARK)))
    except UnicodeDecodeError:
        pass
    try:
        text = raw.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        text = raw.decode(errors="surrogateescape")
    text = normal(text)
    return Line(number, text, why_no_text(text))


def _halved(error: UnicodeError) -> tuple[str, int]:
    """Half of a character for bytes of UTF-16 or UTF-32 that are none."""
    assert isinstance(error, UnicodeDecodeError)
    return "\ud800", error.end


codecs.register_error(_HALVED, _halved)


class Cleaned:
    """A stream of bytes as UTF-8 with line feeds, read in pieces; its characters are as they were.

    What is no text in it stays.

    Args:
        file: The stream.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decoder: codecs.IncrementalDecoder | None = None
        self._begun = self._held = False

    def read(self, size: int) -> bytes:
        """The next piece, of about so many bytes; nothing at the end."""
        while piece := self._file.read(size):
            found = self._cleaned(piece)
            if found:
                return found
        found = b"\n" if self._held else b""
        self._held = False
        if self._decoder is not None:
            found += self._decoder.decode(b"", final=True).encode(errors="surrogatepass")
            self._decoder = None
        return found

    def _cleaned(self, piece: bytes) -> bytes:
        if not self._begun:
            self._begun = True
            encoding, mark = _encoding(piece[: piece.find(b"\n") + 1] or piece)
            piece = piece[mark:]
            if encoding != "utf-8":
                self._decoder = codecs.getincrementaldecoder(encoding)(_HALVED)
        if self._decoder is not None:
            piece = self._decoder.decode(piece).encode(errors="surrogatepass")
        if self._held:
            piece = b"\r" + piece
        if b"\r" not in piece:
            return piece
        self._held = piece.endswith(b"\r")  # a line feed may follow
        piece = piece[:-1] if self._held else piece
        return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def passed_over(path: PurePath) -> bool:
    """Whether a file is none that somebody wrote, by its name: systems and editors leave such."""
    return _LEFT.fullmatch(path.name) is not None
