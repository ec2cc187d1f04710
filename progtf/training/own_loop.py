"""A compiled model in a training loop of one's own."""

from torch import nn
from torch.nn.utils.parametrize import is_parametrized

from progtf.compiler.free import FreeGroup, free_entries, let_gradients_pass
from progtf.compiler.model import Model
from progtf.training.initialise import initialise_learned


def begin(model: Model, seed: int = 1) -> Model:
    """Draws the first weights of everything that is learned, and returns the model.

    For a model that was just compiled: one that was trained would forget.
    """
    initialise_learned(model, seed)
    return model


def trainable(model: Model, seed: int = 1) -> list[nn.Parameter]:
    """The parameters to be trained: those that are learned, and the entries marked ``~`` and ``?``.

    Everything else of the model is fixed by this call. A second one returns the same parameters.

    Args:
        model: a compiled one, or one from a folder.
        seed: of the first numbers of entries marked ``?``.
    """
    marks = model.layout.marks
    learn = model.layout.learn
    let_gradients_pass(model, passing=bool(marks) or (learn is not None and not learn.protect))
    if not any(is_parametrized(part) for part in model.network.modules()):
        free_entries(model, [FreeGroup((), marks, 0.0)], seed)
    return [parameter for parameter in model.parameters() if parameter.requires_grad]
