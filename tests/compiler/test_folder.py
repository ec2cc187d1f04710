"""Compiled folders load without the source, and damaged ones are refused."""

import json
import shutil

import pytest
import torch

import progtf
from progtf.compiler.folder import LAYOUT, WEIGHTS, FolderError, same_weights, save
from progtf.program.load import parse_program

QUESTION = "What is the tens digit of 79156935?"


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/math/place_value.seme"), "bfloat16")


@pytest.fixture
def folder(model, tmp_path):
    save(model, tmp_path / "model")
    return tmp_path / "model"


def test_a_folder_gives_back_every_bit(model, folder):
    loaded = progtf.load_model(folder)
    assert same_weights(model, loaded)
    assert loaded.run(QUESTION) == "3"
    assert loaded.network.embedding.vectors.dtype == torch.bfloat16


def test_saving_over_a_folder_leaves_only_the_two_files(model, folder):
    save(model, folder)
    assert sorted(path.name for path in folder.iterdir()) == [LAYOUT, WEIGHTS]


def edit(folder, **changed):
    data = json.loads((folder / LAYOUT).read_text())
    (folder / LAYOUT).write_text(json.dumps({**data, **changed}))


def truncate(folder):
    weights = folder / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-7])


def wider(folder):
    edit(folder, width=10**9)


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
    model = progtf.compile(parse_program(REPEATED))
    for name in ("one", "two", "three"):
        save(model, tmp_path / name)
    files = {(tmp_path / name / WEIGHTS).read_bytes() for name in ("one", "two", "three")}
    assert len(files) == 1
    assert same_weights(model, progtf.load_model(tmp_path / "one"))


DAMAGE = {
    "is missing": lambda folder: (folder / LAYOUT).unlink(),
    f"{WEIGHTS} is missing": lambda folder: (folder / WEIGHTS).unlink(),
    "damaged": truncate,
    "not the description": lambda folder: (folder / LAYOUT).write_text('{"model": 1}'),
    "format 99": lambda folder: edit(folder, format=99),
    "number format": lambda folder: edit(folder, dtype="int3"),
    "embedding of shape": wider,
    "lengths": lambda folder: edit(folder, lengths=[10**9, 1]),
    "not a layout": lambda folder: edit(folder, encoder=[{"name": 3}]),
    "decode byte": lambda folder: (folder / LAYOUT).write_bytes(b"\x00\xff pickle"),
    "does not fit": lambda folder: edit(folder, outputs=["only one"]),
}


@pytest.mark.parametrize("words", DAMAGE)
def test_damage_is_named(folder, words):
    DAMAGE[words](folder)
    with pytest.raises(FolderError, match=words.replace("(", "\\(")):
        progtf.load_model(folder)


def test_a_folder_of_something_else_is_refused(tmp_path):
    shutil.copytree("docs", tmp_path / "docs")
    with pytest.raises(FolderError, match="no compiled model here"):
        progtf.load_model(tmp_path / "docs")
