"""Training: written weights stay as they are, the rest learns.

``begin`` and ``trainable`` prepare a compiled model for a training loop of one's own;
``progtf train`` is the loop that is there.
"""

from progtf.training.own_loop import begin, trainable

__all__ = ["begin", "trainable"]
