"""What a folder of a run holds, told without loading it: no torch is needed."""

import json
from pathlib import Path
from typing import Any

from progtf.bounded import read_bytes
from progtf.weights.elsewhere import SETTINGS

STATE = "trainer.json"


def is_network(folder: Path) -> bool:
    """Whether a folder holds a network that was learned as a whole."""
    return (folder / SETTINGS).is_file()


def reads_lowered(folder: Path) -> bool:
    """Whether a folder holds a network that reads and writes lower-cased texts."""
    symbols = said_in(folder / SETTINGS).get("symbols")
    return isinstance(symbols, dict) and bool(symbols.get("lower"))


def control_of(folder: Path) -> str:
    """Which control left a checkpoint; "" for none, and for a folder that is no checkpoint."""
    said = said_in(folder / STATE).get("control", "")
    return said if isinstance(said, str) else ""


def steps_of(folder: Path) -> int | None:
    """How many steps a checkpoint was trained for; None for what is no checkpoint."""
    said = said_in(folder / STATE).get("step")
    return said if isinstance(said, int) else None


def said_in(file: Path) -> dict[str, Any]:
    """What a JSON object in a file says; nothing if there is none."""
    try:
        said = json.loads(read_bytes(file))
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
