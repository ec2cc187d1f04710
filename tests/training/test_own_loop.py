"""A training loop of one's own, on a compiled model and on a checkpoint."""

import torch

import progtf
from progtf.compiler.compare import changes
from progtf.compiler.compile import compile as compile_program
from progtf.compiler.free import FreeGroup, entries_of_mode, free_entries
from progtf.program.load import parse_program
from progtf.training import begin, trainable
from progtf.training.config import Damage
from progtf.training.controls import damage
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
    return {(c.place, c.source, c.target) for c in changes(program, model)}


def test_what_is_written_stays_even_if_all_parameters_are_given(run_file):
    program = progtf.compile(progtf.load(run_file.parent / "tiny.seme"))
    for model in (begin(progtf.compile(progtf.load(run_file.parent / "tiny.seme"))),
                  progtf.load_model(trained(run_file).latest)):  # fmt: skip
        before = moved(program, model)
        learned = model.network.embedding.learned.table.clone()
        train(model, model.parameters())
        assert moved(program, model) == before
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
    (mark,) = entries_of_mode(model, ("spelling",), "all")
    ((free, _),) = free_entries(model, [FreeGroup((), (mark,), 1e-3)], seed=1)
    assert free.tolist() == [1.0]


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
    model = compile_program(parse_program(OUTER))
    marks = tuple(entries_of_mode(model, (), "values"))
    assert [m.field for m in marks] == ["value", "role", "out"]
    assert len(free_entries(model, [FreeGroup((), marks, 1e-3)], seed=1)) == len(marks)
    assert damage(compile_program(parse_program(OUTER)), Damage(drop=1.0), seed=1) > len(marks)
