"""Programs in a notebook: to read, to edit, to play with.

``pip install progtf[notebook]`` brings what this needs. In a notebook, ``%load_ext progtf`` adds
the cell magic ``%%seme``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    "TrainingView",
    "example",
    "tour",
]

_HOMES = {
    "examples": ("example", "tour"),
    "figures": ("AttentionView", "ClockView", "Playground", "ResidualView", "SemeEditor"),
    "matrices": ("MatrixView",),
    "training": ("TrainingView",),
}


def __getattr__(name: str) -> object:
    """Imports what is asked for when it is asked for: the magic needs no widgets."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"progtf.widgets.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
