"""Programs in a notebook: to read, to edit, to play with.

The extra ``notebook`` brings what this needs. In a notebook, ``%load_ext progtf`` adds
the cell magic ``%%seme``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from progtf.widgets.chains import StepsView
    from progtf.widgets.examples import example, tour
    from progtf.widgets.figures import (
        AttentionView,
        ClockView,
        Playground,
        ResidualView,
        SemeEditor,
    )
    from progtf.widgets.matrices import MatrixView
    from progtf.widgets.training import TrainingView

__all__ = [
    "AttentionView",
    "ClockView",
    "MatrixView",
    "Playground",
    "ResidualView",
    "SemeEditor",
    "StepsView",
    "TrainingView",
    "example",
    "tour",
]


def __getattr__(name: str) -> object:
    """Imports what is asked for when it is asked for: the magic needs no widgets."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from progtf.widgets import chains, examples, figures, matrices, training  # noqa: PLC0415  as said

    homes = (examples, figures, matrices, training, chains)
    return next(getattr(home, name) for home in homes if hasattr(home, name))
