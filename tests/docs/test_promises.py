"""A promise of a page names the test that tries to break it, or is what a word means, or was seen.

`promises.toml` has for every page: words of a line that promises -> a test; or `meaning`, where the
line says what something is, or advises; or `seen`, where it tells what came out once. Reference
pages whose every line is of one kind, and records of decisions, are left out by name.
"""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEDGER = tomllib.loads(Path(__file__).with_name("promises.toml").read_text(encoding="utf-8"))
# Codes and circuits have a test each (tests/golden, test_circuits_page.py); outcomes are a table.
LEFT_OUT = {"errors.md", "circuits.md", "outcomes.md", "essay.md"}
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in LEFT_OUT),
]

PROMISE = re.compile(
    r"\b(never|always|refus(e|es|ed)|whatever|bit (by|for) bit|every bit|last bit|no matter)\b"
    r"|\bguarantees?\b"
    r"|\b(of|at|in|for) any (text|input|order|batch|length|format|number|program|weights)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"^ *(`{3,})[^`\n]*\n.*?^ *\1 *$", re.DOTALL | re.MULTILINE)


def promises(text):
    """The lines outside of code that promise something."""
    return [line for line in _CODE.sub("", text).splitlines() if PROMISE.search(line)]


@cache
def functions_of(path):
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}


def name(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_promise_is_in_the_ledger(page):
    known = LEDGER.get(name(page), {})
    lines = promises(page.read_text(encoding="utf-8"))
    left = [line for line in lines if not any(words in line for words in known)]
    assert left == [], "which test tries to break this? say so in tests/docs/promises.toml"


@pytest.mark.parametrize("page", LEDGER)
def test_what_the_ledger_has_stands_in_its_page(page):
    lines = promises((ROOT / page).read_text(encoding="utf-8"))
    gone = [words for words in LEDGER[page] if not any(words in line for line in lines)]
    assert gone == []


@pytest.mark.parametrize("page", LEDGER)
def test_a_promise_has_its_test(page):
    for words, test in LEDGER[page].items():
        if test not in ("meaning", "seen"):
            path, _, function = test.partition("::")
            assert function.startswith("test_"), words
            assert function in functions_of(path), words


def test_a_promise_is_found():
    found = promises("It never fails.\n```sh\nnever\n```\nAny text.\nRight at any length.\n")
    assert found == ["It never fails.", "Right at any length."]
