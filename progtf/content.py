"""What things are, told by a digest of their content: all that is kept is kept by such a key.

A key is of everything that was read, looked for and configured, each part whole: a list stays a
list, however long it is.
"""

import hashlib
import json
from pathlib import Path


def key_of(*parts: object) -> str:
    """A SHA-256 of values that JSON has; other parts have another key."""
    text = json.dumps(parts, sort_keys=True)  # of ASCII alone, so that every name has its bytes
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of(path: Path) -> str:
    """A SHA-256 of a file; "" where there is none, or none that can be read."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return ""
