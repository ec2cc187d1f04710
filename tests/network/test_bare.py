"""Blocks that nobody watches compute what their modules do.

On some processors bit by bit; on others dense products are added up in another order where numbers
lie otherwise.
"""

from contextlib import nullcontext

import pytest
import torch

import progtf
from progtf.nn import Affine
from progtf.nn.bare import Bare
from tests.programs import PROGRAMS, loaded

CHOSEN = ("add_or_sub", "mul", "sort", "pair", "rpn", "stack", "scan")
SOME = [
    path
    for path in PROGRAMS
    if path.stem in CHOSEN and path.parent.name in ("math", "algorithms", "language")
]


@pytest.fixture
def stripped(monkeypatch):
    """The blocks that were computed without their modules."""
    found: list[Bare] = []
    change = Bare.change

    def seen(self, *given):
        found.append(self)
        return change(self, *given)

    monkeypatch.setattr(Bare, "change", seen)
    return found


def computed(model, texts, *, sure):
    """What the network gives for some texts; ``sure``: while it is known not to change."""
    source = model.batch(model.read(texts))
    written = model.embedded(model.output_ids[:9]).expand(len(texts), -1)
    with torch.no_grad(), model._answers() if sure else nullcontext():
        parts = (model.at_work if sure else model.network).encoder_decoder(model.pad)
        memory, real = parts.encode(source)
        state = parts.begin(parts.decoder.recalls(memory, real))
        first, state = parts.go_on(written[:, :4], state)
        then, _ = parts.go_on(written[:, 4:], state)
    return memory, first, then


def same_to_a_rounding(found, expected):
    """Whether they lie a few roundings apart, of the largest number that a column has."""
    pairs = zip(found, expected, strict=True)
    allowed = [4 * torch.finfo(each.dtype).eps * each.abs().amax((0, 1)) for each in expected]
    apart = [(one - other).abs().amax((0, 1)) for one, other in pairs]
    return all((a <= b).all() for a, b in zip(apart, allowed, strict=True))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_without_their_modules_they_compute_the_same(path, dtype, stripped):
    program = loaded(path)
    model = progtf.compile(program).stored_as(dtype)
    for count in (1, 4):
        texts = [example.input for example in program.examples[:count]]
        expected = computed(model, texts, sure=False)
        assert not stripped
        found = computed(model, texts, sure=True)
        assert len(stripped) > len(model.network.decoder.blocks)
        assert same_to_a_rounding(found, expected)
        stripped.clear()


def test_narrow_weights_are_widened_by_their_modules(stripped):
    program = loaded(SOME[0])
    model = progtf.compile(program).stored_as("bfloat16")
    texts = [example.input for example in program.examples[:2]]
    expected = computed(model, texts, sure=False)
    assert all(map(torch.equal, computed(model, texts, sure=True), expected))
    assert not stripped


def test_who_watches_is_told(stripped):
    model = progtf.compile(loaded(SOME[0]))
    text = loaded(SOME[0]).examples[0].input
    expected, seen = model.run(text), []
    assert stripped
    stripped.clear()
    part = model.network.encoder.blocks[0].feed_forward.layer
    handle = part.register_forward_hook(lambda *given: seen.append(given))
    assert model.run(text) == expected
    assert seen
    assert not stripped
    handle.remove()
    model.run(text)
    assert stripped


@torch.no_grad()
def test_numbers_that_are_changed_are_multiplied(stripped):
    program = loaded(SOME[0])
    model = progtf.compile(program)
    texts = [example.input for example in program.examples[:2]]
    before = computed(model, texts, sure=True)
    for stack in (model.network.encoder, model.network.decoder):
        for part in stack.modules():
            if isinstance(part, Affine):
                part.weight.mul_(1.25)
    after = computed(model, texts, sure=True)
    assert all(map(torch.equal, after, computed(model, texts, sure=False)))
    assert not torch.equal(after[0], before[0])
    assert stripped


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_autocast_changes_no_answer(path):
    program = loaded(path)
    model = progtf.compile(program).stored_as("float32")
    texts = [example.input for example in program.examples[:3]]
    expected = model.run(texts)
    with torch.autocast("cpu", torch.bfloat16):
        assert model.run(texts) == expected
