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
torch.manual_seed(0)
model = {model}.eval()
source, target = torch.randint(2, 9, (3, 6)), torch.randint(2, 9, (3, 5))
source[1, 4:] = 1
whole = torch.compile(model, backend="eager", fullgraph=True)
torch.testing.assert_close(whole(source, target), model(source, target))
with torch.autocast("cpu", dtype=torch.bfloat16):
    logits = whole(source, target)
    torch.testing.assert_close(logits, model(source, target))
    assert logits.dtype == torch.bfloat16, logits.dtype
logits.float().sum().backward()
assert all(parameter.grad.isfinite().all() for parameter in model.parameters())
print("one graph")
"""
ROOT = Path(__file__).parents[2]
SHAPE = "Shape(9, d_model=8, d_ff=10, n_heads=2, n_encoder=1, n_decoder=1, max_length=7)"
MODELS = [f"TPTransformer({SHAPE})", f"Transformer({SHAPE})"]


def assert_one_graph(code):
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.stdout.strip() == "one graph", run.stderr


@pytest.mark.parametrize("model", MODELS, ids=["tp", "vanilla"])
def test_the_whole_model_is_one_graph(model):
    code = CHECK.format(model=model)
    assert_one_graph(code)


def test_a_stack_with_written_heads_is_one_graph():
    code = CHECK.format(model="tiny_model().float()").replace(
        "torch.manual_seed", "from tests.nn.models import tiny_model\ntorch.manual_seed"
    )
    assert_one_graph(code)
