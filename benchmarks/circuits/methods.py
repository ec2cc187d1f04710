"""Ways to find edges by experiment: from a wired model to a score for every pair.

- `swapped`, `zeroed`, `noise`: path patching (Goldowsky-Dill et al. 2023). One writer at a time
  gets what it computes for another text, nothing, or normal noise of its own mean and spread; all
  others keep what they compute, so that only direct effects are left. The score is the largest
  change of what the reader reads.
- `activation`: activation patching. One writer gets what it computes for another text, and all
  that follows from it is computed anew.
- `attribution`: edge attribution patching (Syed et al. 2023). The change of `swapped` to first
  order, times the gradient of the answer's lead by what the reader reads.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks.circuits.wired import Change, Place, Wired

Scores = dict[tuple[str, str], float]
SMALL = 1e-4
"""Changes that rounding makes."""
STEP = 1e-6
"""Of a change, for its derivative: programs are linear piece by piece."""


def other_text(own: Tensor) -> Tensor:
    """What is computed for the text before."""
    return own.roll(1, 0)


def nothing(own: Tensor) -> Tensor:
    """Zero."""
    return torch.zeros_like(own)


def noise(own: Tensor) -> Tensor:
    """Normal noise with the mean and the spread of each number."""
    drawn = torch.randn(own.shape, generator=torch.Generator().manual_seed(1), dtype=own.dtype)
    flat = own.flatten(0, -2)
    return flat.mean(0) + flat.std(0) * drawn


def path(change: Change) -> Callable[[Wired], Scores]:
    """Path patching with a change."""

    def scores(wired: Wired) -> Scores:
        effects = {writer: wired.effects(wired.direct(writer, change)) for writer in wired.writes}
        return {(a, b): effects[a][b] for a, b in wired.pairs()}

    return scores


def activation(wired: Wired) -> Scores:
    """Activation patching with what is computed for another text."""
    effects = {writer: wired.effects(wired.total(writer, other_text)) for writer in wired.writes}
    return {(a, b): effects[a][b] for a, b in wired.pairs()}


def attribution(wired: Wired) -> Scores:
    """Edge attribution patching with what is computed for another text."""
    gradients, found = wired.gradients(), dict[str, dict[str, float]]()
    for writer in wired.writes:
        seen = wired.direct(writer, lambda own: own + STEP * (other_text(own) - own))
        found[writer] = {
            reader: abs(sum(_along(wired, seen, gradients, place) for place in places))
            for reader, places in wired.reads.items()
        }
    return {(a, b): found[a][b] for a, b in wired.pairs()}


def _along(
    wired: Wired, seen: dict[str, Tensor], gradients: dict[str, Tensor], place: Place
) -> float:
    change = (wired.part(seen, place) - wired.part(wired.clean, place)) / STEP
    return float((change * wired.part(gradients, place)).sum())


CHANGES: dict[str, Change] = {"swapped": other_text, "zeroed": nothing, "noise": noise}
METHODS: dict[str, Callable[[Wired], Scores]] = {
    **{name: path(change) for name, change in CHANGES.items()},
    "activation": activation,
    "attribution": attribution,
}
