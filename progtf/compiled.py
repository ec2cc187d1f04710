"""Programs that were read or compiled once, kept by all that they were read from.

The text of a program tells which files were looked for, and what these hold tells what it is. So
two entries are kept: the files by the text and its place, the rest by the content of the files.
What is kept in the user's cache is a program, for the interpreter, or its weights, for the network.
"""

import hashlib
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from progtf.cache import Cache, library
from progtf.content import key_of
from progtf.notation.grammar import grammar_text
from progtf.notation.sought import Sought, State, state_of
from progtf.published import data_folder

if TYPE_CHECKING:
    from progtf.program.model import Program
    from progtf.weights.weights import Weights

LARGEST = 16 * 2**20
"""What has more bytes is not kept: some of it would leave no room for others."""


FAST = 1
"""Names and places repeat so much that zlib leaves a tenth without looking far."""


class _Kept:
    """What was kept of one program.

    Args:
        path: where its text lies.
        text: its bytes, which are what is read: the file may be another one by then.
        what: is kept.
        kept: where it is kept.
    """

    def __init__(self, path: Path, text: bytes, what: str | None, kept: Cache) -> None:
        self.text, self._kept = text, kept
        made_by, digest = (library(), grammar_text(), what), hashlib.sha256(text).hexdigest()
        self._read = key_of("compiled", made_by, _absolute(str(path)), _searched(), digest)

    def _found(self) -> bytes | None:
        names = self._kept.read(self._read)
        data = None if names is None else self._kept.read(self._key(state_of(json.loads(names))))
        try:
            return None if data is None else zlib.decompress(data)
        except zlib.error:  # nobody's
            return None

    def _keep(self, made: bytes, sought: Sought) -> None:
        """Keeps it by all files that were looked for to make it.

        Nothing is kept if one of them is no longer what was read.
        """
        data, names, now = zlib.compress(made, FAST), sought.names, state_of(sought.names)
        if len(data) <= LARGEST and sought.still_so(now):
            self._kept.write(self._read, json.dumps(names).encode())
            self._kept.write(self._key(now), data)

    def _key(self, now: State) -> str:
        return key_of(self._read, now)


class Compiled(_Kept):
    """The weights of a program, as they were kept.

    Args:
        path, text, kept: as above.
        dtype: the format that was asked for; None: the one in which it is proven.
    """

    def __init__(self, path: Path, text: bytes, dtype: str | None, kept: Cache) -> None:
        super().__init__(path, text, dtype, kept)

    def weights(self) -> "Weights | None":
        """The weights, with what is proven of them; None: they are not kept."""
        data = self._found()
        if data is None:
            return None
        from progtf.weights.folder import FolderError, unpacked  # noqa: PLC0415  numbers are slow

        try:
            return unpacked(data)
        except FolderError:  # nobody's
            return None

    def keep(self, weights: "Weights", sought: Sought) -> None:
        """Keeps weights by all files that were looked for to make them."""
        from progtf.weights.folder import packed  # noqa: PLC0415  as above

        if self._kept.folder is not None:
            self._keep(packed(weights), sought)


class Understood(_Kept):
    """A program as it was understood, as it was kept.

    Args:
        path, text, kept: as above; messages name the file as ``path`` does.
    """

    def __init__(self, path: Path, text: bytes, kept: Cache) -> None:
        super().__init__(path, text, f"understood: {path}", kept)

    def program(self) -> "Program | None":
        """The program; None: it is not kept."""
        data = self._found()
        if data is None:
            return None
        from progtf.program.packed import PackedError, unpacked  # noqa: PLC0415  as above

        try:
            return unpacked(data)
        except PackedError:  # nobody's
            return None

    def keep(self, program: "Program") -> None:
        """Keeps a program by all files that were looked for to read it."""
        from progtf.program.packed import packed  # noqa: PLC0415  as above

        if self._kept.folder is not None:
            self._keep(packed(program), program.sought)


def _searched() -> str:
    """Where else tables are looked for, wherever who asks may stand; where packages lie is told by
    the files.
    """
    return _absolute(str(data_folder()))


def _absolute(path: str) -> str:
    return str(Path(path).absolute())
