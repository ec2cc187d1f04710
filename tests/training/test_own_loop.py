"""A training loop of one's own, on a compiled model and on a checkpoint."""

import torch

import progtf
from progtf.compiler.compare import changes
from progtf.training import begin, trainable
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
