"""Models to text."""

from progtf.compiler.decompile.text import UnwritableError, decompile

__all__ = ["UnwritableError", "decompile"]
