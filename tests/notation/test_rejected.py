"""Rejected programs and what is said about them, kept beside each other.

``pytest tests/notation/test_rejected.py --update-golden`` writes the messages anew; read the
difference before it is committed.
"""

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from progtf.building.load import analyse, unread_examples
from progtf.exact import check
from progtf.notation.diagnostics import Diagnostic, errors
from progtf.notation.files import read_text
from progtf.notation.render import SemeError, render_all
from tests.notation.codes import ROOT, all_codes

GOLDEN = ROOT / "tests" / "golden"
REJECTED = sorted((GOLDEN / "rejected").glob("*.seme"))
WARNED = sorted((GOLDEN / "warned").glob("*.seme"))
INEXACT = sorted((GOLDEN / "inexact").glob("*.seme"))
EVERY = [*REJECTED, *WARNED, *INEXACT]


def found_in(path: Path) -> tuple[Diagnostic, ...]:
    os.chdir(path.parent)
    try:
        text = read_text(path, path.name)
    except SemeError as error:
        return tuple(error.diagnostics)
    program, found = analyse(text, path.name, path.parent)
    found = (*found, *(() if program is None else unread_examples(program)))
    if path in INEXACT:
        assert program is not None
        report = check(program, *options(text))
        return (*found, *report.found, *report.unproven)
    return found


def options(text: str) -> tuple[str, int | None]:
    """The format and the length that the first line of a program asks to be checked."""
    words = text.partition("\n")[0].split()
    given = dict(pairwise(words))
    length = given.get("--length")
    return given.get("--dtype", "float32"), None if length is None else int(length)


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    monkeypatch.chdir(GOLDEN)  # and back again, wherever the test goes


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_the_message_is_as_it_was(path, request):
    shown = render_all(found_in(path)) + "\n"
    golden = path.with_suffix(".txt")
    if request.config.getoption("--update-golden"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", REJECTED, ids=lambda path: path.stem)
def test_a_rejected_program_has_errors(path):
    assert errors(found_in(path))


@pytest.mark.parametrize("path", WARNED, ids=lambda path: path.stem)
def test_a_doubtful_program_has_warnings_only(path):
    found = found_in(path)
    assert found
    assert not errors(found)


@pytest.mark.parametrize("path", INEXACT, ids=lambda path: path.stem)
def test_a_program_that_is_not_exact_is_refused(path):
    assert path.stem.partition("_at_")[0].replace("_", "-") in {d.code for d in found_in(path)}


def test_there_is_a_program_for_every_code():
    assert len(REJECTED) >= 45
    assert all_codes() - {d.code for path in EVERY for d in found_in(path)} == set()


def test_every_message_has_its_program():
    messages = {path.stem for path in GOLDEN.glob("*/*.txt")}
    assert messages == {path.stem for path in EVERY}


def test_every_code_has_an_entry_in_the_docs():
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    entries = re.findall(r"^### ([a-z-]+)$", page, flags=re.MULTILINE)
    assert entries == sorted(set(entries))
    assert set(entries) == all_codes()
    for entry in re.split(r"^### ", page, flags=re.MULTILINE)[1:]:
        assert entry.count("```") == 2, entry
        assert "# wrong" in entry, entry
