"""Greedy decoding with cached keys and values beside uncached ``torch.nn.Transformer``."""

from collections.abc import Iterator
from functools import partial

import torch

from benchmarks.figures import Figure
from benchmarks.reference import PAPER, SMALL, TorchTransformer, ragged
from benchmarks.timing import interleaved, one_thread, ratios
from progtf.nn import Symbols, TPTransformer, Transformer, greedy

LONG = True
BASE = "torch.nn.Transformer, uncached"
ENDLESS = Symbols(end=None)


def figures() -> Iterator[Figure]:
    """Answers of two lengths by models of two sizes."""
    one_thread()
    for title, shape, batch, rounds in (
        ("width 256, 3 + 3 layers, batch 32", SMALL, 32, 15),
        ("width 512, 6 + 6 layers, batch 4", PAPER, 4, 5),
    ):
        torch.manual_seed(0)
        source = ragged(batch, 60)
        reference = TorchTransformer(shape).eval()
        ours = {"Transformer": Transformer(shape), "TPTransformer": TPTransformer(shape)}
        for n_steps in (15, 31):
            runs = {BASE: partial(reference.greedy, source, n_steps)}
            for name, model in ours.items():
                runs[name] = partial(greedy, model.eval(), source, n_steps, ENDLESS)
            yield from ratios(f"{title}, {n_steps} steps", interleaved(runs, rounds), BASE)
