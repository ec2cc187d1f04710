"""The tables of `docs/word_problems.md`."""

from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def write_page(found: list[dict[str, Any]]) -> None:
    """Nothing yet."""
