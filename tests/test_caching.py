"""What was found is kept in three ways, and a fourth is seen (decision 27)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "progtf"
TREES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(ROOT.rglob("*.py"))
}
CACHED = ("cache", "lru_cache")
PLAIN = {
    "str", "int", "float", "bool", "Fraction", "Path",
    "frozenset[float]", "tuple[float, ...]", "tuple[str, ...]",
    # Values that are frozen, and equal where all that they are made of is.
    "Curve", "Forms", "Gate", "Source", "_Question", "tuple[Look, ...]",
    "torch.device", "torch.dtype",
    # Of which there is one.
    "Lark",
}  # fmt: skip
"""What functions take that keep their results by what they were given."""
EMPTY = {"program/shown.py": "_drawing", "nn/points.py": "NOBODY"}
"""What others enter themselves in, and what stays empty."""


def functions(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef, bool]]:
    """The functions in a module that keep results by what they are given; are they its own?"""
    outer = {id(each) for each in ast.iter_child_nodes(tree)}
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef):
            for by in each.decorator_list:
                name = ast.unparse(by).partition("(")[0].rpartition(".")[2]
                if name in CACHED:
                    yield each, id(each) in outer


def names(tree: ast.AST) -> set[str]:
    """The modules that a module imports, and what it imports of them."""
    found = set[str]()
    for each in ast.walk(tree):
        if isinstance(each, ast.Import):
            found |= {alias.name for alias in each.names}
        elif isinstance(each, ast.ImportFrom) and each.module:
            found |= {each.module, *(f"{each.module}.{alias.name}" for alias in each.names)}
    return found


def test_the_life_of_an_object_is_watched_in_one_place():
    assert [path for path, tree in TREES.items() if "weakref" in names(tree)] == ["once.py"]


def test_the_users_cache_is_found_in_one_place():
    asked = [path for path, tree in TREES.items() if "platformdirs" in names(tree)]
    assert asked == ["cache.py"]


def test_the_memo_of_edits_is_nobody_elses():
    asked = [path for path, tree in TREES.items() if "progtf.notation.kept.Memo" in names(tree)]
    assert asked == ["building/remembered.py"]


EVERY = [(path, each, own) for path, tree in TREES.items() for each, own in functions(tree)]


def test_there_are_functions_that_keep_results():
    assert len(EVERY) > 20


@pytest.mark.parametrize(
    ("path", "function", "own"), EVERY, ids=[f"{path}-{each.name}" for path, each, _ in EVERY]
)
def test_what_is_kept_by_what_was_given_is_a_function_of_plain_values(path, function, own):
    assert own or path == "content.py", "a method would hold on to its object"
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    every += [] if given.vararg is None else [given.vararg]
    assert given.kwarg is None
    taken = {each.arg: ast.unparse(each.annotation) for each in every if each.annotation}
    taken.pop("sizes", None)  # whole numbers, and a truth
    assert len(every) - len(taken) <= (function.name == "_shared")
    assert set(taken.values()) <= PLAIN, taken


def test_no_module_has_a_table_that_fills():
    found = {}
    for path, tree in TREES.items():
        for each in ast.iter_child_nodes(tree):
            value = (
                getattr(each, "value", None)
                if isinstance(each, ast.Assign | ast.AnnAssign)
                else None
            )
            empty = isinstance(value, ast.Dict | ast.List) and not ast.unparse(value)[1:-1]
            made = isinstance(value, ast.Call) and not value.args and not value.keywords
            if empty or (made and ast.unparse(value.func).partition("[")[0] in TABLES):
                target = each.target if isinstance(each, ast.AnnAssign) else each.targets[0]
                found[path] = ast.unparse(target)
    assert found == EMPTY


TABLES = ("dict", "list", "set", "defaultdict", "OrderedDict", "Counter", "WeakKeyDictionary")
