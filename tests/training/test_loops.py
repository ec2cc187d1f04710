"""Loops in hybrids: what is learned in them trains, and they halt as they are written to."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from progtf import compile, parse_program  # noqa: A004
from progtf.network.free import free_tensors
from progtf.nn import present
from progtf.training import begin, trainable
from progtf.training.subject import Hybrid
from progtf.weights.changes import changes
from tests.network.programs import built, inputs, loops, written_in_loops
from tests.network.test_decoder_loops import remainders
from tests.network.test_loops import euclid

FILLER = ["head earlier:", "  at: -1", "  value: ?", "  role: ?"]
WRITTEN = {"decoder": remainders(), "encoder": euclid()}
LOOPING = {"decoder": "  layer take:\n", "encoder": "    layer step:\n"}
READS = {"decoder": "number, rest", "encoder": "a, b"}
TEXTS = {"decoder": ["99 10 9 1 0", "48 18 12 6 0"], "encoder": ["12 18", "1 60", "7 7 9"]}
KINDS = [*WRITTEN]
few = settings(max_examples=max(2, settings.default.max_examples // 15))


def hybrid(kind: str, marked: str = "") -> str:
    """A filler and a role are learned in the first layer of a loop, heads and units in both."""
    line = LOOPING[kind]
    pad = line[: line.index("layer")] + "  "
    filler = "".join(f"{pad}{each}\n" for each in FILLER)
    text = WRITTEN[kind].replace(line, line + filler).replace("length:", "norm: split\n  length:")
    return text.replace("value: ", f"value: {marked}", 1) + learn(kind, READS[kind], "2..4")


def learn(kind: str, reads: str, layers: str) -> str:
    return f"learn:\n  semes: 4\n  reads: {reads}\n  {kind}: layers {layers} heads 2 filter 5\n"


def given_to(model, batch):
    """What a model takes: a decoder reads all that it is to have written."""
    return (batch,) if model.layout.kind == "encoder" else (batch, batch)


def scores(model, batch):
    """Of all places, or what a text comes to; of a program that says no scores its residual."""
    out, classifier = model(*given_to(model, batch)), model.network.classifier
    return out if classifier is None else classifier(out, present(batch, model.pad))


def trained(model, batch, steps=3):
    """The learned tensors that no gradient has reached in some steps."""
    optimiser = torch.optim.AdamW(trainable(model), lr=0.05, weight_decay=0.1)
    free = {name: each for name, each in model.named_parameters() if each.requires_grad}
    unmoved = {*free}
    for _ in range(steps):
        optimiser.zero_grad()
        (scores(model, batch) / 100 - 1).square().mean().backward()
        unmoved -= {n for n in unmoved if free[n].grad is not None and free[n].grad.any()}
        optimiser.step()
    return unmoved


def ids(model, texts):
    return model.batch([text.split() for text in texts])


def rounds(model, batch):
    """How many rounds each place runs; in an encoder all places of a text run as many."""
    point = next(name for name in model.hooks() if name.endswith("round.blocks.0.hook_resid_pre"))
    with torch.no_grad():
        _, cache = model.run_with_cache(given_to(model, batch), [point])
    return (~cache[point][..., 0].isnan()).sum(dim=0).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_learned_in_a_loop_trains_and_each_place_halts_as_without_training(kind):
    plain = compile(parse_program(WRITTEN[kind]))
    model = begin(compile(parse_program(hybrid(kind))))
    batch, before = ids(model, TEXTS[kind]), model.weights
    due = rounds(plain, batch)
    assert len({n for text in due for n in text}) > 2
    assert rounds(model, batch) == due
    unmoved = trained(model, batch)
    assert all(".norm." in name for name in unmoved)  # of layers in which nothing is learned
    assert changes(before, model.weights) == []
    assert rounds(model, batch) == due


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_of_a_marked_entry_before_a_loop_is_the_difference_that_it_makes(kind):
    model = compile(parse_program(hybrid(kind, "~")), "float64")
    batch = ids(model, TEXTS[kind])
    trainable(model)
    (free,) = free_tensors(model.network.held)
    scores(model, batch).mean().backward()
    found = []
    for change in (1e-6, -1e-6):
        with torch.no_grad():
            free.parameter.add_(change)
            found.append(scores(model, batch).mean().item())
            free.parameter.sub_(change)
    assert free.parameter.grad.abs() > 0.1
    assert free.parameter.grad.item() == pytest.approx((found[0] - found[1]) / 2e-6, rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_learned_in_a_loop_answers_as_written_until_it_is_trained(kind):
    texts = ["99 1", "89 55", "48 18"] if kind == "decoder" else ["1 60", "36 60", "7 7 9"]
    model = begin(compile(parse_program(hybrid(kind))))
    assert model.run(texts) == compile(parse_program(WRITTEN[kind])).run(texts)


@st.composite
def hybrids(draw) -> tuple[str, str]:
    """A program with loops, and one with something learned in some of its layers."""
    stack = draw(st.sampled_from(KINDS))
    text = draw(loops() if stack == "encoder" else written_in_loops())
    first = draw(st.integers(1, 2))
    last = draw(st.integers(first, 4))
    return text, text + learn(stack, "a, n", f"{first}..{last}")


@torch.no_grad()
def semes(model, batch):
    """The written dimensions behind the last layer."""
    network = model.network
    if model.layout.kind == "encoder":
        return model(batch)[..., : model.layout.width]
    parts = network.encoder_decoder(model.pad)
    memory = parts.encode(batch) if model.layout.kind == "seq2seq" else (None, None)
    return parts.decode(batch, *memory)[..., : model.layout.width]


@few
@given(hybrids(), st.lists(inputs, min_size=2, max_size=3))
def test_no_training_changes_what_generated_loops_come_to(texts, given_texts):
    plain, model = (compile(built(text), "float64") for text in texts)
    batch = model.batch([list(each) for each in model.read(given_texts)])
    due = semes(plain, batch)
    trained(begin(model), batch, steps=2)
    there = present(batch, model.pad)
    assert (semes(model, batch) - due)[there].abs().max() <= 1e-9


WAITING = """
model:
  kind: seq2seq
  length: 6 -> 2
  norm: split
semes:
  any asks asked done
  n: 0..9
  k: 0..9
lexicon:
  for d in 0..9:
    "{d}": +any +{d}n
  asks: +any +asks
  <bos>: +any
  <eos>: +any
encoder:
  layer first:
    feedforward:
      k: n when any
      asked: asks
  loop count up to 9 until done when asked:
    layer down:
      feedforward:
        set k: k - 1 when k > 0
    layer look:
      head learned:
        at: +1
        value: ?
      feedforward:
        set done: k <= 0
decoder:
  layer say:
    head found:
      from: encoder
      where: any
      value: k>k
output:
  for d in 0..9:
    "{d}": {2*d}k - {d*d}
  <eos>: -100
learn:
  semes: 4
  reads: n
  decoder: layers 1 heads 2 filter 3
"""


@torch.no_grad()
def test_kept_semes_tell_a_loop_behind_them_whether_it_is_asked():
    model = begin(compile(parse_program(WAITING)))
    subject, batch = Hybrid(model), ids(model, ["<bos> asks 3 7 <eos>", "<bos> 3 7 <eos>"])
    target = ids(model, ["<bos> 1"] * 2)
    due = subject.logits(batch, target)
    assert not torch.equal(due[0], due[1])
    subject.use_cache(wanted=True)
    assert subject.cache is not None
    for _ in range(2):  # computed and kept, kept
        torch.testing.assert_close(subject.logits(batch, target), due)
