"""A graph compiler sees each model whole: no break, the same numbers, under autocast too.

In a process of its own, since run-time checks of shapes are not what one compiles.
"""

import subprocess
import sys
from pathlib import Path

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


def test_learned_and_written_models_are_one_graph_each():
    run = subprocess.run(
        [sys.executable, "-c", CHECK],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == "one graph each", run.stderr
