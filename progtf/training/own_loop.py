"""A compiled model in a training loop of one's own."""

from torch import nn

from progtf.network.free import draw_marked
from progtf.network.model import Model
from progtf.training.initialise import initialise_learned


def begin(model: Model, seed: int = 1) -> Model:
    """Draws the first weights of everything that is learned, and returns the model.

    For a model that was just compiled: one that was trained would forget.
    """
    initialise_learned(model.network, seed)
    return model


def trainable(model: Model, seed: int = 1) -> list[nn.Parameter]:
    """The parameters to be trained: those that are learned, and the entries marked ``~`` and ``?``.

    Everything else of the model is fixed. A second call returns the same parameters.

    Args:
        model: a compiled one, or one from a folder.
        seed: of the first numbers of entries marked ``?``.
    """
    network, learn = model.network, model.layout.learn
    if not network.weights.hybrid:
        model.requires_grad_(requires_grad=False)
    soft = network.weights.has_marks() or (learn is not None and not learn.protect)
    network.let_gradients_pass(passing=soft)
    draw_marked(network.held, seed)
    return [parameter for parameter in model.parameters() if parameter.requires_grad]
