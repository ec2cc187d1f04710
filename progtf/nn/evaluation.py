"""Exact match by teacher forcing, and decoding of many questions in a cheap order."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from progtf.nn.decoding import PUBLISHED_SYMBOLS, Decodable, greedy

Source = Int[Tensor, "batch src"]
Target = Int[Tensor, "batch step"]
Forced = Callable[[Source, Target], Float[Tensor, "batch step symbol"]]
"""A model that gives the logits of the symbol after each target position."""


@torch.no_grad()
def exact_match(
    model: Forced, source: Source, target: Target, pad: int = 1
) -> Bool[Tensor, " batch"]:
    """Whether every symbol after the start, with the end symbol, would be the likeliest.

    One pass gives the verdict of greedy decoding: up to the first mistake both are fed the same.
    The model must be in evaluation mode. ``target`` has its start and end symbols.
    """
    due = target[:, 1:]
    likeliest = model(source, target[:, :-1]).argmax(dim=-1)
    return ((likeliest == due) | (due == pad)).all(dim=-1)


def pad_rows(rows: Sequence[Sequence[int]], pad: int = 1) -> Int[Tensor, "batch longest"]:
    """Rows of ids as one tensor, padded at the end."""
    longest = max(map(len, rows), default=0)
    return torch.tensor(
        [[*row, *[pad] * (longest - len(row))] for row in rows], dtype=torch.long, device="cpu"
    )


def answer_all(
    model: Decodable, sources: Sequence[Sequence[int]], n_steps: int, batch_size: int = 128
) -> list[list[int]]:
    """Greedy answers to all sources, in their order, without start symbol and padding.

    Batches are of like length, so that little is padded; finished rows are dropped.
    """
    answers: list[list[int]] = [[] for _ in sources]
    by_length = sorted(range(len(sources)), key=lambda number: len(sources[number]))
    for first in range(0, len(by_length), batch_size):
        batch = by_length[first : first + batch_size]
        tokens = greedy(model, pad_rows([sources[number] for number in batch]), n_steps)
        for number, answer in zip(batch, tokens.tolist(), strict=True):
            end = PUBLISHED_SYMBOLS.end
            answers[number] = answer[: answer.index(end) + 1] if end in answer else answer
    return answers
