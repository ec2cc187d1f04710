"""What heads keep of a state, and what the whole product keeps that a Hadamard one does not.

    python -m benchmarks.roles.probes FOLDER

FOLDER is that of `benchmarks.roles`, whose networks are read; the one that binds by the whole
product is trained first. What was found is added to ``docs/experiments/learned.json``; a row that
is there is not measured again.

- Section 6.1 of Schlag et al. 2019: an affine map from one head's value of a state back to the
  state. R² is counted on questions by which it was not fitted.
- Appendix A.2: of v ⊗ r as many directions are kept as roles have numbers: of all directions, of
  products of rank one next to these, of products of principal directions, and of those in pairs.
"""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from numpy.typing import NDArray

from benchmarks.roles.__main__ import ROOT, trained
from benchmarks.roles.questions import write_questions
from benchmarks.rows import add_row, read_rows
from progtf.analysis.coordinates import explained, regressed
from progtf.training.networks import LearnedModel

Array = NDArray[np.float64]
FOUND = ROOT / "docs" / "experiments" / "learned.json"
NETWORKS = [*product(("tp", "transformer"), (1, 2, 3)), ("outer", 1)]
QUESTIONS = 300
LAST = "encoder.blocks.1"
RIDGE = 1e-6


def main(folder: Annotated[Path, typer.Argument(resolve_path=True)]) -> None:
    """Prints what was found, and adds it."""
    torch.set_num_threads(1)
    there = {(r["network"], r["seed"]) for r in read_rows(FOUND)}
    write_questions(folder / "data")
    lines = (folder / "data" / "interpolate" / "fractions.txt").read_text().splitlines()[::2]
    for name, seed in (each for each in NETWORKS if each not in there):
        kind, binding = ("tp", "outer") if name == "outer" else (name, "hadamard")
        model = LearnedModel.load(trained(folder, kind, seed, binding)[0])
        row = {"network": name, "seed": seed, **kept(model, lines[:QUESTIONS])}
        if binding == "outer":
            row["A.2"] = pairing(model, lines[:QUESTIONS])
        add_row(FOUND, row)
        print(json.dumps(row), flush=True)


def kept(model: LearnedModel, questions: list[str]) -> dict[str, Any]:
    """Section 6.1: how well a state is told from the value that one head makes of it."""
    state = f"{LAST}.hook_resid_post"
    values = [f"decoder.blocks.{n}.cross.hook_v" for n in (0, 1)]
    found: list[tuple[float, float]] = []
    states, *each = _rows(model, questions, state, *values)
    half = len(states) // 2  # positions are in the order of questions
    for heads in each:
        for head in range(heads.shape[1]):
            slopes, base = regressed(heads[:half, head], states[:half], RIDGE)
            told = heads[half:, head] @ slopes + base
            error = float(np.square(told - states[half:]).mean())
            found.append((float(np.nanmean(explained(states[half:], told))), error))
    scores, errors = zip(*found, strict=True)
    return {"6.1": {"R2": _spread(scores), "MSE": _spread(errors)}}


def _spread(numbers: Any) -> list[float]:
    return [round(float(each), 3) for each in (np.mean(numbers), min(numbers), max(numbers))]


def _rows(model: LearnedModel, questions: list[str], *names: str) -> Iterator[Array]:
    """What stands at points, at the characters of questions one after another."""
    _, cache = model.run_with_cache(questions, names)
    for name in names:
        rows = cache[name].double().numpy()
        yield np.concatenate([rows[n, 1 : 1 + len(text)] for n, text in enumerate(questions)])


def pairing(model: LearnedModel, questions: list[str]) -> dict[str, list[float]]:
    """Appendix A.2: the share of the variance of v ⊗ r that is kept, by head."""
    found: dict[str, list[float]] = {}
    for block in (0, 1):
        path = f"encoder.blocks.{block}.attn"
        fillers, roles = _rows(model, questions, f"{path}.hook_z", f"{path}.hook_role")
        for head in range(fillers.shape[1]):
            for name, share in _shares(fillers[:, head], roles[:, head]).items():
                found.setdefault(name, []).append(round(share, 3))
    return found


def _shares(filler: Array, role: Array) -> dict[str, float]:
    role = role[:, : np.flatnonzero(np.abs(role).sum(axis=0))[-1] + 1]  # filled up with 0
    count, product = role.shape[1], np.einsum("pv,pr->pvr", filler, role).reshape(len(role), -1)
    across = np.cov(product, rowvar=False)
    _, directions = np.linalg.eigh(across)
    best = directions[:, ::-1][:, :count]
    rank_one = np.stack([_nearest(each, count) for each in best.T], axis=1)
    m, n = (np.linalg.svd(each, full_matrices=False)[2] for each in (filler, role))
    products = np.einsum("iv,jr->ijvr", m, n).reshape(len(m), len(n), -1)
    every = products.reshape(-1, products.shape[-1])
    strong = np.argsort(-np.einsum("pd,de,pe->p", every, across, every))[:count]
    pairs = np.stack([products[c, c] for c in range(min(count, len(m)))])
    parts = {"all": best, "rank one": rank_one, "unpaired": every[strong].T, "paired": pairs.T}
    return {name: _share(across, part) for name, part in parts.items()}


def _nearest(direction: Array, roles: int) -> Array:
    """The product of two vectors that is nearest to a direction."""
    left, _, right = np.linalg.svd(direction.reshape(-1, roles), full_matrices=False)
    return np.outer(left[:, 0], right[0]).ravel()


def _share(across: Array, part: Array) -> float:
    basis = np.linalg.qr(part)[0]
    return float(np.trace(basis.T @ across @ basis) / np.trace(across))


if __name__ == "__main__":
    typer.run(main)
