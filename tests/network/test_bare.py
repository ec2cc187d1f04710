"""Blocks that nobody watches compute what their modules do, bit by bit."""

from contextlib import nullcontext

import pytest
import torch

import progtf
from progtf.nn import Block
from tests.programs import PROGRAMS, loaded

CHOSEN = ("add_or_sub", "mul", "sort", "pair", "rpn", "stack", "scan")
SOME = [
    path
    for path in PROGRAMS
    if path.stem in CHOSEN and path.parent.name in ("math", "algorithms", "language")
]


@pytest.fixture
def stripped(monkeypatch):
    """Which blocks were computed without their modules."""
    found = set[Block]()
    bare = Block.bare

    def seen(self, residual):
        own = bare(self, residual)
        found.update([self] * (own is not None))
        return own

    monkeypatch.setattr(Block, "bare", seen)
    return found


def computed(model, texts, *, sure):
    """What the network gives for some texts; ``sure``: while it is known not to change."""
    source = model.batch(model.read(texts))
    written = model.embedded(model.output_ids[:9]).expand(len(texts), -1)
    parts = model.network.encoder_decoder(model.pad)
    with torch.no_grad(), model._unchanged.during(model.network) if sure else nullcontext():
        memory, real = parts.encode(source)
        state = parts.begin(parts.decoder.recalls(memory, real))
        first, state = parts.go_on(written[:, :4], state)
        then, _ = parts.go_on(written[:, 4:], state)
    return memory, first, then


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
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
        assert all(map(torch.equal, found, expected))
        stripped.clear()


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
    model = progtf.compile(loaded(SOME[0]))
    text = loaded(SOME[0]).examples[0].input
    before = model.answers([text])[0].gap
    (group,) = model.network.decoder.blocks[-1].cross.layer
    group.out.weight.mul_(2.0)
    assert model.answers([text])[0].gap != before
    assert stripped
