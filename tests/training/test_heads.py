"""Heads of learned networks by the semes of a program."""

import numpy as np
import pytest
import torch

import progtf
from progtf.analysis.heads import OUT
from progtf.data.problem import Problem
from progtf.training.config import Model
from progtf.training.heads import RIDGE, decompile_heads
from progtf.training.networks import LearnedModel, build_network
from progtf.training.states import seen, semes_of
from progtf.training.subject import as_batch

PROBLEMS = [Problem(f"What is the {name} digit of {number}?", str(number)[place])
            for name, place in (("tens", -2), ("units", -1))
            for number in (1234, 567, 90, 8812, 4453)]  # fmt: skip


FIRST = "encoder.blocks.0.attn"


@pytest.fixture(scope="module")
def program():
    return progtf.compile(progtf.load("examples/math/place_value.seme"))


def network(kind="tp", norms="post"):
    wanted = Model(kind=kind, width=16, filter=16, heads=2, layers=2, norms=norms)
    return LearnedModel(build_network(wanted, 5).eval())


@pytest.mark.parametrize("kind", ["tp", "transformer"])
@pytest.mark.parametrize("norms", ["post", "pre", "published"])
@pytest.mark.parametrize("heads", ["encoder.blocks.1.attn", "decoder.blocks.0.attn",
                                   "decoder.blocks.1.cross"])  # fmt: skip
def test_a_head_is_told_and_put_back_alone(program, heads, kind, norms):
    model = network(kind, norms)
    found = decompile_heads(model, program, PROBLEMS, PROBLEMS[:3], heads, draws=5)[0]
    assert set(found.told.maps) == {"query", "key", "value", OUT} | ({"role"} & {*_fields(kind)})
    before = model.network.state_dict()
    place = heads.replace(".attn", ".attention")
    for form, changed in found.networks.items():
        after = changed.network.state_dict()
        moved = [name for name in after if not np.array_equal(before[name], after[name])]
        assert bool(moved) == (form != "original")
        assert all(name.startswith(place) for name in moved)
    point = f"{heads}.hook_v"
    ((_, one),), ((_, other),) = (
        seen(each, [point], PROBLEMS) for each in (model, found.networks["whole"])
    )
    assert np.array_equal(one[:, 1], other[:, 1])
    assert not np.array_equal(one[:, 0], other[:, 0])
    assert found.explained["reads"] <= 1.0


def _fields(kind):
    return ("role",) if kind == "tp" else ()


@pytest.mark.parametrize("heads", ["encoder.blocks.0.attn", "decoder.blocks.0.attn"])
def test_a_first_layer_is_read_by_characters_and_places(program, heads):
    many = [Problem(f"What is the units digit of {n}?", f"{n % 10}") for n in range(10, 90)]
    found = decompile_heads(network(), program, many, many, heads, draws=5)[0]
    assert found.explained["reads"] > 0.8  # its residual is nothing else
    assert RIDGE > 0


def test_keys_and_values_of_cross_attention_are_told_in_semes_of_the_encoder(program):
    heads = "decoder.blocks.0.cross"
    found = decompile_heads(network(), program, PROBLEMS, PROBLEMS[:2], heads, draws=2)[1]
    names = {field: set(each.names) for field, each in found.told.maps.items()}
    assert names["key"] == names["value"] >= {"hit"}
    assert names["query"] == names["role"] == names[OUT]
    assert "hit" not in names["query"]


def test_a_decoder_is_seen_where_its_own_answer_is_due():
    model = network()
    problems = [Problem("What?", "12"), Problem("Is it so?", "")]
    point = "decoder.blocks.1.hook_resid_post"
    ((number, rows),) = seen(model, [point], problems)
    assert number.tolist() == [0, 0, 0, 1]
    source, target = as_batch(problems, torch.device("cpu"))
    alone = model.network.run_with_cache((source[:1], target[:1, :3]), point)[1][point]
    assert rows[:3] == pytest.approx(alone[0].detach().double().numpy(), abs=1e-5)


def test_heads_that_are_none_are_refused(program):
    with pytest.raises(ValueError, match=r"nearest is `decoder\.blocks\.1\.cross"):
        decompile_heads(network(), program, PROBLEMS, PROBLEMS, "decoder.blocks.2.cross")
    reverse = progtf.compile(progtf.load("examples/algorithms/reverse.seme"))
    with pytest.raises(ValueError, match="the program has no decoder"):
        decompile_heads(network(), reverse, [Problem("abc", "")], [], "decoder.blocks.0.attn")


def test_a_loss_is_won_back_by_so_much_as_silence_costs(program):
    found = decompile_heads(network(), program, PROBLEMS, PROBLEMS, FIRST, draws=2)[0]
    losses = {"original": 1.0, "ablated": 3.0, "reads": 1.5, "whole": 3.0}
    assert found.recovered(losses, "reads") == 0.75
    assert found.recovered(losses, "whole") == 0.0


def test_characters_are_known_beside_semes(program):
    number, names, semes = semes_of(program, [Problem("What is the tens digit of 17?", "1")])
    assert len(semes) == len(number) == len("What is the tens digit of 17?") + 2
    assert semes[:, names.index('"7"')].nonzero()[0].tolist() == [28]
    assert semes[:, names.index("hit")].nonzero()[0].tolist() == [27]


def test_a_program_that_reads_otherwise_is_refused(program):
    with pytest.raises(ValueError, match="does not read"):
        semes_of(progtf.compile(progtf.load("examples/language/scan.seme")), [Problem("jump", "")])
    with pytest.raises(progtf.InputError):
        semes_of(program, [Problem("x" * 500, "")])
