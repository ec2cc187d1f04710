"""Grammar rules to syntax nodes."""

from progtf.notation.nodes.builder import NodeBuilder
from progtf.notation.nodes.place import unquote

__all__ = ["NodeBuilder", "unquote"]
