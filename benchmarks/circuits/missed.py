"""Why an edge that is written was not found: each reason is a test of its own."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from benchmarks.circuits.methods import CHANGES, SMALL, Scores, other_text
from benchmarks.circuits.wired import Change, Wired
from progtf.weights.circuit import Circuit
from progtf.weights.maps import BIAS, Map
from progtf.weights.weights import Weights

REASONS = {
    "still": "the writer computes the same for all of these texts",
    "same": "the writer changes, but not in the semes that are read",
    "redundant": "it shows as soon as another writer of the reader is silent, as in `a | b`",
    "idle": "the units that read it stay at 0",
    "cancelled": "what is read changes, and its sum does not",
    "flat": "path patching finds it, and the gradient there is 0",
}


@dataclass(frozen=True)
class Missed:
    """Explains missed edges of a wired model."""

    wired: Wired
    circuit: Circuit
    weights: Weights

    def reason(self, edge: tuple[str, str], method: str, found: dict[str, Scores]) -> str:
        """One of `REASONS`.

        Args:
            edge: writer and reader.
            method: which missed it.
            found: by every method the scores of all pairs.
        """
        change = CHANGES.get(method, other_text)
        if method == "attribution" and found["swapped"][edge] > SMALL:
            return "flat"
        moved = self.wired.moved(edge[0], change)
        if float(moved.abs().max()) <= SMALL:
            return "still"
        if not self._reaches(edge, moved):
            return "same"
        if any(self._shows(edge, change, other) for other in self._others(edge)):
            return "redundant"
        return "idle" if self._idle(edge, change) else "cancelled"

    def _semes(self, edge: tuple[str, str]) -> set[str]:
        return {e.seme for e in self.circuit.edges if (e.writer, e.reader) == edge}

    def _reaches(self, edge: tuple[str, str], moved: Tensor) -> bool:
        """Whether the semes of an edge change."""
        writer = self._map(edge[0], ("out", "mat2"))
        columns = [n for n, name in enumerate(writer.targets) if name in self._semes(edge)]
        across = torch.from_numpy(_dense(writer)[:, columns])
        return float((moved[..., : len(across)] @ across).abs().max()) > SMALL

    def _others(self, edge: tuple[str, str]) -> list[str]:
        """The other writers of a reader."""
        others = {writer for writer, reader in self.circuit.pairs() if reader == edge[1]}
        return sorted(w for w in others if w in self.wired.writes and w != edge[0])

    def _shows(self, edge: tuple[str, str], change: Change, without: str) -> bool:
        """Whether a writer moves a reader while another writer is silent."""
        wired, (writer, reader) = self.wired, edge
        plain = wired.direct(writer, lambda own: own, without)
        changed = wired.direct(writer, change, without)
        return any(
            float((wired.part(changed, place) - wired.part(plain, place)).abs().max()) > SMALL
            for place in wired.reads[reader]
        )

    def _idle(self, edge: tuple[str, str], change: Change) -> bool:
        """Whether the units that read the semes of an edge are 0 before and after."""
        writer, reader = edge
        places = self.wired.reads[reader]
        if len(places) > 1:
            return False
        read = self._map(reader, ("mat1",))
        rows = [n for n, name in enumerate(read.sources) if name in self._semes(edge)]
        units = np.flatnonzero(np.abs(_dense(read)[rows]).sum(axis=0))
        seen = self.wired.part(self.wired.direct(writer, change), places[0])
        clean = self.wired.part(self.wired.clean, places[0])
        return float(max(seen[..., units].abs().max(), clean[..., units].abs().max())) <= SMALL

    def _map(self, node: str, fields: tuple[str, ...]) -> Map:
        """The map of a node that has one of these fields."""
        (path,) = (each.path for each in self.circuit.nodes if each.name == node)
        maps = self.weights.at(path)
        return next(maps[field] for field in fields if field in maps)


def _dense(each: Map) -> np.ndarray:
    found = np.zeros((len(each.sources), len(each.targets)))
    inside = each.rows != BIAS
    found[each.rows[inside], each.columns[inside]] = each.numbers[inside]
    return found
