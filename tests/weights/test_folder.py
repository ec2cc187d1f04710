"""Compiled folders load without the source, and damaged ones are refused."""

import hashlib
import json
import re
import shutil
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load, save

import progtf
from progtf.building.load import parse_program
from progtf.training import begin
from progtf.weights.folder import LAYOUT, WEIGHTS, FolderError, load_weights, save_weights
from progtf.weights.formats import FORMATS
from tests.network.programs import programs
from tests.network.test_agreement import built

QUESTION = "What is the tens digit of 79156935?"


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/math/place_value.seme"), "bfloat16")


@pytest.fixture
def folder(model, tmp_path):
    progtf.save_model(model, tmp_path / "model")
    return tmp_path / "model"


def test_a_folder_gives_back_every_bit(model, folder):
    loaded = progtf.load_model(folder)
    assert model.weights == loaded.weights
    assert loaded.run(QUESTION) == "3"
    assert loaded.network.embedding.vectors.dtype == torch.bfloat16


def test_saving_over_a_folder_leaves_only_the_two_files(model, folder):
    progtf.save_model(model, folder)
    assert sorted(path.name for path in folder.iterdir()) == [LAYOUT, WEIGHTS]


def edit(folder, **changed):
    data = json.loads((folder / LAYOUT).read_text())
    (folder / LAYOUT).write_text(json.dumps({**data, **changed}))


def truncate(folder):
    weights = folder / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-7])


def lay_out(folder, **changed):
    layout = json.loads((folder / LAYOUT).read_text())["layout"]
    edit(folder, layout={**layout, **changed})


def misplace(folder):
    """An entry beyond the columns of its map, with the digest made right."""
    tensors = load((folder / WEIGHTS).read_bytes())
    tensors["columns"] = np.append(tensors["columns"][:-1], np.int32(10**6))
    data = save(tensors)
    (folder / WEIGHTS).write_bytes(data)
    edit(folder, sha256=hashlib.sha256(data).hexdigest())


REPEATED = """
semes: a b
lexicon:
  x: +a
layer:
  repeat: 9
  head:
    at: -1
    value: a>b
"""


def test_the_same_weights_are_the_same_bytes(tmp_path):
    weights = progtf.lower(parse_program(REPEATED))
    for name in ("one", "two", "three"):
        save_weights(weights, tmp_path / name)
    files = {(tmp_path / name / WEIGHTS).read_bytes() for name in ("one", "two", "three")}
    assert len(files) == 1
    assert load_weights(tmp_path / "one") == weights


@given(st.sampled_from(["encoder", "seq2seq"]).flatmap(programs), st.sampled_from(FORMATS))
def test_a_folder_of_a_written_program_gives_back_its_weights(text, dtype):
    weights = progtf.lower(built(text), dtype)
    with TemporaryDirectory() as folder:
        save_weights(weights, folder)
        assert load_weights(folder) == weights


def rename(folder, number, **changed):
    maps = json.loads((folder / LAYOUT).read_text())["maps"]
    maps[number] |= changed
    edit(folder, maps=maps)


DAMAGE = {
    "is missing": lambda folder: (folder / LAYOUT).unlink(),
    f"{WEIGHTS} is missing": lambda folder: (folder / WEIGHTS).unlink(),
    "damaged": truncate,
    "not the description": lambda folder: (folder / LAYOUT).write_text('{"model": 1}'),
    "format 99": lambda folder: edit(folder, format=99),
    "compile the program again": lambda folder: edit(folder, format=2),
    "'int3' is none of": lambda folder: edit(folder, dtype="int3"),
    "a width of": lambda folder: lay_out(folder, width=10**9),
    "lengths": lambda folder: lay_out(folder, lengths=[10**9, 1]),
    "encoder.0": lambda folder: lay_out(folder, encoder=[{"name": 3}]),
    "Input should be a dictionary": lambda folder: edit(folder, layout=[]),
    "decode byte": lambda folder: (folder / LAYOUT).write_bytes(b"\x00\xff pickle"),
    "does not fit": lambda folder: edit(folder, maps=[]),
    "the entries of output / score": misplace,
    "`lexicon / vector` is missing": lambda folder: rename(folder, 0, path=["lexikon"]),
    "is not what the layers call for": lambda folder: rename(folder, 0, sources=["x"] * 500),
}


@pytest.mark.parametrize("words", DAMAGE)
def test_damage_is_named(folder, words):
    DAMAGE[words](folder)
    with pytest.raises(FolderError, match=re.escape(words)):
        progtf.load_model(folder)


def test_a_folder_of_something_else_is_refused(tmp_path):
    shutil.copytree("docs", tmp_path / "docs")
    with pytest.raises(FolderError, match="no compiled model here"):
        progtf.load_model(tmp_path / "docs")


@pytest.mark.parametrize("change", [lambda a: a[:-1], lambda a: a.astype("int64")])
def test_a_learned_tensor_of_another_kind_is_refused(change, tmp_path):
    model = begin(progtf.compile(progtf.load("examples/hybrid/place_value.seme")))
    name, *_ = model.weights.learned
    learned = dict(model.weights.learned)
    progtf.save_model(model.weights, tmp_path)
    tensors = load((tmp_path / WEIGHTS).read_bytes())
    tensors[f"learned.{name}"] = change(learned[name])
    data = save(tensors)
    (tmp_path / WEIGHTS).write_bytes(data)
    edit(tmp_path, sha256=hashlib.sha256(data).hexdigest())
    with pytest.raises(FolderError, match=re.escape(f"`{name}` is not of shape")):
        progtf.load_model(tmp_path)
