"""What decides a run: a run goes on only if it is the same."""

import hashlib
import json
from pathlib import Path
from typing import Any, cast

import torch
from pydantic import BaseModel

from progtf.atomic import write
from progtf.training.config import Run
from progtf.training.subject import Hybrid, Subject

FILE = "settings.json"
LATER = (
    ("", "lexicon"), ("data", "alphabet"), ("data.pairs", "pool"), ("data", "pairs"),
    ("train", "score_scale"), ("train", "draws"), ("train", "temperature"),
    ("train", "bounded"), ("train", "smoothing"),
    ("model", "encoder"), ("model", "rules"), ("model", "forgetful"), ("model", "reading"),
    ("train", "interchange"), ("train", "strictness"),
    ("model", "binding"), ("model", "tuned"), ("model", "scheme"), ("model", "tied"),
    ("model", "role_embedding"), ("model", "embedding"), ("model", "forcing"), ("model", "masked"),
    ("model", "cells"), ("data", "vocabulary"), ("train", "epochs"),
    ("model.reading", "role_sparsity"),
    ("model", "pointing"), ("model", "decoder_layers"), ("model", "shared"),
)  # fmt: skip
"""Settings that once did not exist: where nothing else is said, a run is the one that it was."""


def recipe_of(run: Run, subject: Subject) -> str:
    """A digest of everything that decides a run: settings, program, layout.

    The number of steps and what does not change weights may differ: a run can be made longer if
    its rate does not depend on its length.
    """
    digest = hashlib.sha256(json.dumps(_deciding(run), sort_keys=True).encode())
    if isinstance(subject, Hybrid):
        digest.update(repr(subject.module.layout).encode())
        for each in subject.module.network.weights.maps.values():
            digest.update(repr((each.key, each.entries, each.marked)).encode())
    for tensor in subject.state_dict().values():  # as they are before training
        digest.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


def note_settings(run: Run) -> None:
    """Writes the settings of a run to its folder."""
    run.out.mkdir(parents=True, exist_ok=True)
    write(run.out / FILE, run.model_dump_json(indent=1) + "\n")


def what_changed(run: Run) -> str:
    """What is not as it was when the run began: settings, or else the program."""
    try:
        noted = Run.model_validate_json((run.out / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "the program or the settings"
    before, now = flat(_deciding(noted)), flat(_deciding(run))
    changed = [key for key in sorted(before | now) if before.get(key) != now.get(key)]
    shown = [f"`{key}`, from {before.get(key)} to {now.get(key)}" for key in changed]
    return "; ".join(shown) or "the program"


def _deciding(run: Run) -> dict[str, Any]:
    settings = run.model_dump(mode="json")
    for key in ("out", "checkpoints", "name", "cache"):
        settings.pop(key)
    for key in ("final", "train"):
        settings["evaluate"].pop(key)
    if run.train.stop_at > 100 and not run.train.patience:  # no test decides when it stops
        settings.pop("evaluate")
    settings["data"]["folder"] = settings["program"] = ""
    if settings["model"] is not None:
        settings["model"].pop("reads")  # its weights are in the digest
        settings["model"].pop("start")  # as these are
        settings["model"]["reading"]["vectors"] = None  # so are these
    for swap in settings["train"]["interchange"]:
        swap["program"] = Path(swap["program"]).read_text(encoding="utf-8")
    if not run.train.decay:
        settings["train"]["steps"] = 0
    return _as_before(settings, run)


def _as_before(settings: dict[str, Any], run: Run) -> dict[str, Any]:
    """Without what once did not exist and is not said."""
    for tables, key in LATER:
        inner, known = settings, cast("Any", run)
        for table in filter(None, tables.split(".")):
            inner, known = inner and inner.get(table), cast("Any", getattr(known, table, None))
        if inner and inner[key] == _plain(type(known).model_fields[key].default):
            inner.pop(key)
    return settings


def _plain(default: Any) -> Any:
    """A setting as it is written down."""
    return default.model_dump(mode="json") if isinstance(default, BaseModel) else default


def flat(settings: dict[str, Any], above: Path = Path()) -> dict[str, Any]:
    """Settings of settings by one name: ``{"train.steps": 100}``."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        inner = flat(value, above / key) if isinstance(value, dict) else None
        found |= {".".join((above / key).parts): value} if inner is None else inner
    return found
