"""What decides a run, as a digest: a run goes on only if it is the same."""

import hashlib
import json

import torch

from progtf.training.config import Run
from progtf.training.subject import Hybrid, Subject


def recipe_of(run: Run, subject: Subject) -> str:
    """A digest of everything that decides a run: settings, program, layout.

    The number of steps and what does not change weights may differ: a run can be made longer if
    its rate does not depend on its length.
    """
    settings = run.model_dump(mode="json")
    for key in ("out", "evaluate", "checkpoints", "name", "cache"):
        settings.pop(key)
    settings["data"]["folder"] = settings["program"] = ""
    if not run.train.decay:
        settings["train"]["steps"] = 0
    said = json.dumps(settings, sort_keys=True)
    digest = hashlib.sha256(said.encode())
    if isinstance(subject, Hybrid):
        digest.update(repr(subject.module.layout).encode())
    for tensor in subject.state_dict().values():  # as they are before training
        digest.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
    return digest.hexdigest()
