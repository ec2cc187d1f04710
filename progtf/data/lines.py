"""Texts that people give, perhaps compressed, read as a stream and never beyond a bound.

Three megabytes that are compressed may be three gigabytes of one line.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from progtf import texts
from progtf.bounded import is_other
from progtf.data.errors import STRICT, DataError, Told
from progtf.published import brings
from progtf.texts import Line, NotTextError, TooLongError

MOST = 2**30
"""Characters of a text."""
MOST_LINES = 10_000_000
WHOLE = 2**28
"""Bytes of a text that is read as a whole."""
_GZIP = b"\x1f\x8b"
_PARTS = "cut it into several files"


def lines_of(path: Path, told: Told = STRICT) -> Iterator[Line]:
    """Yields the lines of a text; those that are none are refused.

    Raises:
        DataError: It is not there, cannot be read, or goes beyond the bounds.
    """
    read = 0
    with opened(path) as file:
        for line in texts.lines_in(file):
            read += len(line.text) + 1
            if read > MOST or line.number > MOST_LINES:
                what = f"{MOST:,} characters" if read > MOST else f"{MOST_LINES:,} lines"
                raise DataError(f"this text has more than {what}", path, help=_PARTS)
            if line.wrong:
                told.refuse(DataError(line.wrong, path, line.number))
            else:
                yield line


def whole_text(path: Path) -> str:
    """Returns all of a text; errors as `lines_of`."""
    with opened(path) as file:
        raw = file.read(WHOLE + 1)
        if len(raw) > WHOLE:
            raise DataError(f"this text has more than {WHOLE:,} bytes", path, help=_PARTS)
        return texts.text_of(raw)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Opens a file, compressed by gzip if it begins so.

    Raises:
        DataError: It is not there, cannot be read, is no text, or memory is too small.
    """
    if is_other(path):
        raise DataError("this is no ordinary file", path)
    try:
        with path.open("rb") as plain:
            begun = plain.read(len(_GZIP))
            plain.seek(0)
            with gzip.open(plain) if begun == _GZIP else plain as file:
                yield cast("IO[bytes]", file)
    except FileNotFoundError:
        raise DataError("there is no such file", path, help=brings(path)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"this file cannot be read: {error}", path) from None
    except TooLongError as error:
        what = f"this line has more than {texts.LONGEST:,} bytes"
        raise DataError(what, path, error.line) from None
    except NotTextError as error:
        raise DataError(error.why, path, error.line) from None
    except MemoryError:
        raise DataError("memory is too small for this file", path, help=_PARTS) from None
