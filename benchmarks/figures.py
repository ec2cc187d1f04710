"""What a benchmark finds: figures with names, and the history of those found before."""

import json
import os
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
HISTORY = Path(__file__).with_name("history.jsonl")


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the page.

    Attributes:
        name: what was measured; the same from run to run.
        value: the median, in ``unit``.
        unit: ``x`` for a ratio.
        against: what it is a ratio of, or which aim it is held to.
    """

    name: str
    value: float
    unit: str
    against: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """In the place of figures that cannot be measured here.

    Attributes:
        why: what is not installed or not there.
    """

    why: str


Found = Figure | Missing


def past(history: Path) -> dict[str, float]:
    """The last value of each name that was measured on a machine of as many cores."""
    if not history.exists():
        return {}
    lines = map(json.loads, history.read_text(encoding="utf-8").splitlines())
    return {line["name"]: line["value"] for line in lines if line["cores"] == os.cpu_count()}


def keep(figures: Iterable[Figure], history: Path) -> None:
    """Appends figures to the history, a JSON object a line."""
    found = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "cores": os.cpu_count(),
    }
    with history.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(found | asdict(figure)) + "\n" for figure in figures)


def _commit() -> str:
    """The commit of this checkout, with ``-dirty`` behind it if files were changed since."""
    words = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    asked = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "unknown"
