"""Written and learned parts in one network: marks, learned heads, mixed heads."""

import re

import numpy as np
import pytest
import torch

from progtf import compile, decompile, load_model, lower  # noqa: A004
from progtf import save_model as save
from progtf.building.load import parse_program
from progtf.network.free import draw_marked
from progtf.network.learned_lines import learned_lines
from progtf.notation.format import format_text
from progtf.running.interpret import answer
from progtf.training import begin, trainable
from progtf.weights.marking import FreeGroup, group_of_mode, with_groups
from tests.programs import same

MARKED = """
model:
  norm: split
semes: a b c d e

lexicon:
  x: +a, ~0.5b
  y: +b
  unknown: 0

layer one:
  head copies:
    at: -1
    value: a>c, ~2b>c, ?a>d
    role: ~0.5a>d, d
  head points:
    at: -1
    value: ?
    role: ?
  head asks:
    query: ?
    key: a>f, b>g
    value: ?12
  feedforward:
    mat1: a>u, ~-0.5b>u
    bias1: ~0.25u
    mat2: ?u>e

learn:
  semes: 12
  reads: a, c
  tokens: "kl"
  encoder: layers 1..2 heads 3 filter 8
"""


def fill(model, *, scale=0.3, seed=0):
    """Random numbers for everything that is not written."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in model.network.named_parameters():
            if is_learned(model, name):
                tensor.copy_(torch.randn(tensor.shape, generator=generator) * scale)
    return model


def is_learned(model, name):
    return name in model.network.drawn


def test_marks_are_read_formatted_and_decompiled():
    assert format_text(MARKED) == format_text(format_text(MARKED))
    model = compile(parse_program(MARKED))
    text = decompile(model)
    again = compile(parse_program(text))
    assert dict(model.weights.maps) == dict(again.weights.maps)
    marks = [mark for each in model.weights.maps.values() for mark in each.marked.values()]
    assert set(marks) == {"~", "?"}
    for shown in ("~2b>c", "?a>d", "~0.5b", "~-0.5b>u", "?u>e", "value: ?12", "role: ?"):
        assert shown in text


def test_what_reads_nothing_is_decompiled():
    model = compile(parse_program(MARKED.replace("reads: a, c", "reads: 0")))
    assert "reads: 0" in decompile(model)
    assert compile(parse_program(decompile(model))).layout.learn == model.layout.learn


def test_a_hybrid_survives_a_folder(tmp_path):
    model = fill(compile(parse_program(MARKED)))
    save(model, tmp_path)
    assert model.weights.learned
    assert load_model(tmp_path).weights == model.weights


def test_with_no_learned_output_the_hybrid_is_its_program():
    program = parse_program(MARKED)
    for text in ("x y x", "y y x x k"):
        assert compile(program).run(text) == answer(program, text).text


@pytest.mark.parametrize("norm", ["layer", "round"])
def test_no_norm_changes_what_the_last_layer_has_written(norm):
    text = MARKED.replace("norm: split", f"norm: {norm}").replace("+b", "+0.7b")
    written = text.replace("~", "").partition("learn:")[0].replace("?a>d", "0a>d")
    written = written.replace("?u>e", "0u>e")
    written = re.sub(r"  head (points|asks):\n(    .*\n)+", "", written)
    model, plain = (compile(parse_program(t), "float64") for t in (text, written))
    source = model.batch([list("xyx")])
    ours, theirs = model.residual(source)[..., : plain.layout.width], plain.residual(source)
    assert torch.allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("marked", ["+a, ~0.5b", "+a, 0.5b"])
def test_every_weight_keeps_its_format_in_training(tmp_path, marked):
    text = MARKED.replace("+a, ~0.5b", marked).replace("at: -1", "at: -1\n    else: 0 below 1.3")
    model = fill(compile(parse_program(text), "bfloat16"), scale=0.123)
    trainable(model)
    save(model, tmp_path)
    before, after = model.network, load_model(tmp_path).network
    assert after.embedding.vectors.dtype == torch.bfloat16
    assert torch.equal(before.embedding.learned.table, after.embedding.learned.table)
    nulls = [
        [
            heads.pattern.null_score
            for group in network.encoder.blocks[0].attention.layer
            for heads in group
            if hasattr(heads.pattern, "null_score")
        ]
        for network in (before, after)
    ]
    assert nulls[0]
    assert all(torch.equal(one, other) for one, other in zip(*nulls, strict=True))


def test_the_bias_of_an_outer_product_can_be_trained():
    text = "model:\n  binding: outer\nsemes: a b\nlexicon:\n  x: +a\nlayer:\n  head:\n"
    weights = lower(parse_program(text + "    look: self\n    value: a>f\n    out: f>b, +2a\n"))
    free = compile(with_groups(weights, [group_of_mode(weights, (), "values", 1e-3)]))
    assert free.weights["encoder / 1 layer 1 / head / out"].marked == {("", "a"): "~"}
    assert same(free.weights, lower(parse_program(decompile(weights))))


def test_what_is_learned_changes_no_written_seme():
    program = parse_program(MARKED)
    bare, full = compile(program), fill(compile(program), scale=3.0)
    source = full.batch([list("xyxkl"), list("yxx")])
    with torch.no_grad():
        before, after = bare.residual(source), full.residual(source)
    assert torch.equal(before[..., : bare.layout.width], after[..., : bare.layout.width])
    assert not torch.equal(before, after)


def test_without_protection_learned_parts_write_to_semes():
    program = parse_program(MARKED + "  protect: no\n")
    bare, full = compile(program), fill(compile(program), scale=3.0)
    source = full.batch([list("xyxkl")])
    with torch.no_grad():
        before, after = bare.residual(source), full.residual(source)
    assert not torch.equal(before[..., :5], after[..., :5])


def test_without_protection_a_hybrid_still_begins_as_its_program():
    program = MARKED.replace("  reads:", "  protect: no\n  reads:")
    written = compile(parse_program(program))
    begun = begin(compile(parse_program(program)), seed=1)
    n_semes = written.layout.semes
    source = written.batch([["x", "y", "x"]])
    before, after = (model.residual(source)[..., :n_semes] for model in (written, begun))
    assert torch.equal(before, after)


def test_only_marked_entries_become_parameters():
    model = compile(parse_program(MARKED))
    marked = sum(len(each.marked) for each in model.weights.maps.values())
    free = {n: p for n, p in model.network.named_parameters() if n not in model.network.drawn}
    assert sum(parameter.numel() for parameter in free.values()) == marked
    assert all(name.endswith(".original") for name in free)
    assert "embedding.parametrizations.vectors.original" in free


def test_learned_entries_begin_at_random_and_initialised_ones_as_written():
    model = compile(parse_program(MARKED))
    draw_marked(model.network.held, seed=1)
    text = decompile(model)
    assert "~2b>c" in text
    assert "?a>d" not in text  # it has a number now, and is trained from it


def test_a_trained_entry_is_found_at_its_name():
    weights = lower(parse_program(MARKED))
    value = weights["encoder / 1 one / head copies / value"]
    codes = np.array([name == ("a", "c") for name in value.names], dtype=np.uint8)
    model = compile(with_groups(weights, [FreeGroup((), {value.key: codes}, 1e-3)]))
    learned = set(model.network.drawn)
    (name,) = {name for name, _ in model.network.named_parameters()} - learned
    with torch.no_grad():
        model.network.get_parameter(name).fill_(7.0)
    assert "~7a>c" in decompile(model)


def test_large_learned_weights_are_told_by_name():
    model = compile(parse_program(MARKED))
    assert list(learned_lines(model.network, 0.0)) == []
    heads = model.network.encoder.blocks[1].attention.layer.groups[0]
    with torch.no_grad():
        heads.src.weight[1, 2] = -0.75  # reads the second of `reads: a, c`
    assert list(learned_lines(model.network, 0.5)) == [
        "encoder / layer 2 / attention 1 / key and value: -0.75c>key[2]"
    ]
    assert list(learned_lines(model.network, 0.8)) == []
