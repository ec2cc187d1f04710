"""A network for some of its inputs: what cannot matter where some semes are 0, left out."""

from collections.abc import Collection

from progtf.weights.layout import LayerLayout
from progtf.weights.narrow.ahead import adding
from progtf.weights.narrow.back import Back
from progtf.weights.narrow.cut import Cut
from progtf.weights.weights import Weights


def narrowed(weights: Weights, zero: Collection[str], wanted: Collection[str] = ()) -> Weights:
    """The same network for the inputs of which some semes are 0 at every token.

    All that is left out adds exactly 0, or adds to what nobody reads; what is left adds what it
    adds in the whole network.

    Args:
        weights: of a network that `can_be_narrowed`.
        zero: semes of the encoder that are 0 at every token, `written_once`.
        wanted: semes that are asked for behind the encoder, in place of all scores.
    """
    return Cut(Back.through(weights, adding(weights, zero), wanted)).weights()


def can_be_narrowed(weights: Weights) -> bool:
    """Whether all layers add to the residual, each what its own entries say, as often for all."""
    layout = weights.layout
    layers = all(isinstance(placed.stage, LayerLayout) for placed in layout.stages())
    plain = layout.norm in ("none", "round") and layout.activation is None
    return layers and plain and not weights.hybrid


def written_once(weights: Weights, names: Collection[str]) -> tuple[str, ...]:
    """Those semes that one layer of the encoder writes, once, and no token has.

    Where such a seme is 0 behind the encoder it has been 0 all the way.
    """
    writers = dict.fromkeys(names, 0)
    again = {p.path for p in weights.layout.stages() if p.loop is not None or p.stage.repeat > 1}
    writers |= {loop.unfinished: 2 for loop in weights.layout.all_loops()}
    for (path, field), each in weights.maps.items():
        if path[0] != "decoder" and field in ("vector", "out", "mat2", "bias2"):
            once = path[0] == "encoder" and path[:2] not in again
            columns: set[int] = set(each.columns.tolist())
            for name in {each.targets[column] for column in columns}:
                if name in writers:
                    writers[name] += 1 if once else 2
    return tuple(name for name, count in writers.items() if count == 1)
