"""Writing files so that a killed write leaves the old file or the new one, never half of one."""

import os
from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Puts a text in place of a file.

    Raises:
        OSError: if the file cannot be written; the old one is still there then.
    """
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    put_in_place(partial, path)


def put_in_place(partial: Path, path: Path) -> None:
    """Makes a finished file the one that readers find, with the old one's permissions."""
    if path.exists():
        partial.chmod(path.stat().st_mode)
    partial.replace(path)
