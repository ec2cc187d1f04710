"""Heads of learned networks by the semes of a program."""

import numpy as np
import pytest

import progtf
from progtf.analysis.heads import OUT
from progtf.training.config import Model
from progtf.training.heads import RIDGE, decompile_head, semes_of
from progtf.training.networks import LearnedModel, build_network

QUESTIONS = [f"What is the {name} digit of {number}?" for name in ("tens", "units")
             for number in (1234, 567, 90, 8812, 4453)]  # fmt: skip


@pytest.fixture(scope="module")
def program():
    return progtf.compile(progtf.load("examples/math/place_value.seme"))


def network(kind="tp"):
    wanted = Model(kind=kind, width=16, filter=16, heads=2, layers=2)
    return LearnedModel(build_network(wanted, 5).eval())


@pytest.mark.parametrize("kind", ["tp", "transformer"])
def test_a_head_is_told_and_put_back_alone(program, kind):
    model = network(kind)
    found = decompile_head(model, program, QUESTIONS, QUESTIONS[:3], 1, 0, draws=5)
    assert set(found.told.maps) == {"query", "key", "value", OUT} | ({"role"} & {*_fields(kind)})
    before = model.network.state_dict()
    for form, changed in found.networks.items():
        after = changed.network.state_dict()
        moved = {name.partition(".attention")[0] for name in after
                 if not np.array_equal(before[name], after[name])}  # fmt: skip
        assert moved == (set() if form == "original" else {"encoder.blocks.1"})
    point = "encoder.blocks.1.attn.hook_v"
    one, other = (each.run_with_cache(QUESTIONS, point)[1][point]
                  for each in (model, found.networks["whole"]))  # fmt: skip
    assert np.array_equal(one[:, :, 1], other[:, :, 1])
    assert not np.array_equal(one[:, :, 0], other[:, :, 0])
    assert found.explained["whole"] <= found.explained["reads"] <= 1.0


def _fields(kind):
    return ("role",) if kind == "tp" else ()


def test_a_first_layer_is_read_by_characters_and_places(program):
    found = decompile_head(network(), program, QUESTIONS, QUESTIONS, 0, 0, draws=5)
    assert found.explained["reads"] > 0.8  # its residual is nothing else
    assert RIDGE > 0


def test_a_loss_is_won_back_by_so_much_as_silence_costs(program):
    found = decompile_head(network(), program, QUESTIONS, QUESTIONS, 0, 0, draws=2)
    losses = {"original": 1.0, "ablated": 3.0, "reads": 1.5, "whole": 3.0}
    assert found.recovered(losses, "reads") == 0.75
    assert found.recovered(losses, "whole") == 0.0


def test_characters_are_known_beside_semes(program):
    number, names, semes = semes_of(program, ["What is the tens digit of 17?"])
    assert len(semes) == len(number) == len("What is the tens digit of 17?") + 2
    assert semes[:, names.index('"7"')].nonzero()[0].tolist() == [28]
    assert semes[:, names.index("hit")].nonzero()[0].tolist() == [27]


def test_a_program_that_reads_otherwise_is_refused(program):
    with pytest.raises(ValueError, match="does not read"):
        semes_of(progtf.compile(progtf.load("examples/language/scan.seme")), ["jump"])
    with pytest.raises(progtf.InputError):
        semes_of(program, ["x" * 500])
