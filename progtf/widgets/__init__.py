"""Programs in a notebook: to read, to edit, to play with.

``pip install progtf[notebook]`` brings what this needs. In a notebook, ``%load_ext progtf`` adds
the cell magic ``%%seme``.
"""

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
