"""What a hybrid costs: a training step with some of its written entries trained, or all, or none.

With some, every written entry but the addresses' is trained. The usual hybrid has its written part
fixed as a whole.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from torch.nn import functional

import progtf
from benchmarks.figures import Figure
from benchmarks.timing import interleaved, one_thread, ratios
from progtf.network.model import Model
from progtf.training import begin, trainable
from progtf.weights.marking import group_of_mode, with_groups

PROGRAM = Path(__file__).parents[1] / "examples" / "hybrid" / "place_value.seme"
BASE, BATCH, ROUNDS = "all entries trained", 64, 21
QUESTION, ANSWER = "What is the hundred thousands digit of 56168856?", "1"


def hybrid(mode: str) -> Model:
    """The program with all entries trained, some, or none."""
    weights, fields = progtf.lower(progtf.load(PROGRAM)), {BASE: "all", "values trained": "values"}
    groups = [group_of_mode(weights, (), fields[mode], 1e-4)] if mode in fields else []
    model = begin(progtf.compile(with_groups(weights, groups)))
    trainable(model)
    return model.train()


def step(model: Model, optimiser: torch.optim.Optimizer) -> None:
    """One step on a batch of questions of like length."""
    source = model.batch([["<bos>", *QUESTION, "<eos>"]] * BATCH)
    target = model.batch([["<bos>", ANSWER, "<eos>"]] * BATCH)
    columns = {int(number): column for column, number in enumerate(model.output_ids)}
    due = torch.tensor([[columns[int(t)] for t in row] for row in target[:, 1:]])
    optimiser.zero_grad()
    logits = model(source, model.embedded(target[:, :-1]))
    functional.cross_entropy(logits.flatten(0, 1), due.flatten()).backward()
    optimiser.step()


def figures() -> Iterator[Figure]:
    """Steps with more and more that stays."""
    one_thread()
    steps = {}
    for mode in (BASE, "values trained", "written part fixed"):
        model = hybrid(mode)
        trained = [p for p in model.parameters() if p.requires_grad]
        steps[mode] = partial(step, model, torch.optim.Adam(trained, fused=True))
    yield from ratios(f"training step, batch {BATCH}", interleaved(steps, ROUNDS), BASE)
