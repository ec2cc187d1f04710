"""Every run file of `runs/` starts; those of the papers are what the papers have."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from html import escape
from pathlib import Path

import pytest
import torch
from markdown_it import MarkdownIt

from benchmarks.published import missing
from progtf.nn import PUBLISHED_RECIPE, REPORT_RECIPE, TPTransformer, Transformer
from progtf.published import data_folder
from progtf.training import evaluation
from progtf.training.config import RunError, read_run
from progtf.training.describe import describe
from progtf.training.log import Log
from progtf.training.networks import LearnedModel, build_network
from progtf.training.places import with_heads
from progtf.training.questions import alphabet_of, digests_of, opened, prepare
from progtf.training.ranks import joined
from progtf.training.report import as_text, draw_curve, write_report
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer

ROOT = Path(__file__).parents[2]
RUNS = {path.relative_to(ROOT / "runs").as_posix(): path for path in (ROOT / "runs").rglob("*.toml")
        if "out" not in path.parts}  # fmt: skip
PUBLISHED = "mathematics_dataset-v1.0"
MATH = ROOT / "tests/data/math"
TINY = {
    "train.epochs": 0, "train.steps": 2, "train.batch": 2, "train.accumulate": 1,
    "train.precision": "float32", "evaluate.every": 2, "evaluate.questions": 2,
    "evaluate.final": 2, "evaluate.train": 2, "checkpoints.every": 2,
}  # fmt: skip
MODULES = (
    "algebra__linear_1d", "arithmetic__mul", "measurement__conversion", "numbers__is_prime",
    "numbers__place_value", "probability__swr_p_level_set",
)  # fmt: skip
HARDER = (
    "arithmetic__mul_big", "measurement__conversion", "numbers__place_value_big",
    "probability__swr_p_level_set_more_samples",
)  # fmt: skip


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """Six modules in the layout of the published dataset."""
    folder = tmp_path_factory.mktemp("published") / PUBLISHED
    for split in ("train-easy", "train-medium", "train-hard", "interpolate"):
        (folder / split).mkdir(parents=True)
        for module in MODULES:
            text = (MATH / f"interpolate/{module}.txt").read_text()
            (folder / split / f"{module}.txt").write_text(text)
    (folder / "extrapolate").mkdir()
    for module in HARDER:
        text = (MATH / f"extrapolate/{module}.txt").read_text()
        (folder / "extrapolate" / f"{module}.txt").write_text(text)
    return folder


def trained(run):
    with joined() as ranks:
        return Trainer(set_up(run, ranks)).train(Log(run.out, show=False))


def third_party(folder):
    """Where a set that is not ours lies, or a skip that names it."""
    name = folder.removeprefix("$PROGTF_DATA/")
    if why := missing(SETS[name]):
        pytest.skip(why)
    return str(data_folder() / name)


def places(folder):
    """Questions about places of digits, as pairs."""
    folder.mkdir()
    lines = (MATH / "interpolate/numbers__place_value.txt").read_text().splitlines()
    rows = "".join(f"{q}\t{a}\n" for q, a in zip(lines[::2], lines[1::2], strict=True))
    for name in ("train", "interpolate", "extrapolate"):
        (folder / f"{name}.tsv").write_text(rows)
    return str(folder)


LONG = {
    "tp_paper.toml", "transformer_paper.toml", "cogs_lemmas.toml", "comprehension.toml",
    "answer.toml",
}  # fmt: skip
"""Those that take more than a few seconds to be set up."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.long if n in LONG else ()) for n in sorted(RUNS)],
)
def test_every_run_file_starts_and_does_two_steps(name, published, tmp_path):
    said = tomllib.loads(RUNS[name].read_text())
    folder = said["data"]["folder"]
    changes = {"out": str(tmp_path / "out")}
    if PUBLISHED in folder:
        changes["data.folder"] = str(published)
    elif "pairs" not in said["data"]:
        made = {"data.folder": str(tmp_path / "data"), "data.questions": 20, "data.test": 4}
        changes |= made
    elif "$" in folder:
        changes["data.folder"] = third_party(folder)
    elif "own" in said["data"]["pairs"]:
        changes |= {"data.folder": str(tmp_path / "data"), "data.pairs.own": 100}
    elif not (RUNS[name].parent / folder / said["data"]["pairs"]["train"]).exists():
        changes["data.folder"] = places(tmp_path / "data")
    run = read_run(RUNS[name], {**TINY, **changes})
    result = trained(run)
    assert result.step == 2
    assert set(result.scores) >= {"interpolate"}


SETS = {"cogs": "cogs", "scan": "scan", "squad": "squad", "mwp": "alg514"}
"""Which set is trained on in a folder."""


def lacking(path):
    """The command that brings what a run file lacks in a fresh clone; "" where it lacks nothing."""
    data = tomllib.loads(path.read_text())["data"]
    below = data["folder"].removeprefix("$PROGTF_DATA/")
    if below in SETS:
        return f"progtf data get {SETS[below]}"
    if below == PUBLISHED:
        return f"progtf data make --out {data_folder() / below} --split all --count 20"
    return data.get("pairs", {}).get("made_by", "")


@pytest.mark.parametrize("name", sorted(RUNS))
def test_in_a_fresh_clone_a_run_lacks_nothing_or_names_the_command_that_brings_it(
    name, tmp_path, monkeypatch, progtf
):
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    monkeypatch.setenv("PROGTF_DATA", str(nowhere))
    due, out, text = lacking(RUNS[name]), tmp_path / "out", RUNS[name].read_text()
    if not due:
        own = ["data.pairs.own=100", f"data.folder={tmp_path}"] if "own.jsonl" in text else []
        few = [part for each in own for part in ("--set", each)]
        status, said, errors = progtf("train", RUNS[name], "-o", out, "--dry-run", *few)
        assert (status, "questions: train" in said) == (0, True), errors
        return
    made_here = due.startswith("python -m ")
    elsewhere = ["--set", f"data.folder={nowhere}"] if made_here else []  # it may be made by now
    status, said, errors = progtf("train", RUNS[name], "-o", out, *elsewhere)
    assert (status, said) == (1, "")
    assert f"`{due}" in errors
    assert str(nowhere) in errors
    assert "$" not in errors
    assert not list(tmp_path.rglob("*.safetensors"))


@pytest.mark.parametrize("name", sorted(name for name in RUNS if lacking(RUNS[name])))
def test_a_run_file_that_lacks_something_says_so_in_its_remarks(name):
    remarks = "\n".join(re.findall(r"#.*", RUNS[name].read_text()))
    due = lacking(RUNS[name])
    assert ("https://github.com/google-deepmind" if " make " in due else due) in remarks


def test_the_questions_of_interchange_are_made_by_the_command_that_its_run_file_names(tmp_path):
    path = RUNS["interchange.toml"]
    *command, folder = lacking(path).split()
    assert ROOT / folder == path.parent / tomllib.loads(path.read_text())["data"]["folder"]
    subprocess.run([sys.executable, *command[1:], tmp_path / "data"], cwd=ROOT, check=True)
    run = read_run(path, {"data.folder": str(tmp_path / "data"), "out": str(tmp_path / "out")})
    assert "questions: train 12,000" in describe(run)


def test_the_published_archive_is_read_as_its_folder_is(published, tmp_path):
    archive = tmp_path / f"{PUBLISHED}.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(published, PUBLISHED)
    own = {"out": str(tmp_path / "out"), **TINY, "model.width": 8, "model.filter": 8,
           "model.heads": 2, "model.layers": 1, "evaluate.final": 200}  # fmt: skip
    found = {}
    for kind, place in (("folder", published), ("archive", archive)):
        changes = {**own, "data.folder": str(place), "out": str(tmp_path / kind)}
        result = trained(read_run(ROOT / "runs/tp_paper.toml", changes))
        found[kind] = (result.scores, (result.folder / "weights.safetensors").read_bytes())
    assert found["folder"] == found["archive"]
    assert (tmp_path / f"{PUBLISHED}.tar.gz.unpacked/extrapolate/arithmetic__mul_big.txt").exists()


@pytest.mark.parametrize("vocabulary", ["", "paper-72", "code-73", "report-58", "data"])
@pytest.mark.parametrize("other", ["", "\N{EURO SIGN}"])
def test_every_vocabulary_is_trained_with(published, tmp_path, vocabulary, other):
    folder = tmp_path / PUBLISHED
    shutil.copytree(published, folder)
    for split in ("train-easy", "interpolate"):
        path = folder / split / "numbers__is_prime.txt"
        path.write_text(path.read_text().replace("Is ", f"Is {other}", 1))
    changes = {"data.vocabulary": vocabulary, "data.modules": ["numbers__is_prime"]}
    if other and vocabulary in ("paper-72", "code-73"):
        with pytest.raises(RunError, match="is not one of the dataset's 69"):
            trained(small(folder, tmp_path / "out", **changes))
        return
    result = trained(small(folder, tmp_path / "out", **changes))
    units = LearnedModel.load(result.folder).vocabulary.units
    assert "7" in units
    assert ("z" in units) == (vocabulary != "data")  # no question has one
    if other:
        assert (other in units) == (vocabulary in ("", "data"))


def test_extrapolation_is_tested_under_its_own_names(published, tmp_path):
    place = {"data.folder": str(published), "out": str(tmp_path), "data.modules": ["numbers"]}
    run = read_run(ROOT / "runs/tp_paper.toml", {**place, **TINY, "evaluate.final": 200})
    prepare(run.data)
    found = evaluation.tests_of(run)["extrapolate"]
    lines = (MATH / "extrapolate/numbers__place_value_big.txt").read_text().splitlines()
    assert [problem.question for problem, _ in found] == lines[::2]


def merged(published, folder, **settings):
    """A small network that is trained on the published layout."""
    changes = {"data.folder": str(published), "out": str(folder / "out"), "data.generate": False}
    changes |= {"data.modules": list(MODULES), "evaluate.final": 60, "evaluate.questions": 60}
    changes |= {key.replace("__", "."): value for key, value in settings.items()}
    return read_run(ROOT / "runs/cpu/report_tp.toml", TINY | changes)


def test_every_evaluation_says_what_is_right_of_each_module(published, tmp_path):
    result = trained(merged(published, tmp_path, evaluate__every=1))
    lines = [json.loads(line) for line in (tmp_path / "out/metrics.jsonl").read_text().splitlines()]
    assert all(set(line["modules"]["interpolate"]) == set(MODULES) for line in lines)
    final = json.loads((tmp_path / "out/final.json").read_text())
    assert final["modules"] == result.modules
    for split, modules in result.modules.items():
        assert min(modules.values()) <= result.scores[split] <= max(modules.values())


def test_a_run_without_extrapolation_puts_none(published, tmp_path):
    result = trained(merged(published, tmp_path, evaluate__extrapolate=False, evaluate__train=0))
    assert set(result.scores) == {"interpolate"}


def test_epochs_may_be_raised(published, tmp_path):
    steps = [
        trained(merged(published, tmp_path, train__epochs=epochs, train__batch=128)).step
        for epochs in (1.0, 2.0)
    ]
    assert steps[0] < steps[1] <= 2 * steps[0]


def test_without_a_bar_a_line_says_where_the_run_is(published, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("progtf.training.log.SILENCE", 0.0)
    run = merged(published, tmp_path)
    with joined() as ranks:
        Trainer(set_up(run, ranks)).train(Log(run.out))
    said = capsys.readouterr().err
    assert re.search(r"step 1 of 2: loss \d.*questions/s, about .* to go", said)


@pytest.mark.parametrize(
    "name",
    ["numbers__is_prime", "a|b", "<script>x</script>", "[a](b)", "# a", "`a`", "*a*", "a\n# b",
     "\\|", "&lt;b&gt;", "![a](b)", "~~a", "<https://a.b>"],
)  # fmt: skip
def test_a_report_shows_names_as_they_are(name):
    row = MarkdownIt().enable("table").render(f"| a | b |\n| - | - |\n| {as_text(name)} | 1 |\n")
    assert f"<td>{escape(' '.join(name.split()))}</td>\n<td>1</td>" in row


def test_a_damaged_archive_is_refused(published, tmp_path):
    archive = tmp_path / "mathematics.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(published, PUBLISHED)
    archive.write_bytes(archive.read_bytes()[:-2000])
    changes = {"data.folder": str(archive), "out": str(tmp_path / "out")}
    with pytest.raises(RunError, match="the archive is damaged"):
        prepare(read_run(ROOT / "runs/tp_paper.toml", changes).data)


@pytest.mark.parametrize(
    ("name", "kind", "count"),
    [("tp_paper", TPTransformer, 49_178_624), ("transformer_paper", Transformer, 44_188_160)],
)
def test_the_papers_networks_are_the_published_ones_bit_for_bit(name, kind, count, monkeypatch):
    monkeypatch.setenv("PROGTF_DATA", "/nowhere")
    run = read_run(ROOT / f"runs/{name}.toml")
    network = build_network(run.model, 7, alphabet_of(run.data))
    torch.manual_seed(7)
    published = kind.published(73)
    assert sum(p.numel() for p in network.parameters()) == count
    assert network.shape.max_length == published.shape.max_length
    for one, other in zip(
        network.state_dict().items(), published.state_dict().items(), strict=True
    ):
        assert one[0] == other[0]
        assert torch.equal(one[1], other[1])
    recipe, train = PUBLISHED_RECIPE, run.train
    assert (train.learning_rate, train.betas, train.clip) == (
        recipe.learning_rate, recipe.betas, recipe.clip
    )  # fmt: skip
    assert train.batch * train.accumulate == recipe.batch_size


ADAM = "adam, learning rate 0.0001, betas 0.9 and 0.995, weight decay 0, gradients clipped at "
TOLD = {
    "tp_paper": (
        "1,700,000 steps of 1,024 questions, in 8 batches of 128",
        "network: tp, width 512, filter 2,048, heads 8, layers 6, dropout 0.0, norms published,",
        " binding hadamard, scheme published, tied yes, role_embedding yes\n",
        "symbols: 73 (`code-73`): 69 characters, <unk>, <pad>, <sos>, <eos>\n",
        "begins: at weights that seed 1 draws\n",
        "parameters: 49,178,624 trained, 102,400 fixed, the sinusoids\n",
        f"optimiser: {ADAM}0.1, no warm-up, then constant, float32\n",
        "tests: 5,600 questions of each split every 10,000 steps, 560,000 at the end;",
        "questions: train 270 of 18 files; interpolate 90 of 6 files; extrapolate 60 of 4 files\n",
    ),
    "transformer_paper": (
        "1,700,000 steps of 1,024 questions, in 8 batches of 128",
        "network: transformer, width 512,", "parameters: 44,188,160 trained", f"{ADAM}0.1, no",
    ),
    "report_tp": (
        "7 epochs by steps of 128 questions",
        "network: tp, width 256, filter 512, heads 8, layers 3, dropout 0.0, norms post,",
        "symbols: 58 (`report-58`): 54 characters, lower-cased, <unk>, <pad>, <sos>, <eos>\n",
        f"{ADAM}0.5, no warm-up", "epochs: 8 steps of one process\n",
        "questions: train 135 of 9 files; interpolate 45 of 3 files\n",
    ),
    "report_transformer": ("3 epochs by steps of 128", "epochs: 4 steps", "network: transformer"),
    "report_lstm": (
        "4 epochs by steps of 128", "epochs: 5 steps",
        "network: lstm, width 128, layers 2, dropout 0.0, embedding 128, forcing 0.5, masked no\n",
    ),
    "report_gru": ("1 epoch by steps of 128", "forcing 0.5, masked", "cells report\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_a_dry_run_tells_the_whole_setup_of_a_paper(name, published, tmp_path):
    changes = {"data.folder": str(published), "out": str(tmp_path / "out")}
    told = describe(read_run(ROOT / f"runs/{name}.toml", changes))
    for part in TOLD[name]:
        assert part in told + "\n"


@pytest.mark.parametrize("name", ["tp_paper", "report_tp", "report_gru"])
def test_where_the_dataset_is_missing_a_dry_run_says_so_in_one_line(name, tmp_path):
    changes = {"data.folder": str(tmp_path / "none"), "out": str(tmp_path / "out")}
    with pytest.raises(RunError, match=r"^questions: \S*none: there is no such folder or archive"):
        describe(read_run(ROOT / f"runs/{name}.toml", changes))


def test_a_dry_run_judges_long_files_by_their_first_part(published, tmp_path):
    folder = tmp_path / PUBLISHED
    shutil.copytree(published, folder)
    for path in folder.glob("train-*/*.txt"):
        path.write_text(path.read_text() * 500)
    changes = {"data.folder": str(folder), "out": str(tmp_path / "out")}
    told = describe(read_run(ROOT / "runs/report_tp.toml", changes))
    rows = int(re.search(r"train about ([\d,]+) of 9 files", told)[1].replace(",", ""))
    assert abs(rows - 9 * 15 * 500) < 0.01 * rows
    assert re.search(r"epochs: about 3,6\d\d steps of one process", told)


@pytest.mark.parametrize("kind", ["train", "interpolate", "extrapolate"])
def test_a_dry_run_tells_as_many_questions_as_the_run_reads(kind, published, tmp_path):
    changes = {"data.folder": str(published), "out": str(tmp_path / "out"), **TINY}
    run = read_run(ROOT / "runs/tp_paper.toml", changes | {"evaluate.final": 10**6})
    told = re.search(rf"{kind} (\d+) of", describe(run))[1]
    prepare(run.data)
    assert int(told) == (
        len(opened(run.data)) if kind == "train" else len(evaluation.tests_of(run)[kind])
    )


def test_the_scheme_of_the_paper_is_a_setting(monkeypatch):
    monkeypatch.setenv("PROGTF_DATA", "/nowhere")
    small = {"model.width": 64, "model.filter": 64, "model.layers": 1}
    run = read_run(ROOT / "runs/tp_paper.toml", {"model.scheme": "paper", **small})
    network = build_network(run.model, 7, alphabet_of(run.data))
    roles = network.embedding.role.weight.detach()
    assert abs(float(roles.mean()) - 1) < 0.1
    assert abs(float(roles.std()) - 1) < 0.1
    assert abs(float(network.embedding.symbols.table.detach().std()) - 1) < 0.1


@pytest.mark.parametrize("kind", ["tp", "transformer", "lstm"])
def test_the_reports_runs_are_its_table_1(kind, monkeypatch):
    monkeypatch.setenv("PROGTF_DATA", "/nowhere")
    run = read_run(ROOT / f"runs/report_{kind}.toml")
    train, recipe = run.train, REPORT_RECIPE
    assert (train.learning_rate, train.betas, train.clip, train.batch) == (
        recipe.learning_rate, recipe.betas, recipe.clip, recipe.batch_size
    )  # fmt: skip
    network = build_network(run.model, 1, alphabet_of(run.data))
    assert len(alphabet_of(run.data)) == 58
    if kind != "lstm":
        preset = {"tp": TPTransformer, "transformer": Transformer}[kind].report()
        assert network.shape == preset.shape
    else:
        shape = network.shape
        assert (shape.d_embedding, shape.d_hidden, shape.n_layers) == (128, 128, 2)
        assert (shape.forcing, shape.dropout, shape.masked) == (0.5, 0.0, False)


@pytest.mark.parametrize("tied", [True, False])
def test_a_network_of_72_symbols_has_no_unknown_one(published, tmp_path, tied):
    changes = {**TINY, "data.folder": str(published), "out": str(tmp_path / "out"),
               "data.vocabulary": "paper-72", "model.tied": tied, "model.width": 8,
               "model.filter": 8, "model.heads": 2, "model.layers": 1}  # fmt: skip
    result = trained(read_run(ROOT / "runs/tp_paper.toml", changes))
    model = LearnedModel.load(result.folder)
    assert model.network.embedding.symbols.table.shape == (72, 8)
    logits = model.network(torch.tensor([[2, 5, 3]]), torch.tensor([[2]]))
    assert logits.shape == (1, 1, 73)
    assert logits[0, 0, 0] == -torch.inf
    assert isinstance(model.respond("What is 2?"), str)


def test_a_network_of_58_symbols_reads_capitals_and_anything_else(published, tmp_path):
    changes = {**TINY, "data.folder": str(published), "out": str(tmp_path / "out")}
    result = trained(read_run(ROOT / "runs/report_lstm.toml", changes))
    model = LearnedModel.load(result.folder)
    upper, lower = model.respond(["WHAT IS 2+3?", "what is 2+3?"])
    assert upper == lower
    assert model.encoded("\N{EURO SIGN}")[1] == 0


def test_epochs_are_counted_in_questions(published, tmp_path):
    changes = {**TINY, "data.folder": str(published), "out": str(tmp_path), "train.epochs": 0.5,
               "train.batch": 9, "evaluate.every": 100}  # fmt: skip
    run = read_run(ROOT / "runs/report_lstm.toml", changes)
    with joined() as ranks:
        prepare(run.data)
        made = set_up(run, ranks)
    rows = 3 * sum(
        len((published / f"train-easy/{module}.txt").read_text().splitlines()) // 2
        for module in run.data.modules
    )
    assert made.run.train.steps == -(-rows // 18)


def test_training_accuracy_is_in_the_curve(published, tmp_path):
    changes = {**TINY, "data.folder": str(published), "out": str(tmp_path), "evaluate.train": 5}
    result = trained(read_run(ROOT / "runs/report_lstm.toml", changes))
    assert all("train" in line for line in result.curve)


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("lstm", "heads", 4), ("lstm", "norms", "pre"), ("lstm", "filter", 4),
        ("lstm", "binding", "outer"), ("gru", "role_embedding", True), ("tp", "forcing", 0.1),
        ("transformer", "binding", "outer"), ("lstm", "cells", "report"), ("tp", "rules", True),
    ],
)  # fmt: skip
def test_a_setting_that_a_network_would_not_have_is_refused(kind, key, value):
    changes = {"model": {"kind": kind, key: value}}
    with pytest.raises(RunError, match=f"`model.{key}` means nothing to a network of kind"):
        read_run(ROOT / "runs/cpu/report_tp.toml", changes)


@pytest.mark.parametrize(
    ("settings", "look"),
    [
        ({"kind": "lstm", "dropout": 0.5}, lambda shape: shape.dropout == 0.5),
        ({"kind": "gru", "cells": "report", "forcing": 1.0}, lambda shape: shape.forcing == 1),
        ({"kind": "gru", "embedding": 5}, lambda shape: shape.d_embedding == 5),
        ({"kind": "lstm", "masked": False}, lambda shape: not shape.masked),
        ({"kind": "tp", "tied": True}, lambda shape: shape.tied),
        ({"kind": "tp", "norms": "pre"}, lambda shape: shape.norms == "pre"),
    ],
)
def test_what_is_said_of_a_network_is_so(settings, look):
    run = read_run(ROOT / "runs/cpu/report_tp.toml", {"model": {"width": 8, **settings}})
    assert look(build_network(run.model, 1).shape)


@pytest.mark.parametrize("written", ["$MY_QUESTIONS/math", "${MY_QUESTIONS}/math"])
def test_an_environment_that_lacks_the_folder_is_told(written):
    with pytest.raises(RunError, match="the environment has no `MY_QUESTIONS`"):
        read_run(ROOT / "runs/tp_paper.toml", {"data.folder": written})


@pytest.mark.parametrize("written", ["$PROGTF_DATA/math", "${PROGTF_DATA}/math"])
@pytest.mark.parametrize("named", [None, "", "there"])
def test_the_folder_of_data_is_the_users_where_nobody_names_one(
    written, named, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PROGTF_DATA", raising=False)
    due = data_folder() / "math"
    if named is not None:
        monkeypatch.setenv("PROGTF_DATA", named)
        due = tmp_path / "there/math" if named else due
    run = read_run(ROOT / "runs/tp_paper.toml", {"data.folder": written})
    assert run.data.folder == due
    monkeypatch.setenv("PROGTF_DATA_2", "/two")
    run = read_run(ROOT / "runs/tp_paper.toml", {"data.folder": "$PROGTF_DATA_2/math"})
    assert run.data.folder == Path("/two/math")


def small(folder, out, **more):
    """A tiny network of the paper on some questions."""
    tiny = {"model.width": 8, "model.filter": 8, "model.heads": 2, "model.layers": 1}
    changes = {**TINY, **tiny, "data.folder": str(folder), "out": str(out), **more}
    return read_run(ROOT / "runs/tp_paper.toml", changes)


def archived(published, archive):
    with tarfile.open(archive, "w:gz") as file:
        file.add(published, PUBLISHED)
    return archive


def test_an_archive_that_has_changed_is_unpacked_again(published, tmp_path):
    folder = tmp_path / PUBLISHED
    shutil.copytree(published, folder)
    archive = archived(folder, tmp_path / "m.tar.gz")
    prepare(small(archive, tmp_path / "out").data)
    (folder / "train-easy/arithmetic__mul.txt").unlink()
    changed = folder / "train-easy/numbers__is_prime.txt"
    changed.write_text("Is 7 prime?\nTrue\n")
    archived(folder, archive)
    prepare(small(archive, tmp_path / "out").data)
    there = tmp_path / "m.tar.gz.unpacked/train-easy"
    assert (there / "numbers__is_prime.txt").read_text() == "Is 7 prime?\nTrue\n"
    assert not (there / "arithmetic__mul.txt").exists()


def test_files_of_ones_own_that_keep_their_size_and_time_are_read_anew(published, tmp_path):
    folder = tmp_path / PUBLISHED
    shutil.copytree(published, folder)
    run = small(folder, tmp_path / "out", **{"data.modules": ["numbers__is_prime"]})
    prepare(run.data)
    path = folder / "train-easy/numbers__is_prime.txt"
    kept, before = path.stat(), digests_of(run.data)
    path.write_text(path.read_text().replace("Is ", "Iz ", 1))
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    prepare(run.data)
    assert digests_of(run.data) != before


def test_a_run_does_not_go_on_with_other_questions(published, tmp_path):
    folder = tmp_path / PUBLISHED
    shutil.copytree(published, folder)
    trained(small(folder, tmp_path / "out"))
    path = folder / "train-easy/numbers__is_prime.txt"
    path.write_text(path.read_text().replace("True", "False"))
    with pytest.raises(RunError, match="changed since: the questions of `train`; give"):
        trained(small(folder, tmp_path / "out", **{"train.steps": 4}))


@pytest.mark.parametrize("name", ["train-easy/._numbers__is_prime.txt", "._hidden.txt"])
def test_what_a_mac_packs_beside_files_is_passed_over(published, tmp_path, name):
    folder = tmp_path / PUBLISHED
    shutil.copytree(published, folder)
    (folder / name).write_bytes(b"\0\5\26\7Mac OS X")
    archive = archived(folder, tmp_path / "m.tar.gz")
    found = [trained(small(place, tmp_path / kind)).scores
             for kind, place in (("folder", folder), ("archive", archive))]  # fmt: skip
    assert found[0] == found[1]


def test_an_archive_that_cannot_be_unpacked_beside_itself_is_told(published, tmp_path):
    archive = archived(published, tmp_path / "m.tar.gz")
    (tmp_path / "m.tar.gz.unpacked").write_text("a file")
    with pytest.raises(RunError, match=r"m.tar.gz.unpacked: "):
        prepare(small(archive, tmp_path / "out").data)


def test_characters_of_questions_that_are_not_made_are_not_known(tmp_path):
    changes = {"data.folder": str(tmp_path / "none"), "data.vocabulary": "data"}
    with pytest.raises(RunError, match="they are not made yet"):
        describe(read_run(ROOT / "runs/cpu/two_modules.toml", changes))


def test_questions_are_made_before_their_characters_are_looked_for(progtf, tmp_path):
    said = {
        "data.folder": tmp_path / "new", "data.vocabulary": "data", "data.questions": 40,
        "data.test": 20, "train.steps": 2, "train.batch": 4, "evaluate.final": 4,
        "evaluate.questions": 4,
    }  # fmt: skip
    changes = [part for key, value in said.items() for part in ("--set", f"{key}={value}")]
    run = ROOT / "runs/cpu/two_modules.toml"
    status, told, errors = progtf("train", run, "-o", tmp_path / "out", *changes)
    assert (status, "step 2:" in told) == (0, True), errors


def test_a_checkpoint_whose_state_has_another_bit_is_refused(published, tmp_path):
    folder = trained(merged(published, tmp_path / "out")).folder
    state = folder / "trainer.json"
    state.write_text(state.read_text().replace('"step": 2', '"step": 3'))
    with pytest.raises(RunError, match="is not what was written"):
        trained(merged(published, tmp_path / "out", **{"train.steps": 4}))


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_what_asks_for_heads_is_told_that_there_are_none(published, tmp_path, kind):
    changes = {**TINY, "data.folder": str(published), "out": str(tmp_path)}
    folder = trained(read_run(ROOT / f"runs/report_{kind}.toml", changes)).folder
    with pytest.raises(RunError, match=f"one of kind `{kind}` has none, and no roles"):
        with_heads(folder)


def test_a_program_is_trained_on_an_archive_and_reported(published, tmp_path):
    archive = archived(published, tmp_path / "m.tar.gz")
    changes = {**TINY, "data.folder": str(archive), "data.generate": False,
               "data.splits": ["train-easy"], "out": str(tmp_path / "out")}  # fmt: skip
    run = read_run(ROOT / "runs/place_value.toml", changes)
    report = write_report(run, trained(run)).read_text()
    assert "No written weight has changed" in report


CURVES = {
    "nothing": [],
    "no step": [{"loss": 1.0}],
    "losses": [{"step": 0, "loss": None}, {"step": 1, "loss": 2.0}],
    "one point": [{"step": 3, "interpolate": 50.0}],
    "the beginning": [{"step": 0, "loss": None, "interpolate": 0.0}],
    "not the first": [{"step": 0}, {"step": 4, "interpolate": 1.0}],
    "now and then": [{"step": 0, "train": 1.0}, {"step": 1}, {"step": 2, "train": 2.0}],
    "three": [{"step": n, "interpolate": n, "extrapolate": 1, "train": 2.5} for n in range(5)],
    "another name": [{"step": 1, "validate": 3.0}],
    "whole numbers": [{"step": 1, "interpolate": 3}],
    "no number": [{"step": 1, "interpolate": math.nan}, {"step": 2, "interpolate": math.nan}],
    "no end": [{"step": 1, "interpolate": math.inf}],
    "past the end": [{"step": 1, "interpolate": 1e300}],
    "below": [{"step": 1, "interpolate": -5.0}],
    "steps without end": [{"step": 10**18, "interpolate": 5.0}],
    "backwards": [{"step": 5, "interpolate": 5.0}, {"step": 1, "interpolate": 5.0}],
    "the same step": [{"step": 5, "interpolate": 5.0}] * 3,
    "steps of halves": [{"step": 0.5, "interpolate": 5.0}],
    "modules": [{"step": 1, "modules": {"interpolate": {"a": 1.0}}}],
    "drift": [{"step": 1, "interpolate": 1.0, "drift": {"changed": 1.0, "moved": 0.1}}],
    "many": [{"step": n, "interpolate": n % 100} for n in range(20_000)],
}


@pytest.mark.parametrize("curve", CURVES)
def test_any_curve_is_drawn_without_a_warning(tmp_path, curve):
    draw_curve(CURVES[curve], tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
