"""How sure a network has to be before it answers: what lies beside its weights says so."""

import json
from pathlib import Path

from progtf.atomic import replacing
from progtf.training.config import RunError
from progtf.training.folders import said_in

FILE = "sure.json"
_LEAST = "least"


def least_sure(folder: Path) -> float | None:
    """The chance below which the network in a folder does not answer, or says that it is unsure.

    Args:
        folder: Of a checkpoint, which says nothing, or of a network of the package.

    Raises:
        RunError: if it is no chance.
    """
    if not (folder / FILE).exists():
        return None
    least = said_in(folder / FILE).get(_LEAST)
    if not isinstance(least, int | float) or not 0 <= least <= 1:
        raise RunError(f"{folder / FILE}: `{_LEAST}` is no chance, a number from 0 to 1")
    return float(least)


def note_least_sure(folder: Path, least: float) -> None:
    """Writes the chance below which a network does not answer beside its weights."""
    with replacing(folder / FILE) as file:
        file.write((json.dumps({_LEAST: least}) + "\n").encode())
