"""The guarantees of training, on hybrids that Hypothesis writes."""

from tempfile import TemporaryDirectory

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import cross_entropy

import progtf
from progtf.network.free import free_tensors
from progtf.network.network import Network, read
from progtf.nn import present
from progtf.training import begin, trainable
from progtf.training.subject import Hybrid
from progtf.weights.changes import changes
from progtf.weights.marking import group_of_mode, with_groups, with_marks_of
from tests.network.programs import TOKENS, built, inputs
from tests.network.test_agreement import EXACT
from tests.programs import same
from tests.training.hybrids import hybrids

some_texts = st.lists(inputs, min_size=2, max_size=3)
words = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=5).map(" ".join)
short_texts = st.lists(words, min_size=1, max_size=3)
few = settings(max_examples=max(2, settings.default.max_examples // 15))  # half a second each


def batch_of(model, texts):
    """Inputs and, for decoders, the beginnings of answers."""
    rows = [text.split() for text in texts]
    answers = [["<bos>", *(word for word in row if word in TOKENS)][:3] for row in rows]
    return model.batch(rows), model.batch(answers)


def answers_of(model, source, target):
    """Scores, or the residual of a program that answers with it."""
    if model.layout.kind == "seq2seq":
        return Hybrid(model).logits(source, target)
    residual, network = model(source), model.network
    if network.classifier is not None:
        return network.classifier(residual, present(source, model.pad))
    return residual if network.unembed is None else network.unembed(residual)


def loss_of(out):
    """A loss in which every score counts."""
    rows = out.float().flatten(0, -2)
    return cross_entropy(rows, torch.arange(len(rows)) % rows.shape[1]) + rows.square().mean()


@torch.no_grad()
def semes_of(model, source, target):
    """The written dimensions after the last layer of each stack."""
    memory, real, network = model(source), present(source, model.pad), model.network
    stacks = [memory]
    if model.layout.kind == "seq2seq":
        read = network.embedding(model.embedded(target))
        stacks.append(network.decoder(read, None, memory, real))
    return torch.cat([stack[..., : model.layout.width].flatten() for stack in stacks])


def moved(before, after):
    """How many entries of the written part have other bits, and no name, place or mark is other."""
    one, other = before.weights, after.weights
    assert one.maps.keys() == other.maps.keys()
    pairs = [(each, other.maps[key]) for key, each in one.maps.items()]
    assert all(each.names == again.names for each, again in pairs)
    return sum(int((a.numbers.view("u8") != b.numbers.view("u8")).sum()) for a, b in pairs)


def trained(model, parameters, batch, *, bfloat16):
    """The model after three steps."""
    optimiser = torch.optim.AdamW(parameters, lr=0.05, weight_decay=0.1)
    for _ in range(3):
        optimiser.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            loss = loss_of(answers_of(model, *batch))
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
    return model


def set_free(model, mode):
    """The model of which, beside what is learned, marks or a mode's entries are trained."""
    if mode != "marks":
        group = group_of_mode(model.weights, (), mode, 0.1)
        model = progtf.compile(with_groups(model.weights, [group]))
    return model, trainable(model)


def assert_comes_back(model, dtype):
    """A folder keeps all bits; text keeps those of the written part, and what is marked."""
    weights = model.weights
    with TemporaryDirectory() as folder:
        progtf.save_model(model, folder)
        loaded = progtf.load_model(folder)
    assert loaded.weights == weights
    again = progtf.lower(progtf.parse_program(progtf.decompile(loaded)), dtype)
    assert same(again, weights)
    assert progtf.diff(again, model) == []
    assert [{*one.maps[key].marked} for one in (again, weights) for key in weights.maps] == [
        {*each.marked} for each in weights.maps.values()
    ] * 2


@few
@given(
    hybrids(), some_texts, st.sampled_from(["float32", "bfloat16"]), st.booleans(),
    st.sampled_from(["marks", "marks", "values", "all"]),
)  # fmt: skip
def test_training_changes_what_is_marked_and_nothing_else(text, texts, dtype, bfloat16, mode):
    program = built(text.hybrid)
    before = begin(progtf.compile(program, dtype))
    model, parameters = set_free(begin(progtf.compile(program, dtype)), mode)
    fixed, batch = model.weights, batch_of(model, texts)
    trained(model, parameters, batch, bfloat16=bfloat16)
    free = {
        (" / ".join((*path, field)), source, target)
        for each in fixed.maps.values() for source, target in each.marked
        for path, field in [each.key]
    }  # fmt: skip
    found = changes(fixed, model.weights)
    assert {(c.place, c.source, c.target) for c in found} <= free
    assert_is_its_weights(model)
    if before.layout.learn.protect:  # written semes are those of other learned weights
        other = progtf.compile(model.weights.with_learned(progtf.lower(program, dtype).learned))
        assert torch.equal(semes_of(begin(other, seed=2), *batch), semes_of(model, *batch))
        assert free or torch.equal(semes_of(before, *batch), semes_of(model, *batch))
    as_marked = with_marks_of(model.weights, progtf.lower(program, dtype))
    assert_comes_back(progtf.compile(as_marked), dtype)


def assert_is_its_weights(model):
    """The law: a network made of the weights that are read has just these."""
    weights = model.weights
    assert read(Network(weights)) == weights


@few
@given(hybrids(), short_texts)
def test_with_nothing_learned_a_hybrid_is_its_program(text, texts):
    program, model = built(text.written), progtf.compile(built(text.hybrid), "float64")
    plain = progtf.compile(program, "float64")
    for hybrid in (model, begin(model)) if model.layout.learn.protect else (model,):
        ours = answers_of(hybrid, *batch_of(hybrid, texts))[..., : plain.layout.width]
        theirs = answers_of(plain, *batch_of(plain, texts))
        torch.testing.assert_close(ours, theirs, atol=EXACT, rtol=EXACT)
    if program.norm in ("none", "split"):  # the others make much of a rounding error
        for given in model.read(texts):
            assert_means(*model.readouts([given]), *progtf.interpret(program).readouts([given]))


def assert_means(got, expected):
    """What a model computes is what the interpreter does, unless two tokens tie."""
    if expected.written is None:
        width = expected.residual.shape[1]
        assert got.residual[:, :width] == pytest.approx(expected.residual, abs=EXACT, rel=EXACT)
    elif got.gap > 1e-3:
        assert got.written == expected.written


@few
@given(hybrids(), some_texts)
def test_gradients_are_those_of_the_whole_and_none_reach_fixed_entries(text, texts):
    model = begin(progtf.compile(built(text.hybrid), "float64"))
    parameters = {id(p) for p in shaken(trainable(model))}
    every = set_free(model, "all")[0]
    held = [list(free_tensors(one.network.held)) for one in (every, model)]
    for one in (every, model):
        one.network.let_gradients_pass(passing=True)
        loss_of(answers_of(one, *batch_of(one, texts))).backward()
    due = {
        entry: g
        for free in held[0]
        for entry, g in zip(free.entries, gradient(free.parameter), strict=True)
    }
    for free in held[1]:
        wanted = torch.stack([due[entry] for entry in free.entries])
        torch.testing.assert_close(gradient(free.parameter), wanted)
    for name in model.network.drawn:
        mine, theirs = (one.network.get_parameter(name) for one in (model, every))
        torch.testing.assert_close(gradient(mine), gradient(theirs))
    for parameter in model.parameters():
        assert id(parameter) in parameters or parameter.grad is None


@torch.no_grad()
def shaken(parameters):
    """Other numbers than in the beginning: where scores are 0, no gradient passes."""
    generator = torch.Generator().manual_seed(1)
    for parameter in parameters:
        noise = torch.randn(parameter.shape, generator=generator)
        parameter.add_(0.1 * noise.to(parameter.dtype))
    return parameters


def gradient(parameter):
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad


@few
@given(hybrids("seq2seq", marks=False), some_texts)
def test_kept_semes_change_no_loss_and_no_gradient(text, texts):
    model = begin(progtf.compile(built(text.hybrid)))
    subject, parameters = Hybrid(model), shaken(trainable(model))
    subject.use_cache(wanted=True)
    assume(subject.cache is not None)
    cache, found = subject.cache, []
    for subject.cache in (None, cache, cache):  # computed, computed and kept, kept
        model.zero_grad()
        loss = loss_of(subject.logits(*batch_of(model, texts)))
        loss.backward()
        found.append([loss.detach(), *map(gradient, parameters)])
    for kept in found[1:]:
        torch.testing.assert_close(kept, found[0], atol=1e-4, rtol=1e-4)
