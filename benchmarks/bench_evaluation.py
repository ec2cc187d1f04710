"""Evaluating 10,000 real questions: sorted by length and dropped when done, or neither.

The model is untrained, so the true answers are dictated: every step is computed in full, but the
symbol that follows is the true one. Rows are then done when a perfect model's would be.
"""

from collections.abc import Iterator
from functools import partial

import torch

from benchmarks import questions
from benchmarks.figures import Found, Missing
from benchmarks.published import missing
from benchmarks.reference import SMALL
from benchmarks.timing import interleaved, one_thread, ratios
from progtf.nn import Shape, Transformer, answer_all, exact_match, greedy, pad_rows

LONG = True
N_QUESTIONS, BATCH, N_STEPS, ROUNDS = 10_000, 128, 31, 3
NEITHER = "in the given order, no row dropped"


class Dictated:
    """A model whose every answer is the true one; sources are told apart by their symbols."""

    def __init__(self, model, sources, targets):
        self.model = model
        self.targets = {tuple(s): t[1:] for s, t in zip(sources, targets, strict=True)}

    def start(self, source):
        rows = [tuple(symbol for symbol in row if symbol != 1) for row in source.tolist()]
        answers = [self.targets[row] + [3] * N_STEPS for row in rows]
        return torch.tensor([answer[:N_STEPS] for answer in answers]), self.model.start(source)

    def step(self, tokens, state):
        answers, inner = state
        logits, inner = self.model.step(tokens, inner)
        due = answers[:, inner.position - 1]
        return logits.scatter(1, due[:, None], torch.inf), (answers, inner)


def as_they_come(model, sources):
    """Batches in the given order, every row to the last step that any of its batch needs."""
    for first in range(0, len(sources), BATCH):
        greedy(model, pad_rows(sources[first : first + BATCH]), N_STEPS, drop=False)


def forced(model, sources, targets):
    """Teacher-forced exact match, sorted by length: one pass and no decoding."""
    order = sorted(range(len(sources)), key=lambda row: (len(sources[row]), len(targets[row])))
    for first in range(0, len(order), BATCH):
        rows = order[first : first + BATCH]
        exact_match(
            model, pad_rows([sources[r] for r in rows]), pad_rows([targets[r] for r in rows])
        )


def figures() -> Iterator[Found]:
    """What sorting and dropping save."""
    if questions.folder() is None:
        yield Missing(missing("math"))
        return
    one_thread()
    sources, targets, n_symbols = questions.load(N_QUESTIONS)
    shape = Shape(n_symbols, SMALL.d_model, SMALL.d_ff, SMALL.n_heads, 3, 3)
    model = Transformer(shape).eval()
    dictated = Dictated(model, sources, targets)
    runs = {
        NEITHER: partial(as_they_come, dictated, sources),
        "sorted by length, dropped when done": partial(
            answer_all, dictated, sources, N_STEPS, BATCH
        ),
        "teacher-forced exact match, sorted": partial(forced, model, sources, targets),
    }
    title = f"{len(sources)} questions, width 256"
    yield from ratios(title, interleaved(runs, ROUNDS, warm_up=0), NEITHER)
