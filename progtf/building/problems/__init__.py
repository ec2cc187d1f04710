"""What is said about programs that parse but do not mean anything. One message per code."""

from progtf.building.problems import heads, names, order, rules

__all__ = ["heads", "names", "order", "rules"]
