"""One training step of each model beside ``torch.nn.Transformer`` of equal size.

All have the same fused Adam, so that the layers are compared.
"""

from collections.abc import Iterator
from functools import partial

import torch

from benchmarks.figures import Figure
from benchmarks.reference import PAPER, SMALL, TorchTransformer, ragged, train_step
from benchmarks.timing import interleaved, one_thread, ratios
from progtf.nn import PUBLISHED_RECIPE, TPTransformer, Transformer

LONG = True
BASE = "torch.nn.Transformer"


def figures() -> Iterator[Figure]:
    """Steps of two sizes."""
    one_thread()
    for title, shape, batch, rounds in (
        ("width 256, 3 + 3 layers, batch 32", SMALL, 32, 11),
        ("width 512, 6 + 6 layers, batch 4", PAPER, 4, 9),
    ):
        torch.manual_seed(0)
        models = {
            BASE: TorchTransformer(shape),
            "Transformer": Transformer(shape),
            "TPTransformer": TPTransformer(shape),
        }
        source, target = ragged(batch, 60), ragged(batch, 16, seed=1)
        steps = {
            name: partial(train_step, model, PUBLISHED_RECIPE.optimiser(model), source, target)
            for name, model in models.items()
        }
        yield from ratios(title, interleaved(steps, rounds), BASE)
