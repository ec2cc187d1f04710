"""Programs that were compiled once, kept in the user's cache by all that they were read from.

The text of a program tells which files were looked for, and what these hold tells the weights. So
two entries are kept: the files by the text and its place, the weights by the content of the files.
"""

import hashlib
import json
import os
import sys
import zlib
from pathlib import Path

from progtf.cache import Cache, library
from progtf.content import key_of
from progtf.notation.grammar import grammar_text
from progtf.notation.sought import Sought, State, state_of
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
        text: its bytes, which are what is compiled: the file may be another one by then.
        dtype: the format that was asked for; None: the one in which it is proven.
        kept: where it is kept.
    """

    def __init__(self, path: Path, text: bytes, dtype: str | None, kept: Cache) -> None:
        self.text, self._kept = text, kept
        made_by, digest = (library(), grammar_text(), dtype), hashlib.sha256(text).hexdigest()
        self._read = key_of("compiled", made_by, _absolute(str(path)), _searched(), digest)

    def weights(self) -> Weights | None:
        """The weights, with what is proven of them; None: they are not kept."""
        names = self._kept.read(self._read)
        data = None if names is None else self._kept.read(self._key(state_of(json.loads(names))))
        try:
            return None if data is None else unpacked(zlib.decompress(data))
        except (FolderError, zlib.error):  # nobody's
            return None

    def keep(self, weights: Weights, sought: Sought) -> None:
        """Keeps weights by all files that were looked for to make them.

        Nothing is kept if one of them is no longer what was read.
        """
        data, names, now = (
            zlib.compress(packed(weights), FAST),
            sought.names,
            state_of(sought.names),
        )
        if self._kept.folder is not None and len(data) <= LARGEST and sought.still_so(now):
            self._kept.write(self._read, json.dumps(names).encode())
            self._kept.write(self._key(now), data)

    def _key(self, now: State) -> str:
        return key_of(self._read, now)


def _searched() -> tuple[str | None, list[str]]:
    """Where else tables are looked for: wherever who asks may stand."""
    data = os.environ.get("PROGTF_DATA")
    return None if data is None else _absolute(data), [*map(_absolute, sys.path)]


def _absolute(path: str) -> str:
    return str(Path(path).absolute())
