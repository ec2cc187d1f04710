"""What a folder of a run holds, told without loading it: no torch is needed."""

import json
from pathlib import Path
from typing import Any

from progtf.bounded import read_text
from progtf.weights.elsewhere import SETTINGS

STATE = "trainer.json"


def is_network(folder: Path) -> bool:
    """Whether a folder holds a network that was learned as a whole."""
    return (folder / SETTINGS).is_file()


def reads_lowered(folder: Path) -> bool:
    """Whether a folder holds a network that reads and writes lower-cased texts."""
    try:
        said = json.loads(read_text(folder / SETTINGS))
        return bool(said.get("symbols", {}).get("lower"))
    except (OSError, ValueError, AttributeError, RecursionError):
        return False


def control_of(folder: Path) -> str:
    """Which control left a checkpoint; "" for none, and for a folder that is no checkpoint."""
    said = _state(folder).get("control", "")
    return said if isinstance(said, str) else ""


def steps_of(folder: Path) -> int | None:
    """How many steps a checkpoint was trained for; None for what is no checkpoint."""
    said = _state(folder).get("step")
    return said if isinstance(said, int) else None


def _state(folder: Path) -> dict[str, Any]:
    """What a checkpoint says of its training; nothing if it is none."""
    try:
        said = json.loads(read_text(folder / STATE))
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
