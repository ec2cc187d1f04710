"""Heads of learned networks in semes, and probes of their residuals."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.heads.tasks import HELD_OUT, Network, compiled
from progtf.analysis.heads import Decompiled
from progtf.analysis.probes import probed
from progtf.data.problem import Problem
from progtf.network.model import Model
from progtf.training.config import Model as Settings
from progtf.training.heads import Head, decompile_heads
from progtf.training.networks import LearnedModel
from progtf.training.states import seen, semes_of
from progtf.training.subject import Learned, as_batch

Array = NDArray[np.float64]
BLOCKS = 2
PARTS = ("encoder {} attn", "decoder {} attn", "decoder {} cross")


def heads(network: Network) -> Iterator[dict[str, Any]]:
    """Every head in semes: what is explained, and what is won back."""
    model, (fitted, others) = network.load(), network.problems()
    held_out = others[:HELD_OUT]
    for part, block in product(PARTS, range(BLOCKS)):
        side, _, kind = part.split()
        program = compiled(network.task.reads if side == "encoder" else network.task.answers)
        heads = f"{side}.blocks.{block}.{kind}"
        every = decompile_heads(model, program, fitted, held_out, heads)
        for number, found in enumerate(every):
            yield {"heads": part.format(block), "head": number, **_row(found, held_out)}


def _row(found: Head, held_out: list[Problem]) -> dict[str, Any]:
    losses = {form: _loss(each, held_out) for form, each in found.networks.items()}
    return {
        "entries": entries(found.told),
        "explained": {form: round(each, 3) for form, each in found.explained.items()},
        "loss": {form: round(each, 5) for form, each in losses.items()},
        "recovered": {form: round(found.recovered(losses, form), 3) for form in found.explained},
    }


def entries(told: Decompiled) -> int:
    """How many there are in all maps."""
    return int(sum(np.count_nonzero(each.sure) for each in told.maps.values()))


@torch.no_grad()
def _loss(model: LearnedModel, problems: list[Problem]) -> float:
    batch = as_batch(problems, torch.device("cpu"), model.vocabulary)
    network: Any = model.network
    return Learned(network, Settings(kind="tp"), model.vocabulary).loss(*batch).item()


def probes(network: Network) -> Iterator[dict[str, Any]]:
    """Semes told of residuals by ridge, beside values drawn for characters."""
    model, (fitted, others) = network.load(), network.problems()
    some, program = fitted + others[:HELD_OUT], compiled(network.task.reads)
    points = [f"encoder.blocks.{block}.hook_resid_post" for block in range(BLOCKS)]
    for block, (_, rows) in enumerate(seen(model, points, some)):
        yield {"layer": block, **row_of_probes(rows, program, some, network.task.semes)}


def row_of_probes(
    rows: Array, program: Model, problems: list[Problem], shown: tuple[str, ...]
) -> dict[str, Any]:
    """The mean of all semes that vary, and some of them; fitted on the first half of texts."""
    number, names, semes = semes_of(program, problems)
    kinds = [one for text, _ in problems for one in ("<bos>", *text, "<eos>")]
    count = len(program.semes)
    told = probed(rows, semes[:, :count], names[:count], kinds, number < len(problems) // 2)
    every = {each.seme: each for each in told if not np.isnan(each.control)}
    scores = np.array([[each.explained, each.control] for each in every.values()])
    return {
        "counted": len(every), "mean": scores.mean(axis=0).round(3).tolist(),
        "least": round(float(scores[:, 0].min()), 3),
        "semes": {seme: [round(every[seme].explained, 3), round(every[seme].control, 3)]
                  for seme in shown if seme in every},
    }  # fmt: skip
