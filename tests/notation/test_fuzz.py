"""A few thousand random and mutated texts; ``python -m benchmarks.fuzz_notation`` times 20,000."""

import pytest

from benchmarks.fuzz_notation import run
from progtf.building.load import analyse
from progtf.notation.render import render_all


@pytest.mark.parametrize("texts", [250, pytest.param(2500, marks=pytest.mark.long)])
def test_no_text_ends_in_a_traceback(texts):
    outcome = run(texts, seed=20)
    assert outcome.texts == texts
    assert outcome.programs > 0


@pytest.mark.parametrize("name", ["\0", "\ud800", "x" * 300, "std/\ud800", "std/" + "x" * 5000])
def test_names_that_no_file_has_are_refused_in_words(name, tmp_path):
    for folder in (None, tmp_path):
        program, found = analyse(f'use "{name}"\nsemes: a\n', "<test>", folder)
        assert program is None
        assert [each.code for each in found] == ["use"]
        render_all(found).encode()
