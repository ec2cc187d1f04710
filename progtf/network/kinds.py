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
from progtf.weights.ready import Kind, Ready
from progtf.weights.weights import Weights

Ids = Int[Tensor, "batch pos"]
Rows = list[list[str]]
Part = TypeVar("Part")
MOST = 64
"""Kinds that are kept, the last ones that came up."""
AT_ONCE = 256
"""Texts of which the flags are computed at once."""


class Kinds(Generic[Part]):
    """The kinds of text that a network has seen.

    Args:
        ready: the weights, of which there are parts.
        ids: the rows of the embedding that some texts read; pad: that of padding.
        make: what answers with some weights.
        device: where it computes.
    """

    def __init__(
        self,
        ready: Ready,
        ids: Callable[[Rows], Ids],
        pad: int,
        make: Callable[[Weights], Part],
        device: torch.device,
    ) -> None:
        self.ready, self.ids, self.pad, self.make = ready, ids, pad, make
        self.flags = ready.flags
        self.asking = Network(ready.asking).to(device)
        self._state, self._lock = State.of(self.asking), Lock()
        self.columns = [ready.asking.layout.names.index(flag) for flag in self.flags]
        self.parts: dict[Kind, Part] = {}

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
                made = self.parts[kind] = self.make(self.ready.part(kind))
        return made
