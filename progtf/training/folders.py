"""What a folder of a run holds, told without loading it: no torch is needed."""

import json
from pathlib import Path

SETTINGS, STATE = "model.json", "trainer.json"


def is_network(folder: Path) -> bool:
    """Whether a folder holds a network that was learned as a whole."""
    return (folder / SETTINGS).is_file()


def reads_lowered(folder: Path) -> bool:
    """Whether a folder holds a network that reads and writes lower-cased texts."""
    try:
        said = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        return bool(said.get("symbols", {}).get("lower"))
    except (OSError, ValueError, AttributeError, RecursionError):
        return False


def control_of(folder: Path) -> str:
    """Which control left a checkpoint; "" for none, and for a folder that is no checkpoint."""
    try:
        return json.loads((folder / STATE).read_text(encoding="utf-8")).get("control", "")
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""
