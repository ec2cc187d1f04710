"""Every code that a diagnostic can have, read from the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("progtf/notation", "progtf/building", "progtf/exact")


def all_codes() -> set[str]:
    """The first argument of every ``Diagnostic(...)``, ``Message(...)`` and ``twice(...)``."""
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return {code for file in files for code in _codes(ast.parse(file.read_text()))}


def _codes(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in ("Diagnostic", "Message", "twice"):
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield str(first.value)


def _name(function: ast.expr) -> str:
    return getattr(function, "id", getattr(function, "attr", ""))
