"""Blocks are called in one place: nobody outside the network goes through them by himself."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "progtf"
INSIDE = {PACKAGE / "nn", PACKAGE / "network"}
STACKS = {"blocks", "encoder", "decoder"}
FILES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if not INSIDE & {*path.parents}
    and any(f"progtf.{room}" in path.read_text() for room in ("nn", "network"))
]


def gone_through(tree: ast.AST) -> set[str]:
    """The stacks of a network that a loop goes through: ``for block in network.encoder``."""
    loops = [node.iter for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension)]
    names = [node for loop in loops for node in ast.walk(loop) if isinstance(node, ast.Attribute)]
    return {
        ast.unparse(name)
        for name in names
        if name.attr in STACKS and ("network" in ast.unparse(name) or name.attr == "blocks")
    }


def classes(path: Path) -> list[ast.ClassDef]:
    tree = ast.parse(path.read_text())
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def test_such_a_loop_is_found():
    tree = ast.parse("for block in list(self.network.encoder)[1:]:\n    block(residual)")
    assert gone_through(tree) == {"self.network.encoder"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_class_outside_the_network_goes_through_its_blocks(path):
    assert not {name for each in classes(path) for name in gone_through(each)}
