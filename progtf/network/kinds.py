"""Texts parted by what they ask for, each kind answered by the part of the network that it needs.

A program that uses others `when` a flag is up asks of each text which of them are. The part for a
kind of text is derived from the weights (`progtf.weights.narrow`): all that is left out adds 0.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Generic, TypeVar

import torch
from jaxtyping import Int
from torch import Tensor

from progtf.network.network import Network
from progtf.nn import present
from progtf.nn.hooks import State, answering
from progtf.weights.narrow import can_be_narrowed, narrowed, written_once
from progtf.weights.weights import Weights

SINGLE = "float32"
Ids = Int[Tensor, "batch pos"]
Kind = frozenset[str]
Rows = list[list[str]]
Part = TypeVar("Part")
MOST = 64
"""Kinds that are kept, the last ones that came up."""
AT_ONCE = 256
"""Texts of which the flags are computed at once."""


class Kinds(Generic[Part]):
    """The kinds of text that a network has seen.

    Args:
        weights: of the whole network.
        ids: the rows of the embedding that some texts read; pad: that of padding.
        make: what answers with some weights.
        device: where it computes.
    """

    def __init__(
        self,
        weights: Weights,
        ids: Callable[[Rows], Ids],
        pad: int,
        make: Callable[[Weights], Part],
        device: torch.device,
    ) -> None:
        self.weights, self.ids, self.pad, self.make = weights, ids, pad, make
        self.flags = written_once(weights, weights.layout.held)
        asking = narrowed(weights, (), self.flags)
        self.asking = Network(asking).to(device)
        self._state, self._lock = State.of(self.asking), Lock()
        self.lighter = frozenset(weights.outcome.lighter)
        self.columns = [asking.layout.names.index(flag) for flag in self.flags]
        self.parts: dict[Kind, Part] = {}

    @staticmethod
    def are_there(weights: Weights) -> bool:
        """Whether there are several, and all that is left out of each is proven to be 0."""
        layout, proof = weights.layout, weights.proof
        exact = proof is not None and proof.known and proof.outcome.exact
        told = layout.kind == "seq2seq" and exact and can_be_narrowed(weights)
        return told and len(written_once(weights, layout.held)) > 0

    def parted(self, rows: Rows) -> Iterator[tuple[list[int], Part]]:
        """The places of rows that are answered together, and what answers them."""
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        kinds = defaultdict[Kind, list[int]](list)
        for first in range(0, len(order), AT_ONCE):
            chosen = order[first : first + AT_ONCE]
            asked = self._asked(self.ids([rows[place] for place in chosen]))
            for place, kind in zip(chosen, asked, strict=True):
                kinds[kind].append(place)
        for kind, places in kinds.items():
            yield places, self._part(kind)

    @torch.no_grad()
    def _asked(self, source: Ids) -> Iterator[Kind]:
        """Of every text the flags that are not 0 at one of its tokens at least."""
        with answering(self._state):
            found = self.asking.encode(source, self.pad)[..., self.columns] != 0
        up = (found & present(source, self.pad)[..., None]).any(dim=1)
        for row in up.tolist():
            yield frozenset(flag for flag, is_up in zip(self.flags, row, strict=True) if is_up)

    def _part(self, kind: Kind) -> Part:
        """What answers texts of a kind."""
        with self._lock:  # threads may share it
            made = self.parts.get(kind)
            if made is None:
                if len(self.parts) == MOST:
                    self.parts.pop(next(iter(self.parts)))
                made = self.parts[kind] = self._made(kind)
        return made

    def _made(self, kind: Kind) -> Part:
        closed = [flag for flag in self.flags if flag not in kind]
        part = narrowed(self.weights, closed)
        light = self.lighter and len(kind) <= 1 and kind <= self.lighter
        return self.make(part.stored_as(SINGLE) if light else part)
