"""Circuit discovery on written programs: which direct effects find the edges that are written.

    python -m benchmarks.circuits [FILE.seme ...]

One writer at a time gets what it computes for another text (`swapped`), or nothing (`zeroed`); all
others keep what they compute for their own, so that only direct effects are left (path patching,
Goldowsky-Dill et al. 2023). A reader's score is the largest change of its queries, keys, values,
roles or hidden units. The truth is `progtf.circuit`; the score is the area under the ROC curve over
all pairs of which the one runs before the other.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

import progtf
from progtf.network.model import Model
from progtf.network.names import layers
from progtf.weights.circuit import Circuit

FILES = (
    "examples/grammar/agreement.seme",
    "examples/algorithms/reverse.seme",
    "examples/algorithms/sort.seme",
    "examples/language/grammaticality.seme",
    "examples/math/place_value.seme",
    "examples/math/add_or_sub.seme",
)
SMALL = 1e-4
"""Changes that rounding makes."""
Place = tuple[str, int | None]
"""A point, and the head there; None: all of it."""


class Wired:
    """A model whose nodes stand at points, run on the examples of its program.

    Attributes:
        writes: of each node that computes, where what it computes is seen.
        reads: and where what it reads.
    """

    def __init__(self, model: Model, circuit: Circuit, texts: list[str]) -> None:
        self.model, points = model, model.hooks()
        self.writes: dict[str, Place] = {}
        self.reads: dict[str, list[Place]] = {}
        blocks = {layer.name: layer.blocks for layer in layers(model.layout)}
        for node in circuit.nodes:
            for block in blocks.get(node.layer, ())[-1:]:
                self._wire(node.name, node.kind, block, points)
        self.given = self._ids(texts)
        asked = {point for point, _ in self.writes.values()}
        asked |= {point for places in self.reads.values() for point, _ in places}
        with torch.no_grad():
            _, self.clean = model.run_with_cache(self.given, asked)

    def _wire(self, name: str, kind: str, block: str, points: Mapping[str, Any]) -> None:
        if kind == "rules":
            if f"{block}.mlp.hook_post" in points:
                self.writes[name] = (f"{block}.mlp.hook_post", None)
                self.reads[name] = [self.writes[name]]
            return
        side = "cross" if kind == "cross" else "attn"
        place = points[f"{block}.{side}.hook_bound"].heads.index(name.rpartition(".head ")[2])
        self.writes[name] = (f"{block}.{side}.hook_bound", place)
        fields = (f"{block}.{side}.hook_{field}" for field in ("q", "k", "v", "role"))
        self.reads[name] = [(field, place) for field in fields if field in points]

    def _ids(self, texts: list[str]) -> tuple[Tensor, ...]:
        source = self.model.batch([self.model.reader.read(text) for text in texts])
        if not self.model.layout.writes:
            return (source,)
        said = [["<bos>", *answer.text] for answer in self.model.answers(texts)]
        return source, self.model.batch(said)

    @torch.no_grad()
    def effects(self, writer: str, *, zeroed: bool) -> dict[str, float]:
        """How far each reader changes directly when one writer is changed."""
        changed: dict[str, float] = dict.fromkeys(self.reads, 0.0)
        at = {place: name for name, places in self.reads.items() for place in places}
        point, head = self.writes[writer]
        other = torch.zeros_like(self.clean[point]) if zeroed else self.clean[point].roll(1, 0)

        def look(tensor: Tensor, hook: Any) -> Tensor | None:
            clean = self.clean[hook.name]
            for place in range(tensor.shape[2]) if "head" in hook.axes else (None,):
                if (hook.name, place) in at:
                    off = (tensor - clean if place is None else (tensor - clean)[:, :, place]).abs()
                    name = at[hook.name, place]
                    changed[name] = max(changed[name], float(off.max()))
            if hook.name not in {place for place, _ in self.writes.values()}:
                return None
            kept = clean.clone()
            if hook.name == point:
                kept[...] = other if head is None else kept
                if head is not None:
                    kept[:, :, head] = other[:, :, head]
            return kept

        names = {p for p, _ in self.writes.values()} | {p for p, _ in at}
        self.model.run_with_hooks(self.given, [(name, look) for name in sorted(names)])
        return changed

    def moved(self, writer: str, *, zeroed: bool) -> bool:
        """Whether the change of a writer is one at all."""
        point, head = self.writes[writer]
        clean = self.clean[point] if head is None else self.clean[point][:, :, head]
        other = torch.zeros_like(clean) if zeroed else clean.roll(1, 0)
        return bool((clean - other).abs().max() > SMALL)


def auc(scores: list[float], truth: list[bool]) -> float:
    """The share of pairs of an edge and no edge that the scores order rightly; ties count half."""
    values, right = np.array(scores), np.array(truth)
    if right.all() or not right.any():
        return float("nan")
    more = values[right][:, None] - values[~right][None, :]
    return float(((more > 0) + 0.5 * (more == 0)).mean())


def scored(file: str) -> str:
    """A row of the table."""
    program = progtf.load(file)
    model = progtf.compile(program, "float64")
    circuit, texts = progtf.circuit(model), [each.input for each in program.examples][:32]
    wired, truth = Wired(model, circuit, texts), circuit.pairs()
    order = [node.name for node in circuit.nodes if node.name in wired.writes]
    pairs = [(a, b) for n, a in enumerate(order) for b in order[n + 1 :]]
    found, edges = [f"{auc(_chance(pairs), [p in truth for p in pairs]):.2f}"], 0
    for zeroed in (False, True):
        effects = {writer: wired.effects(writer, zeroed=zeroed) for writer in order}
        scores = [effects[a][b] if effects[a][b] > SMALL else 0.0 for a, b in pairs]
        real = [pair in truth for pair in pairs]
        missed = [p for p, s, r in zip(pairs, scores, real, strict=True) if r and not s]
        still = sum(not wired.moved(writer, zeroed=zeroed) for writer, _ in missed)
        extra = sum(s > 0 and not r for s, r in zip(scores, real, strict=True))
        found.append(f"{auc(scores, real):.3f} | {still} | {len(missed) - still} | {extra}")
        edges = sum(real)
    return f"| {Path(file).stem} | {len(pairs)} | {edges} | {' | '.join(found)} |"


def _chance(pairs: list[tuple[str, str]]) -> list[float]:
    return np.random.default_rng(1).random(len(pairs)).tolist()


def main() -> None:
    """Prints the table."""
    heads = "program | pairs | edges | by chance"
    for kind in ("swapped", "zeroed"):
        heads += f" | {kind}: AUC | still | masked | false"
    print(f"| {heads} |")
    print("|" + " --- |" * (heads.count("|") + 1))
    for file in sys.argv[1:] or FILES:
        print(scored(file), flush=True)


if __name__ == "__main__":
    main()
