"""A training loop of one's own, on a compiled model and on a checkpoint."""

import torch

import progtf
from progtf import compile as compile_program
from progtf.building.load import parse_program
from progtf.network.free import free_tensors
from progtf.training import begin, trainable
from progtf.training.config import Damage
from progtf.training.controls import damaged
from progtf.weights.changes import changes
from progtf.weights.marking import group_of_mode, with_groups
from tests.training.conftest import trained

HEAD = "encoder / 1 read / head before / value"


def train(model, parameters, steps=3):
    """Some steps of AdamW on one question; which parameters got a gradient is up to the model."""
    optimiser = torch.optim.AdamW(parameters, lr=0.1, weight_decay=0.5)
    source = model.batch([["<bos>", *"What is 7?", "<eos>"]])
    target = model.batch([["<bos>", "7"]])
    for _ in range(steps):
        optimiser.zero_grad()
        model(source, target).square().sum().backward()
        optimiser.step()


def moved(program, model):
    return {(c.place, c.source, c.target) for c in changes(program.weights, model.weights)}


def test_what_is_not_marked_stays_even_if_all_parameters_are_given(run_file):
    program = progtf.compile(progtf.load(run_file.parent / "tiny.seme"))
    for model in (begin(progtf.compile(progtf.load(run_file.parent / "tiny.seme"))),
                  progtf.load_model(trained(run_file).latest)):  # fmt: skip
        assert moved(program, model) <= {(HEAD, "nondigit", "end")}
        learned = model.network.embedding.learned.table.clone()
        train(model, model.parameters())
        assert moved(program, model) == {(HEAD, "nondigit", "end")}
        assert not torch.equal(learned, model.network.embedding.learned.table)


def test_marked_entries_are_trained_and_saved(run_file, tmp_path):
    program = progtf.compile(progtf.load(run_file.parent / "tiny.seme"))
    model = begin(progtf.compile(progtf.load(run_file.parent / "tiny.seme")))
    train(model, trainable(model))
    progtf.save_model(model, tmp_path / "mine")
    assert moved(program, progtf.load_model(tmp_path / "mine")) == {(HEAD, "nondigit", "end")}


SPELLED = """
semes: noun loud
spelling:
  capitals > loud
lexicon:
  CAT: +noun
  unknown: 0
layer one:
  head copies:
    at: -1
    value: noun>loud
learn:
  semes: 8
  encoder: layers 1..2 heads 2 filter 8
"""


def test_what_spelling_gives_is_written_and_has_modes_like_all_else():
    program = parse_program(SPELLED)
    model = begin(compile_program(program))
    trainable(model)
    assert not model.network.embedding.spelled.requires_grad
    group = group_of_mode(model.weights, ("spelling",), "all", 1e-3)
    free = compile_program(with_groups(model.weights, [group]))
    assert free.network.get_parameter("embedding.parametrizations.spelled.original").tolist() == [1]


def test_asking_twice_for_what_is_trained_gives_the_same(run_file):
    model = begin(progtf.compile(progtf.load(run_file.parent / "tiny.seme")))
    once, again = trainable(model), trainable(model)
    assert len(once) == len(again)
    assert all(one is other for one, other in zip(once, again, strict=True))


OUTER = """
model:
  binding: outer
semes: a b seen
lexicon:
  x: +a +b
layer:
  head h:
    at: -1
    value: a>f
    role: b>r
    out: f*r>seen, +0.5b
"""


def test_the_outer_product_has_modes_and_damage_but_for_its_products():
    weights = progtf.lower(parse_program(OUTER))
    group = group_of_mode(weights, (), "values", 1e-3)
    assert [field for _, field in group.marks] == ["value", "role", "out"]
    free = list(free_tensors(compile_program(with_groups(weights, [group])).network.held))
    assert sum(tensor.parameter.numel() for tensor in free) == group.count == 3
    spoilt, dropped = damaged(weights, Damage(drop=1.0), seed=1)
    assert dropped > group.count
    assert spoilt["encoder / 1 layer 1 / head h / out"].entries["filler0*role0", "seen"] == 1
