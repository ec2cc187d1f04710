"""Grammar rules to syntax nodes."""

from progtf.notation.builders.builder import NodeBuilder
from progtf.notation.builders.place import unquote

__all__ = ["NodeBuilder", "unquote"]
