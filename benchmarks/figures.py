"""What a benchmark finds: figures with names, and the history of those found before."""

import json
import os
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

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
        seed: of the questions or numbers that were drawn; None where nothing is.
    """

    name: str
    value: float
    unit: str
    against: str = ""
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """In the place of figures that cannot be measured here.

    Attributes:
        why: what is not installed or not there.
    """

    why: str


Found = Figure | Missing


def shown(value: float) -> str:
    """Three digits, and all of a large one before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def past(history: Path) -> dict[str, float]:
    """The last value of each name that was measured on a machine of as many cores."""
    return {
        line["name"]: line["value"] for line in rows(history) if line["cores"] == os.cpu_count()
    }


def rows(history: Path = HISTORY) -> list[dict[str, Any]]:
    """All that was found, the oldest first."""
    if not history.exists():
        return []
    return [json.loads(line) for line in history.read_text(encoding="utf-8").splitlines()]


def keep(figures: Iterable[Figure], history: Path) -> None:
    """Appends figures to the history, a JSON object a line."""
    found = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "cores": os.cpu_count(),
        "machine": _machine(),
        "versions": {"python": platform.python_version(), **_versions("torch", "numpy")},
    }
    with history.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(found | asdict(figure)) + "\n" for figure in figures)


def _machine() -> str:
    """The name of the processor."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _versions(*packages: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _commit() -> str:
    """The commit of this checkout, with ``-dirty`` behind it if files were changed since."""
    words = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    asked = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "unknown"
