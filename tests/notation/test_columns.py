"""Carets stand below what they mean in a terminal; editors hear of their own columns."""

import unicodedata

import pytest
from lsprotocol import types
from pygls.workspace import PositionCodec

from progtf.building.load import analyse
from progtf.lsp import convert
from progtf.lsp.document import Document
from progtf.lsp.rename import renamed
from progtf.notation.format import format_text
from progtf.notation.render import columns, render
from progtf.views.editor import problem

WIDE = {
    "": 0, "a": 1, "é": 1, "e\u0301": 1, "漢": 2, "漢字": 4, "한국": 4, "가": 2, "ｱ": 1, "Ａ": 2,
    "か": 2, "か\u3099": 2, "→": 1, "①": 1, "𝔸": 1, "🙂": 2, "👍🏽": 2, "❤\ufe0f": 2,
    "👩\u200d👩\u200d👧": 2, "🇩🇪": 2, "…": 1, "ё": 1, "е\u0308": 1, "ẹ\u0301": 1, "ọ̀": 1, "ǹ": 1,
    "น": 1, "กี่": 1, "ที่": 1, "שָׁלוֹם": 4, "كِتَاب": 4, "中a文": 5, "「」": 4, "、": 2, "ﬁ": 1, "x̂": 1,
    "x⃗": 1, "\u200b": 0, "\u2060": 0, "Straße": 6, "ß\u0323": 1, "日本語x": 7, "ꙮ": 1, "−": 1,
}  # fmt: skip


@pytest.mark.parametrize("text", WIDE)
def test_a_text_has_the_columns_of_a_terminal(text):
    assert columns(text) == WIDE[text]


@pytest.mark.parametrize("word", [word for word in WIDE if word.isidentifier()])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_the_caret_stands_below_what_it_means(word, form):
    text = unicodedata.normalize(form, f"semes: {word}\nlexicon:\n  {word}: +{word} +wrong\n")
    _, (found,) = analyse(text, "a.seme", None)
    lines = render(found).split("\n")
    shown = next(n for n, line in enumerate(lines) if " | " in line and "wrong" in line)
    before = lines[shown][: lines[shown].index("wrong")]
    caret = lines[shown + 1]
    assert columns(before) == caret.index("^")
    assert caret.count("^") == len("wrong")
    assert lines[1].endswith(f"a.seme:3:{columns(before) - columns('3 | ') + 1}")


KINDS = types.PositionEncodingKind
UNITS = {
    KINDS.Utf16: lambda text: len(text.encode("utf-16-le")) // 2,
    KINDS.Utf8: lambda text: len(text.encode()),
    KINDS.Utf32: len,
}


@pytest.mark.parametrize("word", ["été", "ẹ̀kọ́", "한국어", "नहीं", "が"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("units", UNITS)
def test_an_editor_is_told_of_its_own_columns(word, form, units):
    text = unicodedata.normalize(form, f"semes: {word} b\nlexicon:\n  {word}: +{word} +wrong\n")
    codec, size = PositionCodec(units), UNITS[units]
    document, line = Document("a.seme", text), text.split("\n")[2]
    told = convert.diagnostics(document, document.found, codec)
    (found,) = [each for each in told if "wrong" in each.message]
    assert found.range.start == types.Position(2, size(line[: line.index("wrong")]))
    assert found.range.end == types.Position(2, size(line))
    for column in range(len(line) + 1):
        at = types.Position(2, size(line[:column]))
        number, place = convert.place_of(document, at, codec)
        assert (number, place) == (3, len(unicodedata.normalize("NFC", line[:column])))
    if units == KINDS.Utf16:
        told = problem(next(d for d in document.found if "wrong" in d.headline), "a.seme")
        assert told["start"] == found.range.start.character


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_of_any_script_is_renamed_where_it_stands(form):
    text = unicodedata.normalize(form, "semes: नहीं b\nlexicon:\n  a: +b +नहीं\n  c: +नहीं\n")
    document = Document("a.seme", text)
    place = document.mentions[0].span
    spans = renamed(document, 1, place.start, "हाँ")
    lines = document.parsed[0].span.source.lines
    name = unicodedata.normalize("NFC", "नहीं")
    assert [lines[each.line - 1][each.start : each.end] for each in spans] == [name] * 3


def test_columns_of_words_are_those_of_a_terminal():
    text = "semes: a\nlexicon:\n  漢字: +a\n  b: +a\n  e\u0301: +a  # one\n"
    assert format_text(text).split("\n")[2:5] == ["  漢字: +a", "  b:    +a", "  é:    +a  # one"]
