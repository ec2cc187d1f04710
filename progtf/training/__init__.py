"""Training: written weights stay as they are, the rest learns.

``begin`` and ``trainable`` prepare a compiled model for a training loop of one's own;
``progtf train`` is the loop that is there.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from progtf.training.initialise import begin, trainable

__all__ = ["begin", "trainable"]


def __getattr__(name: str) -> object:
    """Imports what is asked for when it is asked for: torch takes its time."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from progtf.training import initialise  # noqa: PLC0415  as said

    return getattr(initialise, name)
