"""Which settings mean something to a run: what its network would not have is never written.

A `lstm` has no `heads`; a run on pairs makes no questions. ``idle`` names such settings with a
reason; what a run file says of those of a network is refused (``config.read_run``), and
``settings.json`` and ``model.json`` have none of them.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from progtf.training.config import Model, Reading, Run

_BLOCKS = ("width", "filter", "heads", "layers", "dropout", "norms")
_CELLS = ("width", "layers", "dropout", "embedding", "forcing", "masked")
_WORDS = ("encoder", "tuned", "frozen", "rules", "forgetful", "reads", "pointing")
MEANT: Mapping[str, tuple[str, ...]] = {
    "tp": (*_BLOCKS, "embedding_dropout", "scheme", "tied", "binding", "role_embedding"),
    "transformer": (*_BLOCKS, "embedding_dropout", "scheme", "tied"),
    "lstm": _CELLS,
    "gru": (*_CELLS, "cells"),
    "pointers": (*_BLOCKS, *_WORDS, "decoder_layers", "shared"),
    "reader": ("width", "dropout", "reads", "reading"),
}
"""The settings of ``[model]`` that mean something to each kind."""
_OF_TENSORS = (
    "symbols", "roles", "d_symbol", "d_role", "sparsity", "role_sparsity", "form", "written",
)  # fmt: skip
_OF_PROGRAMS = ("learn", "lexicon", "damage", "cache", "written")
_OF_LOSSES = ("score_scale", "bounded", "draws", "temperature")
_MADE = ("generate", "modules", "splits", "questions", "test", "alphabet", "vocabulary")


def idle_of_model(model: "Model") -> dict[str, str]:
    """The settings of ``[model]`` that mean nothing to this network, each with the reason."""
    meant = MEANT[model.kind]
    has = ", ".join(f"`{each}`" for each in meant)
    why = f"means nothing to a network of kind `{model.kind}`, which has {has}"
    found = dict.fromkeys(type(model).model_fields.keys() - {"kind", "start", *meant}, why)
    if model.kind == "pointers":
        found |= _of_bert(model)
    if model.kind == "reader":
        reading = dict(_of_reading(model.reading))
        found |= {f"reading.{key}": reason for key, reason in reading.items()}
    return found


def _of_bert(model: "Model") -> dict[str, str]:
    if model.encoder != "bert":
        return dict.fromkeys(("tuned", "frozen"), 'is for `model.encoder = "bert"`')
    return {} if model.tuned else {"frozen": "is for a BERT that is tuned; of 0 all of it stays"}


def _of_reading(reading: "Reading") -> Iterator[tuple[str, str]]:
    if reading.phrase == "lstm":
        yield from ((key, "is for phrases with roles") for key in _OF_TENSORS)
    else:
        yield "narrow", 'is for `phrase = "lstm"`'
    if reading.vectors is not None:
        yield "d_vector", "is what `vectors` has"


def idle(run: "Run") -> dict[str, str]:
    """All settings that mean nothing to a run, by their names, each with the reason.

    What the run file says of `[data]` beside pairs is passed over, as `Pairs` has it.
    """
    found: dict[str, str] = {}
    if run.model is None:
        found["model"] = "a `program` is trained"
        found |= dict.fromkeys(("train.interchange", "train.strictness"), "is for a `[model]`")
    else:
        why = f"is for a `program`; a network of kind `{run.model.kind}` is learned as a whole"
        found |= dict.fromkeys(("program", *_OF_PROGRAMS), why)
        found |= {f"train.{key}": why for key in _OF_LOSSES}
        found |= {f"model.{key}": reason for key, reason in idle_of_model(run.model).items()}
        if run.control and (run.model.reads is None or run.control == "trainable"):
            found["control"] = f"`{run.control}` is for what is written; this network has none"
    pairs = run.data.pairs
    if pairs is not None:
        found |= {f"data.{key}": "`data.pairs` has files of its own" for key in _MADE}
        if pairs.interpolate:
            found["data.pairs.held_back"] = "`data.pairs.interpolate` is tested on"
        if run.model is not None and run.model.kind in ("pointers", "reader"):
            found["data.pairs.tokens"] = f"a network of kind `{run.model.kind}` reads words"
    else:
        found["data.pairs"] = "questions are of modules"
        if not run.data.generate:
            why = "questions of your own are read as they are"
            found |= {f"data.{key}": why for key in ("questions", "test", "seed")}
    if not run.train.interchange:
        found["train.strictness"] = "means nothing without `train.interchange`"
    return found


def dropped(run: "Run") -> Iterator[tuple[str, str]]:
    """Of the settings that were said, those that would be dropped in silence, with the reason.

    Parts of a reader are left out: a run file has those of each of its phrases.
    """
    for name, why in idle(run).items():
        *tables, last = name.split(".")
        counted = tables[:1] != ["data"] and tables != ["model", "reading"]
        if counted and _is_said(run, tables, last):
            yield name, why


def _is_said(table: Any, tables: list[str], last: str) -> bool:
    for name in tables:
        table = getattr(table, name)
    return last in table.model_fields_set and getattr(table, last) is not None


def without(said: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Settings of settings, without those that are named as ``idle`` does."""
    found: dict[str, Any] = {}
    for key, value in said.items():
        if key in names:
            continue
        below = f"{key}."
        inner = {n.removeprefix(below): why for n, why in names.items() if n.startswith(below)}
        found[key] = without(value, inner) if inner and isinstance(value, dict) else value
    return found


def model_said(model: "Model") -> dict[str, Any]:
    """What a network is, as JSON has it: the settings that mean something to it."""
    said = model.model_dump(mode="json", exclude={"start"})
    return without(said, idle_of_model(model))


def run_said(run: "Run") -> dict[str, Any]:
    """What a run is, as JSON has it: the settings that mean something to it."""
    return without(run.model_dump(mode="json"), idle(run))
