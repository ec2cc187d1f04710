"""What a folder is in which no compiled model lies, and where that which was meant may be."""

from pathlib import Path

SETTINGS = "model.json"
"""What a network that is learned as a whole has beside its weights."""
CHECKPOINTS = "checkpoints"
"""The folder of a run that its checkpoints lie in."""


def checkpoints(folder: Path) -> list[Path]:
    """The finished checkpoints of a run, the latest last."""
    found = folder.glob("step-*") if folder.is_dir() else ()
    whole = [path for path in found if path.is_dir() and step_of(path).isdecimal()]
    return sorted(whole, key=lambda path: int(step_of(path)))


def step_of(path: Path) -> str:
    """The step that a checkpoint's folder is called by."""
    return path.name.removeprefix("step-")


def advice(folder: Path) -> str:
    """What to name or to call instead; "" where nothing is known of the folder."""
    if (folder / SETTINGS).is_file():
        return (
            "it holds a network that is learned as a whole, which"
            " `progtf.training.networks.LearnedModel.load` reads"
        )
    if found := checkpoints(folder / CHECKPOINTS) or checkpoints(folder):
        return f"this is the folder of a run: name a checkpoint of it, the latest is {found[-1]}"
    return ""
