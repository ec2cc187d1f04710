"""The engine in C, as `scripts/native.py` built it beside its source."""

import ctypes
import hashlib
from functools import cache
from pathlib import Path

LIBRARY = Path(__file__).with_name("engine.shared")
FOLDER = LIBRARY.parent


def digest_of(folder: Path) -> str:
    """The digest of the sources in a folder."""
    found = hashlib.sha256()
    for each in sorted([*folder.glob("*.h"), folder / "engine.c"]):
        found.update(each.read_bytes())
    return found.hexdigest()


@cache
def library() -> ctypes.PyDLL | None:
    """The engine, if it was built of the source that stands beside it."""
    try:
        found = ctypes.PyDLL(str(LIBRARY))
        found.progtf_source.restype = ctypes.c_char_p
        digest = found.progtf_source().decode()
        if digest != digest_of(FOLDER):
            return None
    except (OSError, AttributeError):
        return None
    pointer = ctypes.c_void_p
    found.progtf_load.restype, found.progtf_load.argtypes = pointer, (pointer, ctypes.c_int64)
    found.progtf_free.restype, found.progtf_free.argtypes = None, (pointer,)
    found.progtf_room.restype, found.progtf_room.argtypes = pointer, ()
    found.progtf_leave.restype, found.progtf_leave.argtypes = None, (pointer,)
    found.progtf_begin.restype, found.progtf_begin.argtypes = pointer, (pointer,)
    found.progtf_write.restype, found.progtf_write.argtypes = ctypes.c_int64, (pointer,) * 4
    found.progtf_written.restype, found.progtf_written.argtypes = ctypes.c_int64, (pointer,)
    found.progtf_end.restype, found.progtf_end.argtypes = None, (pointer,)
    found.progtf_answer.restype = ctypes.c_int64
    found.progtf_answer.argtypes = (pointer,) * 5
    return found
