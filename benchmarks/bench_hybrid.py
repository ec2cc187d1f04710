"""What masks cost: a training step of a hybrid beside the same network without them.

With masks, every written entry but the addresses' is trained and all other weights of the written
part are fixed; without masks every weight is trained. The usual hybrid has its written part fixed
as a whole.
"""

from functools import partial
from pathlib import Path

import torch
from progtf.compiler.free import FreeGroup, entries_of_mode, free_entries, let_gradients_pass
from torch.nn import functional

import progtf
from benchmarks.timing import interleaved, one_thread, table
from progtf.network.model import Model
from progtf.training.initialise import initialise_learned

PROGRAM = Path(__file__).parents[1] / "examples" / "hybrid" / "place_value.seme"
BASE, BATCH, ROUNDS = "without masks", 64, 21
QUESTION, ANSWER = "What is the hundred thousands digit of 56168856?", "1"


def hybrid(mode: str) -> Model:
    """The program with masks, without, or with its written part fixed."""
    model = progtf.compile(progtf.load(PROGRAM))
    initialise_learned(model, seed=1)
    model.requires_grad_()
    if mode != BASE:
        marks = tuple(entries_of_mode(model, (), "values")) if mode == "with masks" else ()
        free_entries(model, [FreeGroup((), marks, 1e-4)], seed=1)
    let_gradients_pass(model, passing=mode != "written part fixed")
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


def main() -> None:
    one_thread()
    steps = {}
    for mode in (BASE, "with masks", "written part fixed"):
        model = hybrid(mode)
        trained = [p for p in model.parameters() if p.requires_grad]
        steps[mode] = partial(step, model, torch.optim.Adam(trained, fused=True))
    table(f"training step of a hybrid, batch {BATCH}", interleaved(steps, ROUNDS), BASE)


if __name__ == "__main__":
    main()
