"""Changes to what the interpreter computes, by name: the patches of networks mean the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from progtf.equality import compared
from progtf.notation.spell import counted
from progtf.program.arrays import Array
from progtf.program.changes import (
    CELL,
    EMBEDDING,
    Named,
    called,
    head_labels,
    layer_names,
)
from progtf.program.loops import by_loop
from progtf.program.model import Head, Layer, Program, Stage
from progtf.program.tokens import InputError
from progtf.running.cells import Cells, as_floats, exactly

STACKS = ("encoder", "decoder")


class Unchanged:
    """Nothing is changed."""

    def fits(self, count: int) -> None:
        """Refuses a text of so many tokens that lacks a place where something is changed.

        Raises:
            InputError: with the place and the length of the text.
        """
        del count

    def begun(self, stack: str, residual: Cells, first: int) -> Cells:
        """The residual before the first layer."""
        return self.behind(f"{stack}.{EMBEDDING}", residual, first)

    def after(self, stack: str, stage: Stage, residual: Cells, first: int) -> Cells:
        """The residual behind the last turn of a layer."""
        del stack, stage, first
        return residual

    def behind(self, layer: str, residual: Cells, first: int) -> Cells:
        """The residual behind a layer, or a loop, of this name."""
        del layer, first
        return residual

    def silent(self, layer: Layer, head: Head) -> bool:
        """Whether a head writes nothing."""
        del layer, head
        return False

    def unwritten(self, layer: Layer) -> list[int]:
        """The columns that no rule of a layer writes."""
        del layer
        return []


UNCHANGED = Unchanged()


@dataclass(frozen=True)
class Names:
    """What a program's layers and heads are called.

    Attributes:
        layers: by the identity of the layer; heads: by the identities of layer and head.
        known: every layer, loop and embedding, with the names of its heads.
    """

    layers: Mapping[int, str]
    heads: Mapping[tuple[int, int], str]
    known: Mapping[str, list[str]]

    @classmethod
    def of(cls, program: Program) -> "Names":
        """Those of a program."""
        layers: dict[int, str] = {}
        heads: dict[tuple[int, int], str] = {}
        known: dict[str, list[str]] = {}
        for stack in STACKS:
            stages: tuple[Stage, ...] = getattr(program, stack)
            cell = stack == "encoder" and program.cell is not None
            known |= {f"{stack}.{EMBEDDING}": []} if stages or cell else {}
            known |= {f"{stack}.{CELL}": []} if cell else {}
            for run in by_loop(stages):
                known |= {f"{stack}.{run[0].loop.name}": []} if run[0].loop is not None else {}
            for stage, name in zip(stages, layer_names([s.name for s in stages]), strict=True):
                layers[id(stage)] = key = f"{stack}.{name}"
                every = (*stage.heads, *stage.cross) if isinstance(stage, Layer) else ()
                labels = [called(label) for label in head_labels([head.name for head in every])]
                heads |= {(id(stage), id(h)): n for h, n in zip(every, labels, strict=True)}
                known[key] = labels
        return cls(layers, heads, known)


@compared
@dataclass(frozen=True)
class Override(Unchanged):
    """Changes at work.

    Attributes:
        program: that is run.
        names: of its layers and heads.
        changes: what becomes of which seme, head or rules.
        sources: of swaps, the values in the other text by text, layer and seme.
    """

    program: Program
    names: Names
    changes: tuple[Named, ...]
    sources: Mapping[tuple[str, str, str], Array] = field(
        default_factory=dict[tuple[str, str, str], Array]
    )

    def fits(self, count: int) -> None:
        for each in self.changes:
            check_places(each, count)

    def after(self, stack: str, stage: Stage, residual: Cells, first: int) -> Cells:
        del stack
        return self.behind(self.names.layers[id(stage)], residual, first)

    def behind(self, layer: str, residual: Cells, first: int) -> Cells:
        own = [each for each in self.changes if each.layer == layer and each.change.how != "ablate"]
        for each in own:
            column = np.array([self.program.space.index[each.name]])
            source = self.sources.get((each.change.source, layer, each.name))
            made = each.change.factors(first, len(residual.values), source)
            factor, added = (Cells.of(_as(part, residual)[:, None]) for part in made)
            changed = residual.columns(column).times(factor).added(np.array([0]), added)
            residual = residual.put(column, changed)
        return residual

    def silent(self, layer: Layer, head: Head) -> bool:
        name = self.names.heads[id(layer), id(head)]
        return any(each.head and each.name == name for each in self._ablated(layer))

    def unwritten(self, layer: Layer) -> list[int]:
        index = self.program.space.index
        return [index[each.name] for each in self._ablated(layer) if not each.head]

    def _ablated(self, layer: Layer) -> list[Named]:
        key = self.names.layers[id(layer)]
        return [each for each in self.changes if each.layer == key and each.change.how == "ablate"]


def _as(numbers: Array, cells: Cells) -> Array:
    return exactly(numbers.tolist()) if cells.exact else numbers


def check_places(change: Named, count: int) -> None:
    """Refuses a place of an encoder's text that it does not have.

    Raises:
        InputError: with the place and the length of the text.
    """
    at = change.change.at
    if change.layer.startswith("encoder") and at is not None and max(at, default=-1) >= count:
        has = f"the text has {counted(count, 'token')}"
        raise InputError(f"{change.whole}@{max(at)}: {has}, the first is 0")


class Recorder(Unchanged):
    """Notes semes behind layers as they are computed.

    Attributes:
        seen: by layer, the residual; of a decoder all its steps one below the other.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.seen: dict[str, Array] = {}

    def after(self, stack: str, stage: Stage, residual: Cells, first: int) -> Cells:
        del stack
        return self.behind(self.names.layers[id(stage)], residual, first)

    def behind(self, layer: str, residual: Cells, first: int) -> Cells:
        values = as_floats(residual.values)
        before = self.seen[layer][:first] if first else values[:0]
        self.seen[layer] = np.vstack([before, values])
        return residual
