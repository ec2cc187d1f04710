"""Written semes, computed once per question: what training reads of the layers before the learned.

The first layers of an encoder, as long as nothing in them is learned, give the same for the same
question. What later layers read of it is kept.
"""

from dataclasses import dataclass, field
from itertools import takewhile

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from progtf.network.model import Model
from progtf.nn import present
from progtf.nn.kept_texts import KeptTexts
from progtf.program.loops import by_loop
from progtf.training.config import RunError
from progtf.training.controls import RandomFeatures
from progtf.weights.layout import LayerLayout, Layout, Stage
from progtf.weights.maps import BIAS
from progtf.weights.weights import Weights

Source = Int[Tensor, "batch src"]


@dataclass(eq=False)
class SemeCache:
    """The semes of questions seen.

    Attributes:
        model: whose first ``prefix`` encoder layers are written and fixed.
        dims: what is read of them later.
        kept: of each question what its tokens have in ``dims``.
        random: what is put in place of the written semes, if anything.
        begun: the model before training, which random features look at.
    """

    model: Model
    prefix: int
    dims: Int[Tensor, " d_kept"]
    kept: KeptTexts = field(default_factory=KeptTexts)
    random: RandomFeatures | None = None
    begun: Model | None = None

    @classmethod
    def of(cls, model: Model) -> "SemeCache | None":
        """A cache, or None where no layer is written alone."""
        prefix = _prefix(model)
        if not prefix:
            return None
        dims = sorted(_read_later(model.network.weights))
        return cls(model, prefix, torch.tensor(dims, dtype=torch.long, device="cpu"))

    def encode(
        self, source: Source, real: Bool[Tensor, "batch src"]
    ) -> Float[Tensor, "batch src d_residual"]:
        """The encoder's output; the first layers run only for questions not seen before."""
        encoder = self.model.network.encoder
        residual = self.model.network.embedding(source)
        dims = self.dims.to(source.device)
        semes = self.kept.of(source, real, self._computed)
        residual = residual.index_copy(-1, dims, semes.to(residual))
        return encoder(residual, real, part=slice(self.prefix, None))

    @torch.no_grad()
    def randomise(self, source: Source, begun: Model, seed: int) -> None:
        """Puts random features with the values of the written semes in their place.

        They see the tokens as those were before training: what is kept of a question stays right.
        """
        self.begun, real = begun, present(source, begun.pad)
        semes = self._computed(source, real)
        features = RandomFeatures(begun.layout.width, len(self.dims), seed).to(source.device)
        features.fit(begun.network.embedding(source), real, semes)
        self.random = features

    @torch.no_grad()
    def _computed(self, source: Source, real: Bool[Tensor, "batch src"]) -> Tensor:
        network = (self.begun or self.model).network
        residual = network.embedding(source)
        if self.random is not None:
            return self.random(residual, real)
        residual = network.encoder(residual, real, part=slice(self.prefix))
        return residual.index_select(-1, self.dims.to(source.device))


def check_random(model: Model) -> None:
    """Raises RunError if no random features can stand in for the written semes."""
    if _prefix(model):
        return
    first = next((s.name for s in model.layout.encoder if isinstance(s, LayerLayout)), "")
    raise RunError(
        "control `random` puts features in place of what the encoder's first layers write, but"
        f" layer `{first}`, the first one, has something learned in it already"
    )


def _prefix(model: Model) -> int:
    """How many encoder layers come before anything that is learned."""
    learn = model.layout.learn
    if learn is None or not learn.protect:
        return 0
    runs = by_loop(_written_alone(model.layout))  # a loop is one block
    return sum(sum(stage.repeat for stage in run) if run[0].loop is None else 1 for run in runs)


def _written_alone(layout: Layout) -> list[Stage]:
    """The encoder's first layers, up to the first in which something is learned."""
    runs = takewhile(lambda run: not any(map(_has_learned, run)), by_loop(layout.encoder))
    return [stage for run in runs for stage in run]


def _has_learned(stage: Stage) -> bool:
    return isinstance(stage, LayerLayout) and (
        stage.learned is not None or any(head.learned for head in stage.own)
    )


def _read_later(weights: Weights) -> set[int]:
    """The written dimensions that anything after the first layers reads of the encoder."""
    layout = weights.layout
    learned = layout.learn.reads if layout.learn is not None else ()
    dims = {layout.names.index(name) for name in learned}
    alone = len(_written_alone(layout))
    if layout.kind != "seq2seq":  # whose scores are read of the decoder
        scores = (weights.maps.get(((name,), "score")) for name in ("output", "classify"))
        dims |= {row for each in scores if each for row in each.rows.tolist() if row != BIAS}
    for stack, number, path, stage in layout.stages():
        if stack == "encoder" and number <= alone:
            continue
        if stack == "encoder" and stage.loop is not None:
            dims |= {layout.names.index(n) for n in (stage.loop.until, *stage.loop.asked)}
        cross = [(*path, head.label) for head in getattr(stage, "cross", ())]
        for each in weights.below(path).values():
            here = each.path in cross and each.field in ("key", "value")
            if (stack == "encoder" or here) and each.sources == layout.columns:
                dims |= set(each.rows[each.rows != BIAS].tolist())
    return dims
