"""Why an edge that is written was not found: each reason is a test of its own."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from benchmarks.circuits.methods import CHANGES, SMALL, Scores, other_text
from benchmarks.circuits.wired import Change, Wired
from progtf.weights.circuit import Circuit
from progtf.weights.maps import BIAS, Map
from progtf.weights.weights import Weights

READS = ("query", "key", "value", "role", "mat1")
REASONS = {
    "still": "the writer computes the same for all of these texts",
    "same": "the writer changes, but not in the semes that are read",
    "redundant": "it shows as soon as another writer of the reader is silent, as in `a | b`",
    "idle": "units that read it are 0, before and after, wherever what they read changes",
    "cancelled": "a seme, changed alone, would move a number of the reader; all together do not",
    "unexplained": "none of these",
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
        if self._idle(edge, change, moved):
            return "idle"
        return "cancelled" if self._cancels(edge, moved) else "unexplained"

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

    def _cancels(self, edge: tuple[str, str], moved: Tensor) -> bool:
        """Whether one seme alone would move a number of the reader, and all together do not."""
        return any(
            bool(((alone > SMALL) & (change.abs().flatten(0, -2).amax(0) <= SMALL)).any())
            for alone, change in self._changes(edge, moved)
        )

    def _changes(self, edge: tuple[str, str], moved: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """How far what a reader's maps read is moved: at most by one seme, and by all, anywhere."""
        writer = self._map(edge[0], ("out", "mat2"))
        semes = [seme for seme in writer.targets if seme in self._semes(edge)]
        across = torch.from_numpy(_dense(writer)[:, [writer.targets.index(s) for s in semes]])
        written = moved[..., : len(across)] @ across
        (path,) = (each.path for each in self.circuit.nodes if each.name == edge[1])
        for field, reader in self.weights.at(path).items():
            if field in READS:
                reads = _dense(reader)[[reader.sources.index(seme) for seme in semes]]
                read = torch.from_numpy(reads)
                most = written.abs().flatten(0, -2).amax(0)
                yield (most[:, None] * read.abs()).amax(0), written @ read

    def _shows(self, edge: tuple[str, str], change: Change, without: str) -> bool:
        """Whether a writer moves a reader while another writer is silent."""
        wired, (writer, reader) = self.wired, edge
        plain = wired.direct(writer, lambda own: own, without)
        changed = wired.direct(writer, change, without)
        return any(
            float((wired.part(changed, place) - wired.part(plain, place)).abs().max()) > SMALL
            for place in wired.reads[reader]
        )

    def _idle(self, edge: tuple[str, str], change: Change, moved: Tensor) -> bool:
        """Whether units are 0, before and after, wherever what they read is moved."""
        writer, reader = edge
        places = self.wired.reads[reader]
        if len(places) > 1:
            return False
        ((_, read),) = self._changes(edge, moved)
        touched = read.abs() > SMALL
        both = self.wired.direct(writer, change), self.wired.clean
        units = [self.wired.part(each, places[0])[..., : read.shape[-1]] for each in both]
        return bool(touched.any()) and all(float(u[touched].abs().max()) <= SMALL for u in units)

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
