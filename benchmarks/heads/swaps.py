"""Interchange of subspaces in which semes are found, in networks that may not know of them."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import progtf
from benchmarks.heads.learned import BLOCKS
from benchmarks.heads.tasks import Network, compiled
from progtf.network.interchange import Subspace
from progtf.training.states import seen, semes_of

Array = NDArray[np.float64]
Labels = NDArray[np.str_]
MOST = 16
"""Dimensions of a subspace that is found digit by digit."""


def swaps(network: Network) -> Iterator[dict[str, Any]]:
    """How often a network answers as the program means, by seme, layer and subspace."""
    model, (fitted, others) = network.load(), network.problems()
    meaning, known = progtf.load(network.task.answers), compiled(network.task.answers)
    bases, sources = zip(*network.task.pairs([each.question for each in others]), strict=True)
    _, names, semes = semes_of(known, fitted)
    kinds = np.array([one for text, _ in fitted for one in ("<bos>", *text, "<eos>")])
    for seme, block in product(network.task.swapped, range(BLOCKS)):
        point = f"encoder.blocks.{block}.hook_resid_post"
        ((_, rows),) = seen(model, [point], fitted)
        for way, directions in ways(rows, semes[:, names.index(seme)], kinds).items():
            place = Subspace(point, torch.from_numpy(directions))
            found = progtf.interchange(model, meaning, bases, sources, seme, subspace=place)
            yield {
                "seme": seme, "layer": block, "subspace": way,
                "dimensions": directions.shape[1], "pairs": found.counted,
                "agreement": round(found.agreement, 3), "random": round(found.control, 3),
            }  # fmt: skip


def ways(rows: Array, values: Array, kinds: Labels) -> dict[str, Array]:
    """Orthonormal directions in which a seme is told, and in which residuals move with it."""
    classes = (values[:, None] == np.unique(values)).astype(float)
    centred, classes = rows - rows.mean(axis=0), classes - classes.mean(axis=0)
    across = centred.T @ centred
    ridge = 1e-4 * np.trace(across) / len(across) * np.eye(len(across))
    told = np.linalg.solve(across + ridge, centred.T @ classes)
    count = classes.shape[1] - 1  # they add up to 0
    found = {"probe": _span(told, count), "means": _span(centred.T @ classes, count)}
    return {**found, "digits": _by_digit(rows, values, kinds)}


def _by_digit(rows: Array, values: Array, kinds: Labels) -> Array:
    """Where the residual of a digit moves with a seme: the directions of most digits first."""
    moves: list[Array] = []
    for digit in "0123456789":
        here = kinds == digit
        groups = [rows[here & (values == each)] for each in np.unique(values[here])]
        means = [group.mean(axis=0) for group in groups]
        moves += [each - rows[here].mean(axis=0) for each in means if len(means) > 1]
    every = np.array(moves).T
    return _span(every, min(MOST, np.linalg.matrix_rank(every)))


def _span(directions: Array, count: int) -> Array:
    return np.linalg.svd(directions, full_matrices=False)[0][:, :count]
