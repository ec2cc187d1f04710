"""What goes wrong in a network that somebody watches, trains, stores or shares."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

import progtf
from progtf.network.network import Network, read
from progtf.nn import present
from progtf.training import begin, trainable

EXAMPLES = Path("examples")

# ------------------------------------------------------------------ hooks


def tensors(given):
    """The tensors in a nest of tuples."""
    if isinstance(given, torch.Tensor):
        yield given
    elif isinstance(given, (tuple, list)):
        for part in given:
            yield from tensors(part)


@pytest.mark.parametrize("file", ["a_or_an", "grammar/agreement", "math/place_value"])
def test_what_hooks_on_any_module_keep_is_not_changed_later(file):
    program = progtf.load(EXAMPLES / f"{file}.seme")
    model, kept = progtf.compile(program), []
    names = {id(part): name for name, part in model.named_modules()}

    def keep(part, read_, given):
        kept.extend((names[id(part)], out, out.clone()) for out in tensors((read_, given)))

    for part in model.modules():
        part.register_forward_hook(keep)
    model.run([example.input for example in program.examples])
    assert {name for name, out, copy in kept if not torch.equal(out, copy)} == set()


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("file", ["a_or_an", "grammar/agreement"])
def test_backward_hooks_may_be_on_any_module(file):
    program = progtf.load(EXAMPLES / f"{file}.seme")
    model = progtf.compile(program)
    ids = model.batch([model.reader.read(example.input) for example in program.examples])
    refused = []
    for name, part in model.named_modules():
        hook = part.register_full_backward_hook(lambda *_given: None)
        try:
            model.network.classifier(model(ids), present(ids, model.pad)).sum().backward()
        except RuntimeError:
            refused.append(name)
        hook.remove()
    assert refused == []


def test_a_hook_on_the_scores_of_classes_is_seen():
    program = progtf.load(EXAMPLES / "grammar/agreement.seme")
    model = progtf.compile(program)
    texts = [example.input for example in program.examples]
    said = model.run(texts)
    model.network.classifier.score.register_forward_hook(lambda _m, _g, scores: -scores)
    assert model.run(texts) != said


# ------------------------------------------------------------------ threads


def test_threads_may_ask_one_model():
    model = progtf.compile(progtf.load(EXAMPLES / "algorithms/reverse.seme"))
    texts = ["abc", "abcd", "abcdefgh", "a", "zxzxzxzxz", "ab"] * 150
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(model.run, texts)) == [text[::-1] for text in texts]
    finally:
        sys.setswitchinterval(interval)


# ------------------------------------------------------------------ training and storing

MOVE = """
semes: a b
lexicon:
  x: +a
  y: 0
layer:
  head:
    at: -1
    value: a>b
"""


def test_a_trained_program_is_saved_as_it_is(tmp_path):
    model = progtf.compile(progtf.parse_program(MOVE))
    ids = model.batch([["x", "y"]])
    optimiser = torch.optim.SGD(model.parameters(), lr=0.125)
    model(ids).sum().backward()
    optimiser.step()
    progtf.save_model(model, tmp_path)
    with torch.no_grad():
        assert torch.equal(progtf.load_model(tmp_path)(ids), model(ids))


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "float16"])
def test_learned_weights_in_another_format_are_their_network(dtype):
    model = begin(progtf.compile(progtf.load(EXAMPLES / "hybrid/place_value.seme")))
    with torch.no_grad():
        for parameter in trainable(model):
            parameter.add_(0.01 * torch.randn(parameter.shape))
    weights = model.weights.stored_as(dtype)
    assert read(Network(weights)) == weights


TWO = (
    MOVE
    + """\
    out: b>b, 2b
  head other:
    at: -1
    value: a>b
"""
)


def test_what_a_second_head_adds_everywhere_is_refused_and_not_lost():
    weights = progtf.lower(progtf.parse_program(TWO))
    more = weights.with_entries({"encoder / 1 layer 1 / head other / out": {("", "b"): 3.0}})
    assert progtf.compile(weights).run("x y") == "x: +a +2b | y: +4b"
    with pytest.raises(
        ValueError, match="head other / out: what a layer adds everywhere is one sum"
    ):
        Network(more)


# ------------------------------------------------------------------ sums

SIGNED = """
model:
  length: 4
semes:
  a: 0..100
  b: 0..100
  s: -100..100
lexicon:
  for n in 0..100:
    "{n}": +{n}a
layer next:
  head next:
    at: +1
    value: a>b
layer sign:
  feedforward:
    s: a when a >= b
    s: -a when a < b
output:
  for n in -100..100:
    "{n}": {2*n}s - {n*n}
"""


def test_one_column_adds_up_large_units_as_several_do():
    """The units of a staircase cancel in the order of the text, not in that of a gemv."""
    program = progtf.parse_program(SIGNED)
    texts = [f"{a} {b}" for a in range(0, 101, 10) for b in range(0, 101, 9)]
    assert progtf.compile(program).run(texts) == progtf.interpret(program).run(texts)
