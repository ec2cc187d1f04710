"""The guarantees of training, on hybrids that Hypothesis writes."""

from dataclasses import replace
from tempfile import TemporaryDirectory

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import cross_entropy

import progtf
from progtf.compiler.compare import changes
from progtf.compiler.folder import same_weights
from progtf.compiler.free import FreeGroup, entries_of_mode, free_entries, let_gradients_pass, whole
from progtf.compiler.hybrid import LearnedEmbedding, LearnedHeads, LearnedRules, MixedHead
from progtf.nn import SplitNorm, present
from progtf.program.interpret import answer
from progtf.training import begin, trainable
from progtf.training.subject import Hybrid
from tests.compiler.programs import TOKENS, inputs
from tests.compiler.test_agreement import EXACT, built
from tests.training.hybrids import hybrids

LEARNED = (LearnedHeads, LearnedRules, LearnedEmbedding, SplitNorm)
some_texts = st.lists(inputs, min_size=2, max_size=3)
words = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=5).map(" ".join)
short_texts = st.lists(words, min_size=1, max_size=3)
few = settings(max_examples=settings.default.max_examples // 15)  # half a second each


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
    return residual if network.output is None else network.output(residual)


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


def written(model):
    """Every tensor that is not learned as a whole, by name: parameters and buffers."""
    learned = []
    for name, part in model.network.named_modules():
        if isinstance(part, MixedHead):
            learned += [f"{name}.{field}." for field in ("value", "role", "asks", "out")]
        if isinstance(part, LEARNED) or name.endswith((".learned", ".reader")):
            learned.append(f"{name}.")
    tensors = [*model.network.named_parameters(), *model.network.named_buffers()]
    return {n: t.detach().clone() for n, t in tensors if not n.startswith(tuple(learned))}


def moved(before, after):
    """How many written numbers have other bits."""
    one, other = written(before), written(after)
    assert {n: (t.dtype, t.shape) for n, t in one.items()} == {
        n: (t.dtype, t.shape) for n, t in other.items()
    }
    return sum(int((bytes_of(one[n]) != bytes_of(other[n])).any(-1).sum()) for n in one)


def bytes_of(tensor):
    return tensor.reshape(-1, 1).view(torch.uint8)


def trained(model, parameters, batch, *, bfloat16):
    """The model after three steps, with ordinary tensors."""
    optimiser = torch.optim.AdamW(parameters, lr=0.05, weight_decay=0.1)
    for _ in range(3):
        optimiser.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            loss = loss_of(answers_of(model, *batch))
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
    return whole(model)


def set_free(model, mode):
    """What is trained of the written part, and all parameters that are."""
    if mode == "marks":
        parameters = trainable(model)
        return model.layout.marks, parameters
    marks = tuple(entries_of_mode(model, (), mode))
    free_entries(model, [FreeGroup((), marks, 0.1)], seed=1)
    let_gradients_pass(model, passing=True)
    return marks, [p for p in model.parameters() if p.requires_grad]


def assert_comes_back(model, dtype):
    """A folder keeps all bits; text keeps those of the written part, and what is marked."""
    with TemporaryDirectory() as folder:
        progtf.save_model(model, folder)
        loaded = progtf.load_model(folder)
    assert same_weights(model, loaded)
    again = progtf.compile(progtf.parse_program(progtf.decompile(loaded)), dtype)
    assert moved(again, model) == 0
    assert progtf.diff(again, model) == []
    ours, theirs = ({replace(m, mark="~") for m in one.layout.marks} for one in (again, model))
    assert ours == theirs


@few
@given(
    hybrids(), some_texts, st.sampled_from(["float32", "bfloat16"]), st.booleans(),
    st.sampled_from(["marks", "marks", "values", "all"]),
)  # fmt: skip
def test_training_changes_what_is_marked_and_nothing_else(text, texts, dtype, bfloat16, mode):
    program = built(text.hybrid)
    before, other = progtf.compile(program, dtype), begin(progtf.compile(program, dtype), seed=2)
    model = begin(progtf.compile(program, dtype))
    marks, parameters = set_free(model, mode)
    batch = batch_of(model, texts)
    after = trained(model, parameters, batch, bfloat16=bfloat16)
    found = changes(before, after)
    places = {(c.place.replace("out bias", "out"), c.source, c.target) for c in found}
    assert places <= {(" / ".join((*m.path, m.field)), m.source, m.target) for m in marks}
    assert len(found) == moved(before, after)
    if before.layout.learn.protect:  # written semes are those of other learned weights
        other.network.load_state_dict(written(after), strict=False)
        assert torch.equal(semes_of(other, *batch), semes_of(after, *batch))
        assert marks or torch.equal(semes_of(before, *batch), semes_of(after, *batch))
    assert_comes_back(after, dtype)


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
        for given_text, got in zip(texts, model.answers(texts), strict=True):
            assert_means(got, answer(program, given_text))


def assert_means(got, expected):
    """A model's answer is the interpreter's, unless two tokens tie."""
    if expected.residual is not None:
        assert got.residual == pytest.approx(expected.residual, abs=EXACT, rel=EXACT)
    elif got.gap > 1e-3:
        assert got.text == expected.text


@few
@given(hybrids(), some_texts)
def test_gradients_are_those_of_the_whole_and_none_reach_fixed_entries(text, texts):
    model, every = (begin(progtf.compile(built(text.hybrid), "float64")) for _ in range(2))
    parameters = {id(p) for p in shaken(trainable(model))}
    every.network.load_state_dict(whole(model).network.state_dict())
    every.requires_grad_(requires_grad=True)
    let_gradients_pass(every, passing=True)
    for one in (model, every):
        loss_of(answers_of(one, *batch_of(one, texts))).backward()
    due = {name: gradient(p) for name, p in every.network.named_parameters()}
    count = 0
    for name, parameter in model.network.named_parameters():
        if id(parameter) not in parameters:
            assert parameter.grad is None
            continue
        plain = name.replace("parametrizations.", "").removesuffix(".original")
        wanted = due[plain]
        if plain != name:
            free = model.network.get_submodule(name.removesuffix(".original"))[0]
            wanted = wanted.flatten()[free.places]
            count += len(free.places)
        torch.testing.assert_close(gradient(parameter), wanted)
    assert count == len({(m.path, m.field, m.source, m.target) for m in model.layout.marks})


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
