"""`torch.export` with batch and length dynamic: one graph answers as the module does.

In a process of its own, since run-time checks of shapes are not what one exports.
"""

import subprocess
import sys

import pytest

from tests.programs import PROGRAMS, ROOT

CHECK = """
import sys
from pathlib import Path
import torch
from torch.export import Dim, export
import progtf
from progtf.training import begin

path, written = Path(sys.argv[1]), sys.argv[2]
program = progtf.load(str(path))
model = progtf.compile(program, written)
if program.learn is not None:
    model = begin(model, seed=1)
model.eval()
layout, draw = model.layout, torch.Generator().manual_seed(7)
rows = len(layout.lexicon) + 1
def ids(texts, length, most):
    return torch.randint(0, most, (texts, length), generator=draw)
def given(texts, length, written):
    if layout.takes_vectors:
        wide = ids(texts * length, len(layout.names), 5).view(texts, length, -1)
        return (wide.to(torch.float32),)
    source = ids(texts, length, rows)
    if texts > 1 and length > 1:
        source[-1, length // 2 :] = model.pad
    if layout.kind == "decoder":
        return source, source
    if layout.kind == "seq2seq":
        return source, model.output_ids[ids(texts, written, len(model.output_ids))]
    return (source,)
both = {0: Dim.DYNAMIC, 1: Dim.DYNAMIC}
traced = given(3, 5, 4)
with torch.no_grad():
    graph = export(model, traced, dynamic_shapes=tuple(both for _ in traced)).module()
tried = bits = 0
for texts in (1, 2, 4, 7):
    for length, written in ((1, 1), (2, 3), (6, 1), (9, 5), (17, 4)):
        if length > layout.longest:
            continue
        inputs = given(texts, length, written)
        there = ... if layout.takes_vectors else inputs[-1] != model.pad
        for grad in (False, True):
            with torch.set_grad_enabled(grad):
                own, found = model(*inputs), graph(*inputs)
            assert own.shape == found.shape, (own.shape, found.shape)
            own, found = own[there].detach(), found[there].detach()
            tried, bits = tried + 1, bits + torch.equal(own, found)
            torch.testing.assert_close(found, own, rtol=1e-5, atol=1e-5)
            if layout.writes:
                best = own.topk(2, dim=-1)
                sure = best.values[..., 0] - best.values[..., 1] > 1e-3
                assert torch.equal(found.argmax(-1)[sure], best.indices[..., 0][sure])
print("the same", tried, bits)
"""

EXPORTED = {
    "attention_with_positions": "encoder", "clocks": "encoder with clocks", "roles": "roles",
    "a_or_an": "classifier", "nearest_noun": "looks", "polite_requests": "classifier",
    "reverse": "algorithm", "hist": "softmax", "continue_pattern": "decoder",
    "repeats": "decoder", "say_digit": "learned",
    "tags": "learned heads", "shared_coins": "over readers", "times": "products",
    "with_roles": "bound", "dense_layer": "vectors", "any_fruit": "vectors",
    "place_value": "writes", "remainders": "rounds",
}  # fmt: skip
PATHS = {
    path.stem: path for path in PROGRAMS if path.stem in EXPORTED and "hybrid" not in path.parts
}
PATHS |= {path.stem: path for path in PROGRAMS if path.stem in ("say_digit", "tags")}
QUICK = ("a_or_an", "continue_pattern")


def checked(*arguments, code=CHECK):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "stem", [pytest.param(s, marks=[] if s in QUICK else pytest.mark.long) for s in EXPORTED]
)
def test_one_exported_graph_answers_as_the_module_for_any_batch_and_length(stem):
    run = checked(str(PATHS[stem]), "float32")
    assert run.stdout.startswith("the same"), run.stderr


RECURRENT = """
import torch
from torch.export import Dim, export
import progtf

model = progtf.compile(progtf.load("examples/article/sentiment.seme"), "float32")
ids = torch.randint(0, len(model.layout.lexicon), (3, 5))
try:
    export(model, (ids,), dynamic_shapes=({0: Dim.DYNAMIC, 1: Dim.DYNAMIC},))
except ValueError as error:
    print(error)
graph = export(model, (ids,), dynamic_shapes=({0: Dim.DYNAMIC},)).module()
for texts in (1, 2, 5, 8):
    other = torch.randint(0, len(model.layout.lexicon), (texts, 5))
    assert torch.equal(graph(other), model(other))
print("the same")
"""


def test_a_recurrent_network_says_that_its_length_is_one_and_is_exported_for_any_batch():
    run = checked(code=RECURRENT)
    first, *rest = run.stdout.splitlines() or [run.stderr]
    assert "from state to state, so that a graph has one length" in first, run.stderr
    assert rest == ["the same"], run.stderr
