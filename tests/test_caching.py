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
    "Clocks", "float | None", "str | None", "tuple[int, int]", "tuple[float, float, float]",
    "Fraction", "Fraction | None", "tuple[tuple[Fraction, Fraction], ...]",
    "str", "int", "float", "bool", "Path",
    "frozenset[float]", "tuple[float, ...]", "tuple[str, ...]", "Number", "tuple[Number, ...]",
    # Values that are frozen, and equal where all that they are made of is.
    "Curve", "Forms", "Gate", "Source", "_Question", "tuple[Look, ...]",
    "torch.device", "torch.dtype",
    # Of which there is one.
    "Lark",
}  # fmt: skip
"""What functions take that keep their results by what they were given."""
EMPTY = [
    ("exact/exclusive.py", "ANY"),
    ("nn/points.py", "NOBODY"),
    ("program/shown.py", "_drawing"),
]
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


def asked_of_system(tree: ast.AST) -> set[str]:
    return {name for name in names(tree) if name.startswith("platformdirs.")}


def test_the_users_cache_is_found_in_one_place():
    asked = {path: found for path, tree in TREES.items() if (found := asked_of_system(tree))}
    assert asked == {
        "cache.py": {"platformdirs.user_cache_path"},
        "published.py": {"platformdirs.user_data_path"},
    }


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
    assert len(every) == len(taken)
    assert set(taken.values()) <= PLAIN, taken


def tables(tree: ast.AST) -> Iterator[str]:
    """The tables that a module or a class begins with nothing in; a field has one an object."""
    for each in ast.iter_child_nodes(tree):
        if isinstance(each, ast.ClassDef):
            yield from tables(
                ast.Module([x for x in each.body if not isinstance(x, ast.AnnAssign)], [])
            )
        elif isinstance(each, ast.Assign | ast.AnnAssign):
            target = each.target if isinstance(each, ast.AnnAssign) else each.targets[0]
            parts = each.value.elts if isinstance(each.value, ast.Tuple) else [each.value]
            if any(is_empty(part) for part in parts):
                yield ast.unparse(target)


def is_empty(value: ast.AST | None) -> bool:
    """Whether an expression is a table with nothing in it."""
    if isinstance(value, ast.Call) and ast.unparse(value.func).partition("[")[0] in TABLES:
        return all(is_empty(each) or isinstance(each, ast.Name) for each in value.args)
    return isinstance(value, ast.Dict | ast.List) and not ast.unparse(value)[1:-1]


TABLES = ("dict", "list", "set", "defaultdict", "OrderedDict", "Counter", "WeakKeyDictionary")


def test_no_module_and_no_class_has_a_table_that_fills():
    found = [(path, name) for path, tree in TREES.items() for name in tables(tree)]
    assert found == EMPTY


@pytest.mark.parametrize(
    "text",
    ["a = {}", "a: dict[int, int] = {}", "a, b = {}, []", "a = dict([])", "class A:\n  a = {}",
     "a = defaultdict(list)", "a = dict[int, int]()", "a = set()"],
)  # fmt: skip
def test_a_table_that_fills_is_seen(text):
    assert [*tables(ast.parse(text))]


@pytest.mark.parametrize("path", TREES)
def test_results_are_kept_by_decorators_alone(path):
    decorating = {
        id(each)
        for node in ast.walk(TREES[path])
        if isinstance(node, ast.FunctionDef)
        for by in node.decorator_list
        for each in ast.walk(by)
    }
    mine = [each for each in CACHED if f"functools.{each}" in names(TREES[path])]
    others = [
        each.lineno
        for each in ast.walk(TREES[path])
        if isinstance(each, ast.Name) and each.id in mine and id(each) not in decorating
    ]
    assert not others
