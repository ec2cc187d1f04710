"""Compiled folders load without the source, and damaged ones are refused."""

import hashlib
import json
import math
import random
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
from benchmarks import bench_savers
from progtf.building.load import parse_program
from progtf.training import begin
from progtf.weights import folder as folders
from progtf.weights.folder import (
    BESIDE,
    DESCRIPTION,
    WEIGHTS,
    FolderError,
    load_weights,
    save_weights,
)
from progtf.weights.formats import FORMATS
from tests.network.programs import built, programs

QUESTION = "12+99="


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load("examples/algorithms/addition.seme"), "bfloat16")


@pytest.fixture
def folder(model, tmp_path):
    progtf.save_model(model, tmp_path / "model")
    return tmp_path / "model"


def test_a_folder_gives_back_every_bit(model, folder):
    loaded = progtf.load_model(folder)
    assert model.weights == loaded.weights
    assert loaded.run(QUESTION) == "111"
    assert loaded.network.embedding.vectors.dtype == torch.bfloat16


def test_saving_over_a_folder_leaves_only_the_one_file(model, folder):
    (folder / f"{WEIGHTS}.0a1b2c3d.part").write_bytes(b"what a killed process left")
    progtf.save_model(model, folder)
    assert [path.name for path in folder.iterdir()] == [WEIGHTS]


def read(folder):
    """The description of a folder, and its tensors."""
    data = (folder / WEIGHTS).read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    return json.loads(header[DESCRIPTION]), load(data)


def put(folder, text, tensors):
    """Another description, or other tensors, with a digest that is right."""
    header = {DESCRIPTION: folders._signed(text, tensors)}
    (folder / WEIGHTS).write_bytes(save(tensors, header))


def written(description):
    return json.dumps(description, separators=(",", ":"))


def edit(folder, **changed):
    description, tensors = read(folder)
    put(folder, written(description | changed), tensors)


def truncate(folder):
    weights = folder / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-7])


def flip(folder):
    data = bytearray((folder / WEIGHTS).read_bytes())
    data[-1] ^= 1
    (folder / WEIGHTS).write_bytes(data)


def lay_out(folder, **changed):
    edit(folder, layout=read(folder)[0]["layout"] | changed)


def misplace(folder):
    """An entry beyond the columns of its map."""
    description, tensors = read(folder)
    tensors["columns"] = np.append(tensors["columns"][:-1], np.int32(10**6))
    put(folder, written(description), tensors)


def spelled_out(description, tensors):
    """The description and the tensors of format 5: every name and number as often as it is used."""
    names = description.pop("names")
    for each in description["maps"]:
        for side in ("sources", "targets"):
            if each[side] is not None:
                each[side] = names[each[side]]
    places = {part: tensors[part].astype("int32") for part in ("rows", "columns")}
    marks = (
        np.zeros(len(places["rows"]), "uint8") if not len(tensors["marks"]) else tensors["marks"]
    )
    numbers = tensors["numbers"][tensors["which"]]
    kept = {name: each for name, each in tensors.items() if name.startswith(("exact", "learned"))}
    return description | {"format": 5}, kept | places | {"marks": marks, "numbers": numbers}


def replace_tensor(folder, name, change):
    description, tensors = read(folder)
    put(folder, written(description), tensors | {name: change(tensors[name])})


def as_format_5(folder):
    description, tensors = spelled_out(*read(folder))
    put(folder, written(description), tensors)


def as_before(folder):
    """The folder in the format that had two files."""
    description, tensors = spelled_out(*read(folder))
    data = save(tensors)
    (folder / WEIGHTS).write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    text = json.dumps({**description, "format": BESIDE[0], "sha256": digest}, indent=1)
    (folder / BESIDE[1]).write_text(text)


@pytest.mark.parametrize(
    "path", ["hybrid/place_value", "algorithms/addition", "article/dense_layer"]
)
def test_a_folder_that_spells_out_every_name_loads(path, tmp_path):
    weights = progtf.lower(progtf.load(f"examples/{path}.seme"), "float32")
    save_weights(weights, tmp_path)
    assert load_weights(tmp_path) == weights
    size = (tmp_path / WEIGHTS).stat().st_size
    as_format_5(tmp_path)
    assert load_weights(tmp_path) == weights
    assert (tmp_path / WEIGHTS).stat().st_size > size or path == "article/dense_layer"


def test_a_folder_of_the_format_before_loads_and_is_saved_as_one_file(model, folder):
    as_before(folder)
    assert load_weights(folder) == model.weights
    progtf.save_model(model, folder)
    assert [path.name for path in folder.iterdir()] == [WEIGHTS]
    assert load_weights(folder) == model.weights


def test_damage_of_a_folder_of_the_format_before_is_told(folder):
    as_before(folder)
    flip(folder)
    with pytest.raises(FolderError, match="these are not the weights that were written"):
        load_weights(folder)
    (folder / BESIDE[1]).write_text("[" * 100_000)
    with pytest.raises(FolderError, match=r"layout.json: not the description"):
        load_weights(folder)


def test_savers_at_once_leave_the_one_or_the_other(tmp_path):
    found = bench_savers.rounds(bench_savers.KINDS["compiled models"], 2, tmp_path)
    assert found["first"] + found["second"] == 2


@pytest.mark.parametrize("kind", bench_savers.KINDS)
def test_a_killed_saver_leaves_the_old_or_the_new(tmp_path, kind):
    found = bench_savers.kills(bench_savers.KINDS[kind], 4, tmp_path, random.Random(3))
    assert found["old"] + found["new"] == 4


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


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hybrid")
    program = progtf.load("examples/hybrid/place_value.seme")
    progtf.save_model(begin(progtf.compile(program)), folder)
    return folder


def in_layers(layout, **changed):
    """The description of a layout whose learned layers say something else."""
    for stage in layout["encoder"] + layout["decoder"]:
        if stage.get("learned"):
            stage.update(changed)
    return layout


LIES = {
    "width": lambda said: said | {"width": 10**6},
    "negative width": lambda said: said | {"width": -1},
    "no width": lambda said: said | {"width": 0},
    "endless clock": lambda said: said | {"clocks": [math.inf] * len(said["clocks"])},
    "no clock": lambda said: said | {"clocks": [0.0] * len(said["clocks"])},
    "clock that is no number": lambda said: said | {"clocks": [math.nan] * len(said["clocks"])},
    "semes": lambda said: said | {"learn": said["learn"] | {"semes": 10**9}},
    "some semes more": lambda said: said | {"learn": said["learn"] | {"semes": 5000}},
    "negative semes": lambda said: said | {"learn": said["learn"] | {"semes": -64}},
    "no semes": lambda said: said | {"learn": said["learn"] | {"semes": 0}},
    "heads": lambda said: in_layers(said, learned=[10**9, 4]),
    "hidden units": lambda said: in_layers(said, learned=[4, 10**9]),
    "negative heads": lambda said: in_layers(said, learned=[-4, 4]),
    "rounds": lambda said: in_layers(said, repeat=10**9),
    "lengths": lambda said: said | {"lengths": [10**12, 10**12]},
    "no lengths": lambda said: said | {"lengths": [0, 0]},
    "semes without names": lambda said: said | {"semes": said["semes"] + 1},
    "what is not read": lambda said: said | {"learn": said["learn"] | {"reads": ["nobody"]}},
    "names alone": lambda said: said | {"learn": said["learn"] | {"scales": []}},
    "words for a width": lambda said: said | {"width": "wide"},
}


@pytest.mark.parametrize("lie", LIES)
def test_sizes_that_the_tensors_do_not_have_are_refused_before_anything_is_built(
    hybrid, tmp_path, lie
):
    folder = shutil.copytree(hybrid, tmp_path / "folder")
    edit(folder, layout=LIES[lie](read(folder)[0]["layout"]))
    with pytest.raises(FolderError):
        progtf.load_model(folder)


@given(st.sampled_from(["encoder", "seq2seq"]).flatmap(programs), st.sampled_from(FORMATS))
def test_a_folder_of_a_written_program_gives_back_its_weights(text, dtype):
    weights = progtf.lower(built(text), dtype)
    with TemporaryDirectory() as folder:
        save_weights(weights, folder)
        assert load_weights(folder) == weights


def rename(folder, number, **changed):
    maps = read(folder)[0]["maps"]
    maps[number] |= changed
    edit(folder, maps=maps)


DAMAGE = {
    f"{WEIGHTS} is missing": lambda folder: (folder / WEIGHTS).unlink(),
    f"{WEIGHTS} describes none": lambda folder: (folder / WEIGHTS).write_bytes(save({})),
    "damaged: ": truncate,
    "not the weights that were written": flip,
    "Invalid JSON": lambda folder: put(folder, "[" * 100_000 + ',"sha256"', {}),
    "dtype: Field required": lambda folder: put(folder, '{"format":4,"sha256":""}', {}),
    "format 99": lambda folder: edit(folder, format=99),
    "format nan": lambda folder: edit(folder, format=float("nan")),
    "compile the program again": lambda folder: edit(folder, format=2),
    "dtype: Input should be 'float64', ": lambda folder: edit(folder, dtype="int3"),
    "a width of": lambda folder: lay_out(folder, width=10**9),
    "lengths": lambda folder: lay_out(folder, lengths=[10**9, 1]),
    "layout.encoder.0": lambda folder: lay_out(folder, encoder=[{"name": 3}]),
    "layout: Input should be an object": lambda folder: edit(folder, layout=[]),
    "maps.0.entries": lambda folder: rename(folder, 0, entries=float("inf")),
    "maps.0.path": lambda folder: rename(folder, 0, path=None),
    "do not fit": lambda folder: edit(folder, maps=[]),
    "the entries of output / score": misplace,
    "do not fit their description: names 999": lambda folder: rename(folder, 0, sources=999),
    "do not fit their description: names -1": lambda folder: rename(folder, 0, sources=-1),
    "numbers that are not there": lambda folder: replace_tensor(folder, "which", lambda a: a + 99),
    "numbers that are": lambda folder: replace_tensor(folder, "which", lambda a: a.astype("int32")),
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
    description, tensors = read(tmp_path)
    tensors[f"learned.{name}"] = change(learned[name])
    put(tmp_path, written(description), tensors)
    with pytest.raises(FolderError, match=re.escape(f"`{name}` is not of shape")):
        progtf.load_model(tmp_path)
