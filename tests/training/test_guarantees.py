"""What is written stays: whatever optimiser, decay, format, clipping or number of processes."""

import json

import numpy as np
import pytest
import torch

from progtf import (
    compile,  # noqa: A004
    load_model,
)
from progtf.building.load import load
from progtf.data import Problem
from progtf.training.subject import as_batch
from progtf.weights.changes import changes
from progtf.weights.marking import VALUES
from tests.training.conftest import run_command, trained, write_run

MARKED = "encoder / 1 read / head before / value"


def program_of(file):
    return compile(load(file.parent / "tiny.seme"))


def moved(before, after):
    """What differs: place, source and target of each written entry."""
    return {(c.place, c.source, c.target) for c in changes(before.weights, after.weights)}


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_fixed_entries_are_the_same_bits_after_training(run_file, precision):
    trainer = trained(run_file, train__precision=precision)
    before, after = program_of(run_file), load_model(trainer.latest)
    assert moved(before, after) == {(MARKED, "nondigit", "end")}
    learned = before.network.embedding.learned.table
    assert not torch.equal(learned, after.network.embedding.learned.table)


ONE_QUESTION = ["--set", "evaluate.questions=1", "--set", "evaluate.final=1"]
"""Fewer than processes: the one without a question has to take part all the same."""


@pytest.mark.long
def test_fixed_entries_are_the_same_bits_with_two_processes(run_file):
    """Whether each process has all weights (DDP) or a part of them (FSDP2): both learn the same."""
    losses = []
    for shard in ("false", "true"):
        out = run_file.parent / f"shard-{shard}"
        more = ["--set", f"train.shard={shard}", "--set", "train.average=0.5"]
        more += ["--set", "train.accumulate=2", *ONE_QUESTION]
        run_command(run_file, "-o", str(out), *more, processes=2)
        after = load_model(out / "checkpoints" / "step-0000008")
        assert moved(program_of(run_file), after) == {(MARKED, "nondigit", "end")}
        lines = (out / "metrics.jsonl").read_text().splitlines()
        losses.append([json.loads(line)["loss"] for line in lines[1:]])
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_training_changes_no_written_seme(tmp_path, data, precision):
    file = write_run(tmp_path, data, mark="")
    trainer = trained(file, train__precision=precision)
    before, after = program_of(file), load_model(trainer.latest)
    source = before.batch([list("What is the tens digit of 1234?")])
    with torch.no_grad():
        width = before.layout.width
        written = before.residual(source)[..., :width]
        assert torch.equal(written, after.residual(source)[..., :width])
    assert moved(before, after) == set()


def test_split_norm_leaves_written_semes_alone(run_file):
    model = program_of(run_file)
    norm = model.network.encoder.blocks[1].attention.before
    residual = torch.randn(2, 5, model.layout.d_residual)
    width = model.layout.width
    normed = norm(residual)
    assert torch.equal(normed[..., :width], residual[..., :width])
    learned = normed[..., width:]
    assert torch.allclose(learned.mean(-1), torch.zeros(2, 5), atol=1e-5)
    assert torch.allclose(learned.std(-1, correction=0), torch.ones(2, 5), atol=1e-2)


@pytest.mark.parametrize("mode", ["frozen", "soft", "values", "all"])
def test_modes_train_what_they_say(tmp_path, data, mode):
    file = write_run(tmp_path, data, mark="")
    trainer = trained(
        file, written=[{"layer": "encoder / 1 read", "mode": mode, "learning_rate": 0.01}]
    )
    found = moved(program_of(file), load_model(trainer.latest))
    fields = {place.rpartition(" / ")[2] for place, _, _ in found}
    if mode in ("frozen", "soft"):
        assert not found
    else:
        assert fields
        assert fields <= set(VALUES) | ({"query", "key"} if mode == "all" else set())
    assert all(place.startswith("encoder / 1 read") for place, _, _ in found)


def test_blocks_have_learning_rates_of_their_own(run_file):
    trainer = trained(
        run_file, written=[{"layer": "encoder / 1 read", "mode": "values", "learning_rate": 1e-5}]
    )
    rates = {group["peak"] for group in trainer.steps.optimiser.param_groups}
    assert rates == {1e-2, 1e-5}


def test_drift_is_told_at_every_evaluation(run_file):
    out = run_file.parent / "out"
    trained(run_file, log=out)
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [0, 4, 8]
    assert lines[0]["drift"]["moved"] == 0.0
    assert lines[-1]["drift"]["moved"] > 0.0


@pytest.mark.parametrize("control", ["off", "random", "trainable"])
def test_every_control_trains(run_file, control):
    trainer = trained(run_file, control=control)
    assert trainer.progress.step == 8
    if control == "off":
        assert trainer.setup.subject.module.layout.width == 0


def test_random_features_have_the_statistics_of_the_semes_and_not_their_values(tmp_path, data):
    file = write_run(tmp_path, data, mark="")
    plain = trained(file, train__steps=1)
    random = trained(file, control="random", train__steps=1, out="random")
    problems = [each for each, _ in plain.setup.tests["interpolate"][:20]]
    semes = []
    for trainer in (plain, random):
        source = trainer.setup.subject.translation.ids[_source(problems)]
        real = source != trainer.setup.subject.module.pad
        semes.append(kept(trainer.setup.subject.cache, source, real)[real])
    assert not torch.equal(*semes)
    assert torch.allclose(semes[0].mean(0), semes[1].mean(0), atol=0.25)


def kept(cache, source, real):
    """What a cache keeps of questions."""
    return cache.kept.of(source, real, cache._computed)


def _source(problems):
    return as_batch(problems, torch.device("cpu"))[0]


def test_damage_drops_its_share_and_training_mends_only_what_is_free(run_file):
    trainer = trained(run_file, control="trainable", damage={"drop": 0.5, "noise": 0.0})
    model = trainer.setup.subject.module
    zero = [c for c in changes(program_of(run_file).weights, model.weights) if c.after is None]
    assert len(moved(program_of(run_file), model)) > len(zero)


def test_cached_semes_are_the_semes(run_file, tmp_path, data):
    file = write_run(tmp_path, data, mark="")
    with_cache, without = trained(file), trained(file, cache=False, out="without")
    assert with_cache.setup.subject.cache.kept.size > 0
    one, other = (each.keeper._whole(each.steps) for each in (with_cache, without))
    assert one.learned
    for name, tensor in one.learned.items():
        assert np.allclose(tensor, other.learned[name], atol=1e-4), name


def test_what_is_kept_of_a_question_depends_on_no_other(tmp_path, data):
    file = write_run(tmp_path, data, mark="")
    program = tmp_path / "tiny.seme"
    program.write_text(program.read_text().replace('"{d}": +digit,', '"{d}": +digit, +1.5end,'))
    subject = trained(file, train__steps=1).setup.subject
    whole, halves = Problem("What?", "1"), Problem("What is 7?", "7")
    subject.use_cache(wanted=True)
    for problems in ([whole], [whole, halves]):
        source = subject.translation.ids[_source(problems)]
        subject.cache.kept.rows.clear()
        kept(subject.cache, source, source != subject.module.pad)
        kinds = [row.dtype for row in subject.cache.kept.rows.values()]
        assert kinds == [torch.int8, torch.float32][: len(problems)]


def test_a_program_of_which_nothing_is_read_trains(tmp_path, data):
    file = write_run(tmp_path, data, mark="")
    program = tmp_path / "tiny.seme"
    program.write_text(program.read_text().replace("reads: digit val end", "reads: 0"))
    assert trained(file, train__steps=1).progress.step == 1
