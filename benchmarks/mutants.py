"""Small mistakes put into the kernel, one at a time: `python -m benchmarks.mutants --number 100`.

A mistake that no test of the kernel notices *survives*, and is printed with its line: it either
changes nothing that is promised, or a test is missing. Mistakes are drawn by `--seed` among all
that there are: a comparison that is another, a sign, a number that is one more, a `raise` or a call
that is left out. Tests run on a copy; nothing here is changed.
"""

import ast
import copy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import typer

from benchmarks.figures import ROOT

KERNEL = Path("progtf", "exact", "kernel")
TESTS = Path("tests", "exact", "kernel")
ABOUT_TEXT = TESTS / "test_proof.py::test_the_kernel_is_small_and_needs_the_standard_library_alone"
"""Asks how long lines are, which they are not here: a changed file is written by `ast`."""
LONGEST = 240
"""Seconds after which tests that run on are taken to have noticed."""
OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "abs": "int"}


@dataclass(frozen=True)
class Mutant:
    """A mistake: in which file, in which line, what stood there, and the whole file with it."""

    file: Path
    line: int
    before: str
    after: str
    source: str


def mutants(file: Path) -> Iterator[Mutant]:
    """All mistakes of a file, in the order of its lines."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    for number, node in enumerate(ast.walk(tree)):
        for way in range(_ways(node)):
            changed = copy.deepcopy(tree)
            there = [*ast.walk(changed)][number]
            before = ast.unparse(there)
            if _change(there, way):
                after = ast.unparse(there)
                line = getattr(node, "lineno", 0)
                if before != after:
                    yield Mutant(file, line, before, after, ast.unparse(changed))


def _ways(node: ast.AST) -> int:
    """How many mistakes can be made in a part of a program itself."""
    match node:
        case ast.Compare(ops=ops):
            return len(ops)
        case ast.FunctionDef(body=body) | ast.If(body=body) | ast.For(body=body):
            return sum(map(_is_left_out, body))
        case ast.BinOp() | ast.BoolOp() | ast.UnaryOp() | ast.Constant() | ast.Call() | ast.IfExp():
            return 1
        case _:
            return 0


def _is_left_out(statement: ast.stmt) -> bool:
    called = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return isinstance(statement, ast.Raise) or called


def _change(node: ast.AST, way: int) -> bool:
    """Makes a mistake; whether there is one."""
    match node:
        case ast.Compare(ops=ops) if type(ops[way]) in OTHER:
            ops[way] = OTHER[type(ops[way])]()  # type: ignore[assignment]
        case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in OTHER:
            node.op = OTHER[type(op)]()  # type: ignore[assignment]
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            node.op, node.operand = ast.UAdd(), operand
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Call(func=ast.Name(id=name)) if name in CALLED:
            node.func = ast.Name(CALLED[name], ast.Load())
        case ast.IfExp(body=body):
            node.orelse = body
        case ast.FunctionDef(body=body) | ast.If(body=body) | ast.For(body=body):
            place = [at for at, each in enumerate(body) if _is_left_out(each)][way]
            body[place] = ast.Pass()
        case _:
            return False
    return True


def noticed(mutant: Mutant, home: Path) -> bool:
    """Whether the kernel's tests fail in a copy that has the mistake."""
    here = home / mutant.file
    right = here.read_text(encoding="utf-8")
    here.write_text(mutant.source, encoding="utf-8")
    try:
        return fail(home)
    finally:
        here.write_text(right, encoding="utf-8")


def fail(home: Path) -> bool:
    """Whether the kernel's tests fail in a copy."""
    asked = "-q", "-x", "-n", "0", "-m", "not long", "-p", "no:cacheprovider"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *asked, "--deselect", str(ABOUT_TEXT), str(TESTS)],
            cwd=home,
            env={"PYTHONPATH": str(home), "PATH": "/usr/bin:/bin", "HOME": str(home)},
            capture_output=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main(number: int = 50, seed: int = 0, file: str = "") -> None:
    """Puts so many mistakes into the kernel, or one file of it, and prints those that survive."""
    files = sorted((ROOT / KERNEL).glob(f"{file or '*'}.py"))
    every = [each for path in files for each in mutants(path.relative_to(ROOT))]
    some = Random(seed).sample(every, min(number, len(every)))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in ("progtf", "tests", "examples", "grammar", "pyproject.toml"):
            source, to = ROOT / name, home / name
            shutil.copytree(source, to) if source.is_dir() else shutil.copy(source, to)
        for path in files:  # as `ast` writes them
            text = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
            (home / path.relative_to(ROOT)).write_text(text, encoding="utf-8")
        if fail(home):
            sys.exit("the tests of the kernel fail without a mistake")
        survived = 0
        for count, each in enumerate(some, start=1):
            if not noticed(each, home):
                survived += 1
                print(f"{each.file}:{each.line}\n  - {each.before}\n  + {each.after}", flush=True)
            print(f"{count} of {len(some)} of {len(every)}, {survived} survive", flush=True)


if __name__ == "__main__":
    typer.run(main)
