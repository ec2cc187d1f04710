"""Colours of the notation: generated from the grammar, and the same in all editors."""

import re

import pytest

from progtf.notation.highlight import as_json, colour_rules, keywords, textmate
from tests.programs import ROOT

PROGRAMS = sorted((ROOT / "examples").rglob("*.seme"))


def test_the_textmate_grammar_agrees_with_the_grammar():
    text = (ROOT / "docs" / "editors" / "vscode" / "seme.tmLanguage.json").read_text(
        encoding="utf-8"
    )
    assert text == as_json(textmate()), "new words: run: python scripts/highlighting.py"


def test_every_keyword_of_the_language_page_is_known():
    page = (ROOT / "docs" / "language.md").read_text(encoding="utf-8").split("## All keywords")[1]
    cells = [row.split("|")[1] for row in page.splitlines() if row.startswith("| `")]
    named = {word for cell in cells for word in re.findall(r"`([a-z]+[0-9]?):?`", cell)}
    words = keywords()
    assert named - {"mod", "div"} <= {*words.openers, *words.inside, *words.options}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_pygments_reads_every_example_without_an_error(path):
    pygments = pytest.importorskip("pygments", reason="pygments is not installed")
    from progtf.views.lexer import SemeLexer  # noqa: PLC0415  it needs pygments

    text = path.read_text(encoding="utf-8")
    tokens = list(pygments.lex(text, SemeLexer()))
    assert "".join(value for _, value in tokens).strip() == text.strip()
    assert [value for kind, value in tokens if "Error" in str(kind)] == []


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("layer first:", ["keyword", "name"]),
        ("    query: noun>wanted", ["keyword", "name", "operator", "name"]),
        ("  first: +noun", ["token", "operator", "name"]),
        ("    look: notself  # far", ["keyword", "option", "comment"]),
        (r"vec1: \langle\langle", ["name", "operator", "operator"]),
        ("vec1: ⟨⟨+pig⟩⟩", ["name", "operator", "name", "operator"]),
        ("    yum: apple & !any fruit when 2val >= 3", None),
        ("  the layer is red -> red: +noun", ["token", "operator", "name", "operator", "name"]),
    ],
)
def test_words_are_coloured_by_where_they_stand(line, kinds):
    found = [kind for kind, _ in coloured(line)]
    if kinds is None:
        kinds = ["token", "name", "operator", "operator", "option", "name", "keyword"]
        kinds += ["number", "name", "operator", "number"]
    assert found == kinds


def coloured(line):
    """The rules applied as an editor applies them."""
    rules = [(re.compile(rule.pattern), rule.kind) for rule in colour_rules()]
    place = 0
    while place < len(line):
        matches = ((kind, pattern.match(line, place)) for pattern, kind in rules)
        kind, found = next(((k, m) for k, m in matches if m and m.group()), (None, None))
        if found is not None:
            yield kind, found.group()
        place = found.end() if found else place + 1
