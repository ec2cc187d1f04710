"""A graph compiler sees each model whole: no break, the same numbers, under autocast too.

In a process of its own, since run-time checks of shapes are not what one compiles.
"""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = """
import torch
from progtf.nn import Shape, TPTransformer, Transformer
from tests.nn.models import tiny_model

shape = Shape(9, d_model=8, d_ff=10, n_heads=2, n_encoder=1, n_decoder=1, max_length=7)
source, target = torch.randint(2, 9, (3, 6)), torch.randint(2, 9, (3, 5))
source[1, 4:] = 1
for model in (TPTransformer(shape), Transformer(shape), tiny_model().float()):
    model.eval()
    whole = torch.compile(model, backend="eager", fullgraph=True)
    torch.testing.assert_close(whole(source, target), model(source, target))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = whole(source, target)
        torch.testing.assert_close(logits, model(source, target))
    assert logits.dtype == torch.bfloat16, logits.dtype
    logits.float().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())
print("one graph each")
"""

LOOPS = """
import torch
from progtf import compile, parse_program
from tests.network.test_decoder_loops import remainders
from tests.network.test_loops import euclid

model = compile(parse_program(euclid(7)), "float64")
ids = model.batch([["12", "18"], ["7", "60"], ["5", "5"], ["9"]])
encode = lambda ids: model.network.encode(ids, model.pad)
whole = torch.compile(encode, backend="eager", fullgraph=True)
assert torch.equal(whole(ids)[ids != model.pad], encode(ids)[ids != model.pad])
other = compile(parse_program(remainders(7)), "float64")
numbers = other.batch([["12", "18", "3"], ["7", "60"], ["50", "5", "5"], ["9"]])
parts = other.network.encoder_decoder(other.pad)
decode = lambda ids: parts.decode(ids, None, None)
whole = torch.compile(decode, backend="eager", fullgraph=True)
there = numbers != other.pad
assert torch.equal(whole(numbers)[there], decode(numbers)[there])
print("one graph each")
"""


@pytest.mark.long
@pytest.mark.parametrize("check", [CHECK, LOOPS], ids=["models", "loops"])
def test_a_model_or_loop_is_one_graph(check):
    run = subprocess.run(
        [sys.executable, "-c", check],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.split("\n") == ["one graph each", ""], run.stderr
