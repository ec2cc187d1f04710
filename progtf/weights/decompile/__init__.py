"""Models to text."""

from progtf.weights.decompile.text import UnwritableError, decompile

__all__ = ["UnwritableError", "decompile"]
