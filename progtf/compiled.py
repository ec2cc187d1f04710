"""Programs that were compiled once, kept in the user's cache by all that they were read from.

The text of a program tells which files were looked for, and what these hold tells the weights. So
two entries are kept: the files by the text and its place, the weights by the content of the files.
"""

import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

from progtf.cache import Cache, library
from progtf.notation.grammar import grammar_text
from progtf.weights.folder import FolderError, packed, unpacked
from progtf.weights.weights import Weights

LARGEST = 16 * 2**20
"""Weights of more bytes are not kept: some of them would leave no room for others."""


FAST = 1
"""Names and places repeat so much that zlib leaves a tenth without looking far."""


class Compiled:
    """What was kept of one program.

    Args:
        path: where its text lies.
        text: its bytes.
        dtype: the format that was asked for; None: the one in which it is proven.
        kept: where it is kept.
    """

    def __init__(self, path: Path, text: bytes, dtype: str | None, kept: Cache) -> None:
        place = str(path.absolute()), os.environ.get("PROGTF_DATA", ""), *sys.path
        self._made = _key("compiled", dtype or "", library(), grammar_text())
        self._text, self._kept = _key(self._made, *place, hashlib.sha256(text).hexdigest()), kept

    def weights(self) -> Weights | None:
        """The weights, with what is proven of them; None: they are not kept."""
        files = self._kept.read(self._text)
        data = None if files is None else self._kept.read(self._key(json.loads(files)))
        try:
            return None if data is None else unpacked(zlib.decompress(data))
        except (FolderError, zlib.error):  # nobody's
            return None

    def keep(self, weights: Weights, files: Iterable[Path]) -> None:
        """Keeps weights, with all files that were looked for to make them."""
        names = sorted({str(file) for file in files})
        data = zlib.compress(packed(weights), FAST)
        if self._kept.folder is not None and len(data) <= LARGEST:
            self._kept.write(self._text, json.dumps(names).encode())
            self._kept.write(self._key(names), data)

    def _key(self, names: Iterable[str]) -> str:
        return _key(self._text, *(f"{name} {_content(Path(name))}" for name in names))


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()


def _content(path: Path) -> str:
    """A digest of a file; nothing, if there is none."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
