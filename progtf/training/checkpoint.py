"""Checkpoints: a compiled model's folder with what is needed to go on, all of it safetensors, JSON.

A checkpoint has its name only when it is whole: it is written beside it, and renamed.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from progtf.atomic import PART, locked, new_folder
from progtf.bounded import read_bytes
from progtf.data import Cursor
from progtf.sealed import DamagedError, check, seal
from progtf.training.config import RunError
from progtf.training.folders import STATE
from progtf.training.networks import save_network
from progtf.training.parallel import divided_as, full
from progtf.training.recipe import Identity
from progtf.training.subject import Hybrid, Learned, Subject
from progtf.weights.elsewhere import checkpoints, step_of
from progtf.weights.folder import WEIGHTS, FolderError, load_weights, save_weights
from progtf.weights.weights import Weights

TRAINER = "trainer.safetensors"
WHOLE = 2**28
"""Bytes of where a run stands, with its curve."""


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Attributes:
        step: steps done.
        cursor: which batch comes next.
        best: the best interpolation result, percent.
        stale: evaluations since then.
        run: what the run is, which does not change.
        last: the last interpolation result, percent.
        stopped: why the run has stopped before its last step, if it has.
        control: what the run was, if it was a control.
        curve: what was found whenever it was evaluated, as `metrics.jsonl` has it.
    """

    step: int
    cursor: Cursor
    best: float
    stale: int
    run: Identity
    last: float = -1.0
    stopped: str = ""
    control: str = ""
    curve: tuple[Mapping[str, Any], ...] = ()


def save(
    folder: Path, subject: Subject, whole: Any, tensors: Mapping[str, Tensor], progress: Progress
) -> None:
    """Writes a checkpoint; a killed or failed write leaves nothing under its name.

    One that is there, whole and of the same run, stays as it is: nothing is ever written over.

    Args:
        folder: its name.
        subject: what is trained.
        whole: the weights of a hybrid; the tensors of another network by name.
        tensors: of the optimiser and the random generators.
        progress: where the run stands.

    Raises:
        RunError: if the disk is full, or cannot be written, or has one of another run there.
    """
    try:
        with locked(folder.parent, wait=True):
            if not _is_there(folder, progress):
                _write(folder, subject, whole, tensors, progress)
    except (OSError, SafetensorError) as error:
        raise RunError(
            f"{folder}: the checkpoint could not be written: {error};"
            " what was there before is whole"
        ) from None


def _is_there(folder: Path, progress: Progress) -> bool:
    """Whether a checkpoint of the same run is there; a damaged one is removed."""
    try:
        if not folder.exists() or not read_progress(folder).run.changes(progress.run):
            return folder.exists()
    except RunError:
        shutil.rmtree(folder)
        return False
    raise RunError(f"{folder}: a checkpoint of another run is there")


def _write(
    folder: Path, subject: Subject, whole: Any, tensors: Mapping[str, Tensor], progress: Progress
) -> None:
    """Writes a checkpoint beside its name, which it has only when it is whole."""
    with new_folder(folder) as part:
        if isinstance(subject, Hybrid):
            save_weights(whole, part)
        else:
            assert isinstance(subject, Learned)
            save_network(part, subject.settings, _ordinary(whole), subject.vocabulary)
        save_file(_ordinary(tensors), part / TRAINER)
        (part / STATE).write_text(json.dumps(asdict(progress), indent=1), encoding="utf-8")
        seal(part)


def _ordinary(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}


_REMOVE = "; remove this folder, and the run goes on from the checkpoint before, if there is one"


def drop_old(folder: Path, keep: int) -> None:
    """Removes all but the last few checkpoints, and what a killed write left."""
    with locked(folder, wait=True):
        for path in [*checkpoints(folder)[:-keep], *folder.glob(f"*{PART}")]:
            if path.is_dir() and not path.is_symlink():  # nobody else's
                shutil.rmtree(path)


def read_progress(folder: Path) -> Progress:
    """Where the run of a checkpoint stands, its files checked.

    Raises:
        RunError: if one is missing, another one than was written, or of an earlier version.
    """
    try:
        check(folder)
        state: dict[str, Any] = json.loads(read_bytes(folder / STATE, WHOLE))
        cursor, run = Cursor(*state.pop("cursor")), Identity(**state.pop("run"))
        curve = tuple(map(dict, state.pop("curve")))
        progress = Progress(cursor=cursor, run=run, curve=curve, **state)
    except DamagedError as error:
        raise RunError(f"{error}{_REMOVE}") from None
    except KeyError as error:
        old = "an earlier version of progtf wrote it, and none goes on from there"
        raise RunError(f"{folder}: {STATE} lacks {error}: {old}") from None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise RunError(f"{folder}: no whole checkpoint: {error}{_REMOVE}") from None
    if step_of(folder) not in (folder.name, f"{progress.step:07d}"):
        raise RunError(f"{folder}: this is the checkpoint of step {progress.step}{_REMOVE}")
    return progress


def weights_in(folder: Path, begun: Hybrid) -> Weights:
    """The weights in a checkpoint of a hybrid.

    Raises:
        RunError: if they are not those of its program.
    """
    try:
        weights = load_weights(folder)
    except FolderError as error:
        raise RunError(f"{error}{_REMOVE}") from None
    if weights.layout != begun.written.layout or weights.maps.keys() != begun.written.maps.keys():
        raise RunError(f"{folder}: the program has changed since: its layout is another")
    return weights


def with_weights_of(folder: Path, subject: Subject) -> Subject:
    """A network that is learned as a whole, with the weights in a checkpoint.

    Raises:
        RunError: if they do not fit.
    """
    try:
        subject.module.load_state_dict(load_file(folder / WEIGHTS))
    except (SafetensorError, RuntimeError) as error:
        raise RunError(f"{folder}: {str(error).splitlines()[0]}") from None
    return subject


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The state of an optimiser, parameter by parameter; and the steps that its groups count."""
    state = optimiser.state_dict()["state"]
    counted = {
        f"group.{number}.step": torch.tensor(group["step"], dtype=torch.long, device="cpu")
        for number, group in enumerate(optimiser.param_groups)
        if "step" in group
    }
    return counted | {
        f"optimiser.{number}.{name}": full(value)
        for number, entries in state.items()
        for name, value in entries.items()
    }


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Gives an optimiser the state that ``optimiser_tensors`` took."""
    state: dict[int, dict[str, Tensor]] = {}
    parameters = [p for group in optimiser.param_groups for p in group["params"]]
    for key, tensor in tensors.items():
        if key.startswith("optimiser."):
            _, number, name = key.split(".", 2)
            like = parameters[int(number)]
            state.setdefault(int(number), {})[name] = divided_as(tensor, like)
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
    for number, group in enumerate(optimiser.param_groups):
        if (steps := tensors.get(f"group.{number}.step")) is not None:
            group["step"] = int(steps)
