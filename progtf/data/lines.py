"""Texts that people give, perhaps compressed, read as a stream and never beyond a bound.

Three megabytes that are compressed may be three gigabytes of one line.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO, cast

from progtf.bounded import is_other
from progtf.data.errors import DataError

LONGEST = 2**22
"""Bytes of a line."""
MOST = 2**30
"""Bytes of a text."""
MOST_LINES = 10_000_000
WHOLE = 2**28
"""Bytes of a text that is read as a whole."""


def lines_of(path: Path) -> Iterator[str]:
    """Yields the lines of a text in UTF-8, without their ends.

    Raises:
        DataError: It is not there, cannot be read, is no such text, or goes beyond the bounds.
    """
    read = 0
    with opened(path) as file:
        for number in count(1):
            raw = file.readline(LONGEST + 1)
            read += len(raw)
            if len(raw) > LONGEST:
                raise DataError(f"this line has more than {LONGEST:,} bytes", path, number)
            if read > MOST or number > MOST_LINES:
                what = f"{MOST:,} bytes" if read > MOST else f"{MOST_LINES:,} lines"
                raise DataError(f"this text has more than {what}", path, help=_PARTS)
            if not raw:
                return
            yield from raw.decode().splitlines()


def whole_text(path: Path) -> str:
    """Returns all of a text; errors as `lines_of`."""
    with opened(path) as file:
        raw = file.read(WHOLE + 1)
        if len(raw) > WHOLE:
            raise DataError(f"this text has more than {WHOLE:,} bytes", path, help=_PARTS)
        return raw.decode()


_PARTS = "cut it into several files"


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Opens a file, compressed by gzip if its name says so.

    Raises:
        DataError: It is not there, cannot be read, is no text in UTF-8, or memory is too small.
    """
    if is_other(path):
        raise DataError("this is no ordinary file", path)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield cast("IO[bytes]", file)
    except FileNotFoundError:
        raise DataError("there is no such file", path) from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"this file cannot be read: {error}", path) from None
    except UnicodeDecodeError:
        raise DataError("this file is no text in UTF-8", path) from None
    except MemoryError:
        raise DataError("memory is too small for this file", path, help=_PARTS) from None
