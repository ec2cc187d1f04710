"""What is loaded is what was written: files of checkpoints and of networks have their digests."""

import os
import re
import shutil
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn
from typer.testing import CliRunner

import progtf
from progtf.cli.main import app
from progtf.data import PAPER
from progtf.sealed import LOOKED_FOR, SUMS, DamagedError, check, seal
from progtf.training import recipe
from progtf.training.checkpoint import read_progress
from progtf.training.config import Model, RunError
from progtf.training.networks import LearnedModel, build_network, load_network, save_network
from progtf.weights.folder import FolderError, load_weights
from tests.training.conftest import trained, write_run

SMALL = Model(kind="tp", width=8, filter=8, heads=2, layers=1)
QUESTION = "What is 2 + 3?"


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory, data):
    return trained(write_run(tmp_path_factory.mktemp("run"), data), train__steps=2).latest


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    folder = tmp_path_factory.mktemp("network")
    save_network(folder, SMALL, build_network(SMALL, 5).state_dict(), PAPER)
    return folder


@pytest.fixture
def copied(tmp_path, hybrid, network):
    """Folders of a run's checkpoint and of a network, which may be spoilt."""
    made = []
    for folder in (hybrid, network):
        made.append(tmp_path / folder.name)
        shutil.copytree(folder, made[-1])
    return made


def refused(checkpoint, network):
    """Whether neither is taken, by anything that loads one."""
    with pytest.raises(RunError):
        read_progress(checkpoint)
    with pytest.raises(FolderError):
        progtf.load_model(checkpoint)
    for load in (load_network, LearnedModel.load):
        with pytest.raises(RunError):
            load(network)


def test_what_was_written_is_loaded(copied):
    checkpoint, network = copied
    assert read_progress(checkpoint).step == 2
    progtf.load_model(checkpoint)
    load_network(network)
    assert {path.name for path in network.iterdir()} == {
        SUMS, "model.json", "weights.safetensors"
    }  # fmt: skip


def test_every_bit_of_where_a_run_stands_counts(copied):
    checkpoint, _ = copied
    state = checkpoint / "trainer.json"
    held = state.read_bytes()
    assert held.index(b'"last"') * 8 > 3304  # behind which one bit of each byte is enough
    places = [*range(3304), *range(3304, len(held) * 8, 9)]
    for place in places:
        other = bytearray(held)
        other[place // 8] ^= 1 << place % 8
        state.write_bytes(other)
        with pytest.raises(RunError, match=r"trainer\.json is not what was written"):
            read_progress(checkpoint)
    state.write_bytes(held)
    assert read_progress(checkpoint).step == 2


def test_every_bit_of_the_digests_counts(copied):
    checkpoint, _ = copied
    sums = checkpoint / SUMS
    held = sums.read_bytes()
    for place in range(0, len(held) * 8, 3):
        other = bytearray(held)
        other[place // 8] ^= 1 << place % 8
        sums.write_bytes(other)
        with pytest.raises(DamagedError):
            check(checkpoint)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_no_file_of_a_folder_is_taken_for_another(copied, data):
    """A bit flips, a file is cut, lost, put in another one's place, or is one too many."""
    for folder, load, error in (
        (copied[0], read_progress, RunError),
        (copied[0], load_weights, FolderError),
        (copied[1], load_network, RunError),
    ):
        names = sorted(path.name for path in folder.iterdir() if path.is_file())
        name, other = data.draw(st.permutations(names))[:2]
        path = folder / name
        held, theirs = path.read_bytes(), (folder / other).read_bytes()
        how = data.draw(st.sampled_from(["flip", "cut", "lose", "swap", "copy", "add"]))
        extra = folder / data.draw(st.sampled_from([n for n in LOOKED_FOR if n not in names]))
        match how:
            case "flip":
                place = data.draw(st.integers(0, 8 * len(held) - 1))
                spoilt = bytearray(held)
                spoilt[place // 8] ^= 1 << place % 8
                path.write_bytes(spoilt)
            case "cut":
                path.write_bytes(held[: data.draw(st.integers(0, len(held) - 1))])
            case "lose":
                path.unlink()
            case "swap":
                path.write_bytes(theirs)
                (folder / other).write_bytes(held)
            case "copy":
                path.write_bytes(theirs)
            case _:
                extra.write_bytes(held)
        try:
            with pytest.raises(error):
                load(folder)
        finally:
            path.write_bytes(held)
            (folder / other).write_bytes(theirs)
            extra.unlink(missing_ok=True)
        load(folder)


def test_files_of_another_checkpoint_of_the_same_run_are_none_of_this_one(copied, run_file):
    checkpoint, _ = copied
    other = trained(run_file, train__steps=4).latest
    for name in ("weights.safetensors", "trainer.safetensors", "trainer.json"):
        held = (checkpoint / name).read_bytes()
        shutil.copy(other / name, checkpoint / name)
        with pytest.raises(RunError, match=f"{name} is not what was written"):
            read_progress(checkpoint)
        with pytest.raises(FolderError, match=f"{name} is not what was written"):
            load_weights(checkpoint)
        (checkpoint / name).write_bytes(held)


def test_a_checkpoint_has_the_name_of_its_step(copied):
    checkpoint, _ = copied
    other = checkpoint.rename(checkpoint.with_name("step-0000007"))
    with pytest.raises(RunError, match="this is the checkpoint of step 2"):
        read_progress(other)


def test_notes_beside_it_and_what_a_system_leaves_are_of_no_account(copied):
    for folder in copied:
        (folder / "README.txt").write_text("the good one")
        (folder / ".DS_Store").write_bytes(b"\0")
        (folder / "._weights.safetensors").write_bytes(b"\0\5\26\7")
        (folder / ".cache").mkdir()
        (folder / ".cache/model.json").write_text("{}")
        (folder / "plots.safetensors").mkdir()
    read_progress(copied[0])
    load_network(copied[1])


MORE = [
    "notes.json", "config.json", "tokenizer.json", "generation_config.json", "adapter_config.json",
    "model.safetensors", "Model.JSON", "weights.SAFETENSORS", "trainer2.json", "README.json",
    "weights-00002.safetensors", "reads/layout.json", "reads/weights.safetensors", "a/b.json",
    "SHA256SUMS.json", "weights.safetensors.json", " .json", "é.json", "a b.safetensors",
    "metrics.json",
]  # fmt: skip
"""Files of kinds that are read, which were not written with the others."""


@pytest.mark.parametrize("how", ["file", "link", "dangling link", "pipe"])
@pytest.mark.parametrize("name", MORE)
def test_a_file_that_has_no_digest_is_refused_by_name(copied, name, how):
    for folder in copied:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        match how:
            case "file":
                path.write_text("{}")
            case "link":
                path.symlink_to(folder / "weights.safetensors")
            case "dangling link":
                path.symlink_to("nowhere")
            case _:
                os.mkfifo(path)
        with pytest.raises(DamagedError, match=f"{re.escape(name)} was not written with"):
            check(folder)
    refused(*copied)


@pytest.mark.parametrize("name", [
    "README", "README.md", "LICENSE", "notes.txt", "curve.png", "model.json.bak", "weights.pt",
    "pytorch_model.bin", "report.html", ".gitattributes", ".git/config.json", "events.out.tfevents",
    "metrics.jsonl", "plots/a.png", "SHA256SUMS.txt", "SHA256SUMS.asc", "a/b/c.json", ".json",
    "model.json~", "weights.safetensors.part",
])  # fmt: skip
def test_files_of_other_kinds_may_stand_beside_and_are_not_read(copied, name):
    for folder in copied:
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        os.mkfifo(folder / name)  # whoever reads it waits for ever
    read_progress(copied[0])
    load_network(copied[1])


def test_a_folder_without_digests_says_how_they_are_written(copied):
    for folder in copied:
        (folder / SUMS).unlink()
    checkpoint, network = copied
    refused(checkpoint, network)
    with pytest.raises(
        RunError, match=r"SHA256SUMS is missing.*sha256sum \*\.json \*\.safetensors"
    ):
        load_network(network)
    seal(network)
    load_network(network)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["pipe", "folder"])
def test_digests_that_are_no_ordinary_file_are_refused_at_once(copied, make):
    for folder in copied:
        (folder / SUMS).unlink()
        make(folder / SUMS)
        with pytest.raises(DamagedError, match="SHA256SUMS is no ordinary file"):
            check(folder)


def test_a_compiled_folder_needs_no_digests_beside_its_own(tmp_path):
    progtf.save_model(progtf.load("examples/a_or_an.seme"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["weights.safetensors"]
    (tmp_path / "package.json").write_text("{}")
    progtf.load_model(tmp_path)
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(FolderError, match="SHA256SUMS is missing"):
        progtf.load_model(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ["run", "NETWORK", QUESTION],
        ["eval", "NETWORK", "--data", "DATA", "--limit", "1"],
        ["roles", "NETWORK", QUESTION],
        ["probe", "NETWORK", "--data", "PAIRS"],
        ["run", "CHECKPOINT", QUESTION],
        ["eval", "CHECKPOINT", "--data", "DATA", "--limit", "1"],
        ["decompile", "CHECKPOINT"],
        ["diff", "examples/a_or_an.seme", "CHECKPOINT"],
        ["circuit", "CHECKPOINT"],
    ],
)
def test_every_command_refuses_a_folder_with_another_bit(copied, data, command):
    for folder in copied:
        path = folder / "weights.safetensors"
        held = bytearray(path.read_bytes())
        held[-3] ^= 4
        path.write_bytes(held)
    (pairs := copied[0].parent / "pairs.txt").write_text("What is 1?\n1\n" * 9)
    places = {"CHECKPOINT": copied[0], "NETWORK": copied[1], "DATA": data, "PAIRS": pairs}
    told = CliRunner().invoke(app, [str(places.get(word, word)) for word in command])
    assert told.exit_code == 1
    assert "weights.safetensors is not what was written" in told.output + str(told.exception)


def test_weights_with_another_bit_are_no_start(copied, run_file):
    path = copied[1] / "weights.safetensors"
    held = bytearray(path.read_bytes())
    held[-3] ^= 4
    path.write_bytes(held)
    text = run_file.read_text().replace('program = "tiny.seme"', "")
    sizes = 'kind = "tp"\nwidth = 8\nfilter = 8\nheads = 2\nlayers = 1\n'
    run_file.write_text(f'{text}[model]\n{sizes}start = "{copied[1]}"\n')
    with pytest.raises(RunError, match="is not what was written"):
        trained(run_file)


CHANGED = [
    ({"seed": 2}, "`seed`, from 1 to 2"),
    ({"train.batch": 4}, "`train.batch`, from 8 to 4"),
    ({"train.accumulate": 2}, "`train.accumulate`, from 1 to 2"),
    ({"train.learning_rate": 0.5}, "`train.learning_rate`, from 0.01 to 0.5"),
    ({"train.betas": [0.9, 0.99]}, "`train.betas`, from [0.9, 0.98] to [0.9, 0.99]"),
    ({"train.optimiser": "adam"}, "`train.optimiser`, from adamw to adam"),
    ({"train.weight_decay": 0.2}, "`train.weight_decay`, from 0.1 to 0.2"),
    ({"train.warmup": 3}, "`train.warmup`, from 0 to 3"),
    ({"train.decay": 0.5}, "`train.decay`, from 0.0 to 0.5"),
    ({"train.clip": 1.0}, "`train.clip`, from 0.1 to 1.0"),
    ({"train.average": 0.9}, "`train.average`, from 0.0 to 0.9"),
    ({"train.smoothing": 0.1}, "`train.smoothing`, from 0.0 to 0.1"),
    ({"train.score_scale": 4.0}, "`train.score_scale`, from 1.0 to 4.0"),
    ({"train.precision": "bfloat16"}, "`train.precision`, from float32 to bfloat16"),
    ({"train.patience": 9}, "`train.patience`, from 0 to 9"),
    ({"control": "trainable"}, "`control`, from  to trainable"),
    ({"damage.drop": 0.5}, "`damage.drop`, from 0.0 to 0.5"),
    ({"lexicon": "a: +end"}, "`lexicon`, from  to a: +end"),
    ({"written": [{"mode": "values"}]}, "`written`, from [] to [{"),
    ({"train.batch": 4, "seed": 2}, "`seed`, from 1 to 2; `train.batch`, from 8 to 4"),
]


@pytest.fixture(scope="module")
def begun(tmp_path_factory, data):
    run = write_run(tmp_path_factory.mktemp("begun"), data)
    trained(run, train__steps=2)
    return run


@pytest.mark.parametrize(("changes", "named"), CHANGED)
def test_a_run_that_goes_on_names_every_setting_that_is_another(begun, changes, named):
    with pytest.raises(RunError) as told:
        trained(begun, **{key.replace(".", "__"): value for key, value in changes.items()})
    assert f"something has changed since: {named}" in str(told.value)


def test_other_numbers_of_threads_are_refused_where_bits_are_promised(begun):
    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    try:
        with pytest.raises(RunError, match=f"{before} threads, not {before + 1} .`--threads"):
            trained(begun)
    finally:
        torch.set_num_threads(before)


def test_another_kind_of_processor_is_told(begun, tmp_path, monkeypatch):
    out = tmp_path / "out"
    shutil.copytree(begun.parent / "out", out)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "another")
    trainer = trained(begun, train__steps=2, out=str(out))
    assert "for another, which was torch" in trainer.setup.note


READS = """
model:
  kind: encoder
  length: 9
semes: a b
lexicon:
  x: +a
  unknown: 0
encoder:
  layer look:
    head near:
      at: +1
      value: a>b
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("at: +1", "at: -1"), ("at: +1", "at: +2"), ("a>b", "2a>b"), ("a>b", "0.5a>b"),
        ("x:", "y:"), ("semes: a b", "semes: a b c"), ("+a", "-a"), ("length: 9", "length: 8"),
        ("near", "far"), ("unknown: 0", "unknown: +b"),
    ],
)  # fmt: skip
def test_whatever_changes_in_a_program_that_a_network_reads_changes_its_run(before, after):
    digests = [
        recipe._digest_of(nn.ModuleList([progtf.compile(progtf.parse_program(text))]))
        for text in (READS, READS.replace(before, after), READS)
    ]
    assert digests[0] == digests[2] != digests[1]
