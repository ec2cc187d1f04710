"""What is written of a run and of a network is what it has; other settings are refused."""

import json

import pytest
import torch

from progtf.training.build import begun
from progtf.training.config import Model, Reading, RunError, read_run
from progtf.training.meant import MEANT, idle, model_said
from progtf.training.networks import load_network, publish_network
from progtf.training.pointers import own_rates
from progtf.training.questions import test_problems as problems_of
from progtf.training.recipe import _digest_of
from progtf.training.subject import Learned
from tests.training import test_reading, test_word_problems
from tests.training.conftest import trained

FEW = {"train__steps": 2, "evaluate__every": 2, "evaluate__final": 4, "checkpoints__every": 2}
SIZES = {"width": 12, "filter": 8, "heads": 2, "layers": 2}
OTHER = {
    "width": 8, "filter": 12, "heads": 3, "layers": 1, "dropout": 0.5, "embedding_dropout": 0.5,
    "norms": "published", "scheme": "paper", "tied": True, "binding": "outer",
    "role_embedding": True, "embedding": 7, "forcing": 0.0, "masked": False, "cells": "report",
    "encoder": "transformer",
    "rules": True, "forgetful": 0.5, "pointing": "plain", "decoder_layers": 3, "shared": True,
    "tuned": 1e-4, "frozen": 1, "reads": "words.seme", "reading": {"d_vector": 5},
}  # fmt: skip
"""Another value of each setting than the usual one."""
PARTS = {
    "symbols": 11, "roles": 5, "d_symbol": 3, "d_role": 2, "sparsity": 0.5, "role_sparsity": 0.5,
    "form": "note", "narrow": 4, "d_vector": 5, "filters": 5, "phrase": "tprlstm",
    "written": ["determiner"], "vectors": "vectors.txt",
}  # fmt: skip
ALL = tuple(key for key in Model.model_fields if key not in ("kind", "start"))
GRID = [(kind, key) for kind in MEANT for key in ALL]


def sized(kind):
    sizes = {f"model.{key}": size for key, size in SIZES.items() if key in MEANT[kind]}
    return {"model.kind": kind} | sizes


@pytest.fixture
def file_of(tmp_path, run_file):
    """The file of a run of each kind, beside its questions."""

    def made(kind):
        if kind == "pointers":
            return test_word_problems.write_problems(tmp_path), sized(kind)
        if kind == "reader":
            file = test_reading.written(tmp_path)
            (tmp_path / "words.seme").write_text(test_reading.ROLES)
            return file, {}
        text = run_file.read_text().replace('program = "tiny.seme"\n', "")
        run_file.write_text(text)
        return run_file, sized(kind)

    return made


def seen(file, changes):
    """All by which a network can be told from another: its weights, sizes, loss and rates."""
    run = read_run(file, changes)
    subject = begun(run)[1]
    assert isinstance(subject, Learned)
    subject.train()
    rows = [each for each, _ in problems_of(run.data, "interpolate", 4)]
    torch.manual_seed(3)
    loss = subject.loss(*subject.batch(rows, torch.device("cpu"))).item()
    network = subject.module
    rates = {rate for _, rate in own_rates(network, subject.settings)}
    learned = [name for name, each in network.named_parameters() if each.requires_grad]
    return _digest_of(subject), loss, type(network), getattr(network, "shape", None), rates, learned


@pytest.mark.parametrize(("kind", "key"), GRID)
def test_a_setting_of_a_network_is_honoured_or_refused(kind, key, file_of):
    file, settings = file_of(kind)
    changes = settings | {f"model.{key}": OTHER[key]}
    if key not in MEANT[kind]:
        with pytest.raises(RunError, match=f"`model.{key}` means nothing to a network of kind"):
            read_run(file, changes)
        return
    if key in ("tuned", "frozen"):
        with pytest.raises(RunError, match=f'`model.{key}` is for `model.encoder = "bert"`'):
            read_run(file, changes)
        return
    if kind == "reader" and key == "width":
        changes |= {"model.reading.d_symbol": 2, "model.reading.d_role": 4}
    if kind == "reader" and key == "reads":
        changes["model.reading.written"] = ["determiner"]
    if kind == "reader" and key == "reading":
        changes |= {"model.reading": {"phrase": "lstm", "d_vector": 5}}
    assert seen(file, changes) != seen(file, settings)


@pytest.mark.parametrize("phrase", ["lstm", "tpr", "tprlstm"])
@pytest.mark.parametrize("key", [key for key in Reading.model_fields if key != "phrase"])
def test_what_is_written_of_a_reader_is_what_it_has(phrase, key, file_of, tmp_path):
    file, _ = file_of("reader")
    (tmp_path / "vectors.txt").write_text("what 1 2 3\ndoes 1 0 1\nkeep 0 0 1\n")
    base = {"model.reading.phrase": phrase, "model.width": 12 if phrase == "tpr" else 20}
    changes = {**base, f"model.reading.{key}": PARTS[key]}
    if key == "written":
        changes["model.reads"] = "words.seme"
        if phrase == "lstm":
            with pytest.raises(RunError, match="`reads` is for phrases with roles"):
                seen(file, changes)
            return
    if key in ("d_symbol", "d_role") and phrase == "tpr":
        changes["model.width"] = 9 if key == "d_symbol" else 8
        base["model.width"] = 12
    model = read_run(file, changes).model
    assert model is not None
    written = key in model_said(model)["reading"]
    assert written == (key not in idle_parts(phrase, key))
    alike = [seen(file, each)[:3] for each in (changes, base)]
    assert written == (alike[0] != alike[1])


def idle_parts(phrase, key):
    """What a reader whose phrases are such has no use for."""
    roles = {"symbols", "roles", "d_symbol", "d_role", "sparsity", "role_sparsity", "form"}
    return (roles if phrase == "lstm" else {"narrow"}) | (
        {"d_vector"} if key == "vectors" else set()
    )


@pytest.mark.parametrize("kind", MEANT)
def test_files_of_a_run_have_the_settings_that_it_has(kind, file_of, tmp_path):
    file, settings = file_of(kind)
    changes = {key.replace(".", "__"): value for key, value in settings.items()}
    folder = trained(file, tmp_path / "out", **changes, **FEW).latest
    model = json.loads((folder / "model.json").read_text())
    run = json.loads((tmp_path / "out/settings.json").read_text())
    meant = {"kind", *MEANT[kind]} - ({"tuned", "frozen"} if kind == "pointers" else set())
    assert set(model) - {"alphabet", "symbols"} == meant
    assert set(run["model"]) - {"start"} == meant
    assert not {"program", "learn", "lexicon", "damage", "written", "cache"} & set(run)
    assert not {"score_scale", "bounded", "draws", "strictness"} & set(run["train"])
    assert ("pairs" in run["data"]) != ("modules" in run["data"])
    network, alphabet, wanted = load_network(folder)
    publish_network(tmp_path / "again", wanted, dict(network.state_dict()), alphabet)
    assert json.loads((tmp_path / "again/model.json").read_text()) == model


@pytest.mark.parametrize("kind", ["tp", "transformer", "lstm", "gru"])
def test_a_checkpoint_that_tells_all_settings_is_read_as_before(kind, file_of):
    file, settings = file_of(kind)
    changes = {key.replace(".", "__"): value for key, value in settings.items()}
    folder = trained(file, **changes, **FEW).latest
    path = folder / "model.json"
    said, before = json.loads(path.read_text()), load_network(folder)[0].state_dict()
    old = Model(kind=kind).model_dump(mode="json")
    path.write_text(json.dumps(old | said, indent=1))
    from tests.training.test_sizes import signed  # noqa: PLC0415

    after = load_network(signed(folder))[0].state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("control", ["", "off"])
def test_a_reader_has_written_roles_or_with_control_off_none(control, file_of):
    file, _ = file_of("reader")
    said = {"model.reads": "words.seme", "model.reading.written": ["determiner"]}
    subject = begun(read_run(file, said | {"control": control}))[1]
    assert (subject.module.reader is None) == (control == "off")
    with pytest.raises(RunError, match=r"`reading\.written` none of its semes"):
        begun(read_run(file, {"model.reads": "words.seme"}))


def test_files_of_the_run_of_a_program_have_no_network(run_file):
    trained(run_file, run_file.parent / "out", **FEW)
    run = json.loads((run_file.parent / "out/settings.json").read_text())
    assert "model" not in run
    assert not {"interchange", "strictness"} & set(run["train"])
    assert {"score_scale", "bounded", "draws", "temperature"} <= set(run["train"])
    assert {"learn", "lexicon", "damage", "written", "cache", "control"} <= set(run)
    assert "pairs" not in run["data"]


def test_files_of_a_run_on_pairs_say_nothing_of_modules(file_of):
    file, settings = file_of("pointers")
    run = read_run(
        file, settings | {"data.modules": ["numbers"], "data.pairs.interpolate": "own.jsonl"}
    )
    assert {"data.modules", "data.generate", "data.pairs.held_back", "data.pairs.tokens"} <= {
        *idle(run)
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("learn", "  semes: 8"), ("lexicon", "  a: 0"), ("cache", False), ("damage.drop", 0.1),
        ("written", [{"mode": "all"}]), ("train.score_scale", 8), ("train.bounded", True),
        ("train.draws", 3), ("train.temperature", 0.5), ("control", "off"), ("control", "random"),
        ("control", "trainable"), ("train.strictness", 0.5),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["tp", "gru"])
def test_what_is_said_of_programs_is_refused_beside_a_network(kind, key, value, file_of):
    file, settings = file_of(kind)
    with pytest.raises(RunError, match=f"`{key.split('.d')[0]}"):
        read_run(file, settings | {key: value})
