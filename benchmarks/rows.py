"""What trainings have shown: a JSON file of rows, to which several may add at once."""

import json
from pathlib import Path
from typing import Any

from progtf.atomic import locked, write


def read_rows(path: Path) -> list[dict[str, Any]]:
    """All rows; none where there is no file yet."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def add_row(path: Path, row: dict[str, Any]) -> None:
    """Writes one more, a line each."""
    with locked(path.parent, wait=True):
        lines = ",\n".join(f" {json.dumps(each)}" for each in [*read_rows(path), row])
        write(path, f"[\n{lines}\n]\n")
