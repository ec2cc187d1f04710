"""One table of words, marks and numbers: of the language page, of hovers, of completions."""

import pytest

from progtf.notation.highlight import keywords
from progtf.notation.vocabulary import (
    by_word,
    explained,
    figures_table,
    keywords_table,
    marks_table,
)
from tests.programs import ROOT


@pytest.mark.parametrize("table", [keywords_table(), marks_table(), figures_table()])
def test_the_language_page_has_the_tables_as_they_are(table):
    assert f"\n\n{table}\n\n" in (ROOT / "docs" / "language.md").read_text(encoding="utf-8")


def test_every_word_of_the_grammar_is_explained():
    words = keywords()
    assert {*words.openers, *words.inside, *words.options} - by_word().keys() == set()


@pytest.mark.parametrize(
    ("block", "line", "mark", "means"),
    [
        ("layer:\n  head:", "    when: noun", "when", "which readers read"),
        ("layer:\n  feedforward:", "    noun: 1 when noun", "when", "where the rule applies"),
        ("layer:\n  head:", "    value: 2noun>noun", ">", "from what is read to what is written"),
        ("layer:\n  head:", "    value: 2noun>noun", "2", "so many times that name"),
        ("layer:\n  head:", "    look: before", "before", "the tokens before the reader"),
        ("layer:\n  head:", "    at: -1", "1", "`1` the word behind"),
        ("layer:\n  head:", "    at: -1", "-", "before it"),
        ("layer:\n  head:", "    sharpness: 40", "40", "a number"),
        ("score:", "  pool: first", "first", "the first token alone"),
        ("model:", "  join: phrases", "join", "how words end"),
        ("spelling:", "  join: phrases", "join", "several words may be one token"),
    ],
)
def test_a_word_means_what_it_does_in_its_block(block, line, mark, means):
    lines = [*block.split("\n"), line]
    assert means in explained(lines, len(lines), line.index(mark))[1]


def test_names_are_explained_elsewhere():
    assert explained(["semes: noun"], 1, 8) is None
