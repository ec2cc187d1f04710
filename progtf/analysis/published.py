"""What papers report on the Mathematics Dataset, to lay a score beside."""

from typing import NamedTuple


class Published(NamedTuple):
    """A row of a paper's table: means over the 56 and the 15 modules, in per cent.

    Attributes:
        model: Its name.
        parameters: In millions.
        steps: Of training, in thousands.
        interpolate: Mean over modules.
        interpolate_above_95: Modules of which more than 95 % was right.
        extrapolate: Mean over modules.
        extrapolate_above_95: Modules of which more than 95 % was right.
        source: The paper.
    """

    model: str
    parameters: float
    steps: int
    interpolate: float
    interpolate_above_95: int
    extrapolate: float
    extrapolate_above_95: int
    source: str


_SAXTON, _SCHLAG = "Saxton et al. 2019", "Schlag et al. 2019, table 1"

PUBLISHED = (
    Published("LSTM", 18, 500, 57.00, 6, 41.00, 1, _SAXTON),
    Published("Transformer", 30, 500, 76.00, 13, 50.00, 1, _SAXTON),
    Published("Transformer", 44.2, 500, 75.33, 12, 52.42, 1, _SCHLAG),
    Published("Transformer", 44.2, 700, 77.42, 14, 52.00, 2, _SCHLAG),
    Published("TP-Transformer", 49.2, 500, 78.30, 16, 52.22, 2, _SCHLAG),
    Published("TP-Transformer", 49.2, 700, 80.67, 18, 52.48, 3, _SCHLAG),
    Published("TP-Transformer", 49.2, 1700, 84.24, 25, 55.40, 3, _SCHLAG),
)
