"""Programs of ``examples/``, and a word about those whose data is not here."""

from functools import cache
from pathlib import Path

import pytest

import progtf
from progtf.building.load import analyse
from progtf.notation.diagnostics import errors
from progtf.weights.changes import entries_of

ROOT = Path(__file__).parents[1]
MATH = ROOT / "examples" / "math"
ALL = MATH / "all.seme"
# Without all.seme: it is made of programs that are here on their own, and takes minutes.
PROGRAMS = sorted({*(ROOT / "examples").rglob("*.seme")} - {ALL})


# Those with some thousand weights and more: seconds for what the others take milliseconds for.
LARGE = frozenset(
    path for path in PROGRAMS if path.parent.name in ("math", "language", "algorithms", "machines")
)


QUICK = ("dyck2", "grammaticality", "mul", "sort")
# With the small ones they have all that a program can have (tests/test_programs.py).
VARIED = ("list_prime_factors", "scan", "sentiment", "simplify_power", "subleq", "translation")
EVERY = [
    pytest.param(
        path, id=path.stem, marks=[pytest.mark.long] * (path in LARGE and path.stem not in QUICK)
    )
    for path in PROGRAMS
]
# Of each kind, for tests that take a second for every thousand weights.
EACH = [
    case
    for case, path in zip(EVERY, PROGRAMS, strict=True)
    if path not in LARGE or path.stem in QUICK + VARIED
]


def beyond(cases, few):
    """Cases, or tuples of them, of which all but the first few are in `make test-all` alone."""
    first, rest = [*cases][:few], [case if isinstance(case, tuple) else (case,) for case in cases]
    return [*first, *(pytest.param(*case, marks=pytest.mark.long) for case in rest[few:])]


def group_of(value):
    """The large program that a parameter of a test is or names: one process compiles it for all."""
    name = value.stem if isinstance(value, Path) else value
    return name if isinstance(name, str) and name in {path.stem for path in LARGE} else None


@cache
def analysed(path):
    """The program of a file, or None, and what is wrong or doubtful in it."""
    return analyse(path.read_text(encoding="utf-8"), str(path), path.parent)


def loaded(path):
    """The program of a file; a test whose program wants absent data is skipped."""
    program, found = analysed(path)
    if program is not None:
        return program
    absent = [f"{d.headline}: {d.help}" for d in found if d.code == "use"]
    if absent:
        pytest.skip(absent[0])
    raise progtf.SemeError(errors(found))


@cache
def compiled(path, dtype=None):
    """The network of a file, which all tests share that change nothing in it."""
    return progtf.compile(loaded(path), dtype)


def same(one, other):
    """Whether two networks have the same written weights, bit by bit."""
    mine, theirs = entries_of(one), entries_of(other)
    return mine.keys() == theirs.keys() and all(
        value.hex() == theirs[key].hex() for key, value in mine.items()
    )
