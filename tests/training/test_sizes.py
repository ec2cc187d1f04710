"""What a folder says of itself is held against its weights before anything is built."""

import hashlib
import json

import pytest

from progtf.data import PAPER, Problem
from progtf.training import pairs, sizes
from progtf.training.build import begun
from progtf.training.config import MOST, MOST_LAYERS, Model, RunError, read_run
from progtf.training.describe import describe
from progtf.training.networks import (
    LearnedModel,
    build_network,
    check_sizes,
    load_network,
    publish_network,
)
from progtf.training.ranks import joined
from progtf.training.setup import set_up
from progtf.training.subject import Learned
from tests.cli.forked import results_of
from tests.training import test_reading, test_word_problems

KINDS = {
    "lstm": {"width": 8, "layers": 1},
    "tp": {"width": 8, "filter": 8, "heads": 2, "layers": 1},
}


def signed(folder):
    """The folder with digests of all that is in it now."""
    files = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".safetensors"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(lines))
    return folder


@pytest.fixture(params=KINDS)
def folder(request, tmp_path):
    wanted = Model(kind=request.param, **KINDS[request.param])
    network = build_network(wanted, 0, PAPER)
    publish_network(tmp_path / "net", wanted, dict(network.state_dict()), PAPER)
    return tmp_path / "net"


NESTED: object = []
for _ in range(500):
    NESTED = [NESTED]
CLAIMS = {
    "layers 10^7": {"layers": 10**7},
    "layers 4000": {"layers": 4000},
    "layers 10^30": {"layers": 10**30},
    "layers 0": {"layers": 0},
    "layers -1": {"layers": -1},
    "layers 2": {"layers": 2},
    "layers a word": {"layers": "many"},
    "layers a list": {"layers": [1]},
    "layers nothing": {"layers": None},
    "layers true": {"layers": True, "width": 16},
    "layers 1.5": {"layers": 1.5},
    "layers infinite": {"layers": float("inf")},
    "layers not a number": {"layers": float("nan")},
    "layers nested": {"layers": NESTED},
    "width 10^9": {"width": 10**9},
    "width 4000": {"width": 4000},
    "width 10^18": {"width": 10**18},
    "width 10": {"width": 10},
    "filter and embedding": {"filter": 10**9, "embedding": 10**9},
    "heads 10^9": {"heads": 10**9, "width": 10**9},
    "another kind": {"kind": "gru"},
    "a kind that is none": {"kind": "\x1b[2J"},
    "no kind": {"kind": None},
    "what no network has": {"depth": 3},
    "an alphabet of numbers": {"alphabet": [1, 2, 3]},
    "an alphabet of one": {"alphabet": "a"},
    "an alphabet of nothing": {"alphabet": ""},
    "an alphabet nested": {"alphabet": NESTED},
    "an alphabet that repeats": {"alphabet": "aa"},
    "symbols that are none": {"symbols": {"what": 1}},
    "symbols a word": {"symbols": "lower"},
    "a program elsewhere": {"kind": "pointers", "reads": "/dev/zero"},
    "vectors elsewhere": {"kind": "reader", "reading": {"vectors": "/dev/zero"}},
    "a reader 10^9": {"kind": "reader", "reading": {"symbols": 10**9, "phrase": "tpr"}},
    "pointers 10^9": {"kind": "pointers", "decoder_layers": 10**9},
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_its_weights_do_not_bear_out_is_refused(claim, folder):
    said = json.loads((folder / "model.json").read_text()) | CLAIMS[claim]
    (folder / "model.json").write_text(json.dumps(said))
    signed(folder)
    if claim.startswith("filter") and said["kind"] == "lstm":
        return
    with pytest.raises(RunError, match="net: "):
        load_network(folder)


TEXTS = {
    "a list": "[]", "a number": "1", "nothing": "null", "a word": '"a"', "no JSON": "{",
    "an empty file": "", "deep": "[" * 100_000, "deeper": '{"a":' * 100_000, "bytes": "\ufffe",
    "an empty table": "{}",
}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_no_description_is_refused(text, folder):
    (folder / "model.json").write_text(TEXTS[text])
    signed(folder)
    with pytest.raises(RunError, match="net: "):
        load_network(folder)


@pytest.mark.parametrize("size", [2**20, 2**40, 2**62, 2**64 - 1, 0, 1])
def test_a_header_that_lies_about_its_length_is_refused(size, folder):
    data = (folder / "weights.safetensors").read_bytes()
    (folder / "weights.safetensors").write_bytes(size.to_bytes(8, "little") + data[8:])
    signed(folder)
    with pytest.raises(RunError, match="net: "):
        load_network(folder)


def header(shape, end, name="a", kind="F32"):
    said = json.dumps({name: {"dtype": kind, "shape": shape, "data_offsets": [0, end]}}).encode()
    return len(said).to_bytes(8, "little") + said


@pytest.mark.parametrize(
    "told",
    [([10**9], 4), ([10**18, 10**18], 4), ([0, 10**9], 0), ([-1], 4), ([1], 10**12), ([1.5], 4)],
)
def test_shapes_that_lie_are_refused(told, folder):
    (folder / "weights.safetensors").write_bytes(header(*told) + bytes(4 if told[1] else 0))
    said = json.loads((folder / "model.json").read_text()) | {"width": 10**9}
    (folder / "model.json").write_text(json.dumps(said))
    signed(folder)
    with pytest.raises(RunError, match="net: "):
        load_network(folder)


def test_what_is_so_is_loaded(folder):
    assert len(LearnedModel.load(signed(folder)).run(["What is 1?"] * 0)) == 0
    assert load_network(folder)[2].kind in KINDS


def test_every_command_says_so_within_its_memory(folder, tmp_path):
    said = json.loads((folder / "model.json").read_text()) | {"layers": 10**7, "width": 10**5}
    (folder / "model.json").write_text(json.dumps(said))
    signed(folder)
    (tmp_path / "q.tsv").write_text("What is 1?\t1\n" * 8)
    commands = (
        "run net What", "eval net --data q.tsv", "roles net --data q.tsv", "probe net --data q.tsv",
        "hadamard net -o other --data q.tsv", "solve What --model net", "answer net a b",
    )  # fmt: skip
    cases = [{"argv": one.split(), "memory": 8 * 2**30, "limit": 40} for one in commands]
    for status, out, err in results_of(cases, cwd=tmp_path):
        assert status in (1, 2)
        assert "Traceback" not in out + err


MANY = MOST
EVEN = MOST - MOST % 8
BEYOND = [  # kind, what is set, what is said of it
    ("tp", {"width": EVEN}, "train.batch.* 16 GiB of memory here"),
    ("tp", {"width": 10**7}, r"\[model\].* numbers; 16 GiB of memory here"),
    ("tp", {"width": 10**8}, r"\[model\]"), ("tp", {"width": 10**6}, r"\[model\]"),
    ("tp", {"width": 10**8, "tied": True}, r"\[model\]"),
    ("tp", {"width": 10**8, "binding": "outer"}, r"\[model\]"),
    ("tp", {"width": 10**8, "scheme": "paper"}, r"\[model\]"),
    ("tp", {"filter": MANY}, r"\[model\]"), ("tp", {"heads": MANY}, "heads do not divide"),
    ("tp", {"heads": 10**8, "width": 10**8}, r"\[model\]"),
    ("tp", {"layers": MANY}, "model.layers"), ("tp", {"layers": MOST_LAYERS + 1}, "model.layers"),
    ("tp", {"layers": MOST_LAYERS, "filter": 10**7}, r"\[model\]"),
    ("transformer", {"width": 10**8}, r"\[model\]"),
    ("transformer", {"filter": MANY}, r"\[model\]"),
    ("transformer", {"layers": MANY}, "model.layers"),
    ("lstm", {"width": 10**8}, r"\[model\]"), ("lstm", {"embedding": MANY}, r"\[model\]"),
    ("lstm", {"layers": MANY}, "model.layers"),
    ("gru", {"width": 10**8, "cells": "report"}, r"\[model\]"),
    ("gru", {"width": 10**8}, r"\[model\]"), ("gru", {"embedding": MANY}, r"\[model\]"),
    ("pointers", {"width": 10**8}, r"\[model\]"), ("pointers", {"filter": MANY}, r"\[model\]"),
    ("pointers", {"decoder_layers": MANY}, "model.decoder_layers"),
    ("pointers", {"decoder_layers": 500, "filter": 10**8}, r"\[model\]"),
    ("pointers", {"encoder": "transformer", "width": 10**8}, r"\[model\]"),
    ("reader", {"reading.d_vector": MANY}, r"\[model\]"),
    ("reader", {"reading.filters": MANY}, r"\[model\]"),
    ("reader", {"reading": {"phrase": "lstm", "narrow": MANY}}, r"\[model\]"),
    ("reader", {"reading": {"phrase": "lstm"}, "width": 10**8}, r"\[model\]"),
    ("reader", {"reading.symbols": MANY}, r"\[model\]"),
]  # fmt: skip


@pytest.fixture
def file_of(tmp_path, run_file, monkeypatch):
    """The file of a run of each kind, on a machine of 16 GiB."""
    monkeypatch.setattr(sizes, "memory", lambda: 2**34)

    def made(kind):
        if kind == "pointers":
            return test_word_problems.write_problems(tmp_path)
        if kind == "reader":
            return test_reading.written(tmp_path)
        model = f'[model]\nkind = "{kind}"\nwidth = 8\nlayers = 1\n'
        model += "heads = 2\nfilter = 8\n" * (kind in ("tp", "transformer"))
        run_file.write_text(run_file.read_text().replace('program = "tiny.seme"\n', "") + model)
        return run_file

    return made


def started(run):
    with joined() as ranks:
        set_up(run, ranks)


@pytest.mark.parametrize("begin", [describe, started])
@pytest.mark.parametrize(("kind", "said", "why"), BEYOND)
def test_a_network_that_no_memory_holds_is_refused_before_it_is_built(
    kind, said, why, begin, file_of
):
    with pytest.raises(RunError, match=why):
        begin(read_run(file_of(kind), {f"model.{key}": value for key, value in said.items()}))


@pytest.mark.parametrize("begin", [describe, started])
@pytest.mark.parametrize(
    ("kind", "said", "why"),
    [
        *[(kind, {"train.batch": MANY}, "train.batch") for kind in ("tp", "lstm", "")],
        *[(kind, {"train.accumulate": MANY}, "train.accumulate") for kind in ("gru", "")],
        ("tp", {"train.batch": 10**8, "model.width": 1024, "model.heads": 2}, "train.batch"),
        ("", {"learn": "semes: 60000\nencoder: layers 1..1000 heads 1 filter 2000000"}, "learn:"),
    ],
)
def test_a_batch_and_learned_layers_that_no_memory_holds_are_refused(
    kind, said, why, begin, file_of, run_file
):
    file = file_of(kind) if kind else run_file
    with pytest.raises(RunError, match=why):
        begin(read_run(file, said))


@pytest.mark.parametrize("kind", ["tp", "transformer", "lstm", "gru", "pointers", "reader"])
def test_a_network_is_counted_to_the_last_number(kind, file_of, monkeypatch):
    network = begun(read_run(file_of(kind)))[1]
    assert isinstance(network, Learned)
    count = sum(t.numel() for t in (*network.module.parameters(), *network.module.buffers()))
    settings, alphabet = network.settings, network.vocabulary
    monkeypatch.setattr(sizes, "memory", lambda: 4 * count)
    check_sizes(settings, alphabet)
    monkeypatch.setattr(sizes, "memory", lambda: 4 * count - 4)
    with pytest.raises(ValueError, match=f"{count:,} numbers"):
        check_sizes(settings, alphabet)


def test_weights_that_fit_and_whose_gradients_do_not_are_not_trained(file_of, monkeypatch):
    run = read_run(file_of("tp"), {"train.batch": 1})
    module = begun(run)[1].module
    count = sum(t.numel() for t in (*module.parameters(), *module.buffers()))
    monkeypatch.setattr(sizes, "memory", lambda: 8 * count)
    describe(run)
    with pytest.raises(RunError, match="with gradients and moments"):
        started(run)


@pytest.mark.parametrize(
    ("name", "largest"),
    [("data.questions", 10**8), ("data.test", 10**8), ("train.draws", 1000)],
)
def test_what_would_go_on_for_years_is_refused_by_its_name(name, largest, run_file):
    assert read_run(run_file, {name: largest})
    with pytest.raises(RunError, match=f"{name}.*{largest}"):
        read_run(run_file, {name: largest + 1})


@pytest.mark.parametrize("said", ["1048576", "1048576\n", "max\n", "9223372036854771712", "", "-"])
def test_no_more_memory_is_counted_on_than_a_container_has(said, monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    limit.write_text(said)
    monkeypatch.setattr(sizes, "_CONTAINERS", (tmp_path / "not there",))
    machine = sizes.memory()
    monkeypatch.setattr(sizes, "_CONTAINERS", (tmp_path / "not there", limit))
    assert sizes.memory() == (2**20 if said.startswith("10") else machine)
    assert isinstance(sizes.memory(), int)


def test_one_pool_as_large_as_an_epoch_is_put_in_order_at_once():
    problems = [Problem("word " * (1 + number * 7919 % 13), "") for number in range(60_000)]
    order = pairs._alike(list(range(len(problems))), problems, 64, 10**9)
    assert sorted(order) == list(range(len(problems)))
    batches = [
        {len(problems[place].question) for place in order[at : at + 64]}
        for at in range(0, 59_968, 64)
    ]
    assert sum(len(lengths) for lengths in batches) <= len(batches) + 12
