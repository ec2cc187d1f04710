"""Averaged weights: what is tested and kept, and that a run goes on exactly with them."""

import pytest
import torch

from progtf import (
    compile,  # noqa: A004
    load_model,
)
from progtf.building.load import load
from progtf.training.average import Average
from progtf.weights.changes import changes
from tests.training.conftest import trained

AVERAGED = {"train__average": 0.9, "train__steps": 6}


def test_means_forget_at_their_rate():
    weight = torch.zeros(2)
    average = Average.of([weight], 0.5)
    for step, value in enumerate([8.0, 4.0], start=100):  # past the beginning, when it is faster
        weight.fill_(value)
        average.update(step)
    assert average.means[0].tolist() == [4.0, 4.0]
    with average.in_place():
        assert weight.tolist() == [4.0, 4.0]
    assert weight.tolist() == [4.0, 4.0]


def test_the_newest_weights_come_back():
    weight = torch.zeros(2)
    average = Average.of([weight], 0.5)
    weight.fill_(2.0)
    average.update(0)
    with pytest.raises(ZeroDivisionError), average.in_place():
        _fail_with(weight, pytest.approx([1.8, 1.8]))
    assert weight.tolist() == [2.0, 2.0]


def _fail_with(weight, expected):
    assert weight.tolist() == expected
    raise ZeroDivisionError


def test_checkpoints_hold_the_means(run_file):
    trainer = trained(run_file, **AVERAGED)
    kept = load_model(trainer.latest).network.embedding.learned.table
    newest = trainer.setup.subject.module.network.embedding.learned.table
    assert not torch.equal(kept, newest)
    with trainer.steps.average.in_place():
        assert torch.equal(kept, newest)
    program = compile(load(run_file.parent / "tiny.seme"))
    assert len(list(changes(program.weights, load_model(trainer.latest).weights))) == 1


def test_a_run_goes_on_exactly(run_file):
    def bits(trainer):
        names = ("weights.safetensors", "trainer.safetensors")
        return [(trainer.latest / name).read_bytes() for name in names]

    whole = bits(trained(run_file, out=str(run_file.parent / "whole"), **AVERAGED))
    trained(run_file, **{**AVERAGED, "train__steps": 4})
    assert bits(trained(run_file, **AVERAGED)) == whole


def test_without_a_decay_there_is_nothing_to_keep(run_file):
    assert trained(run_file, train__steps=2).steps.average.tensors() == {}
