"""Names and words in any script: what Unicode calls a name is one, in normal form."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import progtf
from progtf.notation.format import format_text
from progtf.notation.names import shadow
from progtf.notation.render import SemeError
from progtf.notation.spell import is_name

NAMES = [
    "हिंदी", "नमस्ते", "क्ष", "ภาษาไทย", "น้ำ", "กี่", "தமிழ்", "சொல்", "বাংলা", "ক্ষ", "မြန်မာ", "ကောင်း",
    "عَرَبِيّ", "كِتَابٌ", "קָמֶץ", "שָׁלוֹם", "ẹ̀kọ́", "ọmọ̀", "ǹlá", "తెలుగు", "ಕನ್ನಡ", "മലയാളം", "සිංහල",
    "ਪੰਜਾਬੀ", "ગુજરાતી", "ଓଡ଼ିଆ", "ខ្មែរ", "ລາວ", "བོད་"[:-1], "монгол", "ᠮᠣᠩᠭᠣᠯ"[:5], "ދިވެހި", "ትግርኛ",
    "한국어", "日本語", "漢字", "かな", "ガ", "Ελληνικά", "русский", "նայել", "ქართული", "été",
    "naïve", "Straße", "İstanbul", "x_1", "x_", "x̂", "x⃗", "l·l", "℘", "ñandú", "t̪", "e̋", "𝔸", "𑄌𑄋𑄴",
    "नहीं1",
    "می‌خواهم", "ক্‍ষ", "a‿b",
]  # fmt: skip
NO_NAMES = ["", "1a", "\u0301a", "\u093e", "a b", "a-b", "a।", "a،b", "a\u00a0b", "a\u200bb",
            "a\u200db", "€", "“a”", "a…", "→", "a\u2028b", "१a"]  # fmt: skip


def program(name):
    return f"""semes: {name} other
lexicon:
  a: +{name}
  b: +other
layer one:
  head back:
    query: other>wanted
    key: {name}>wanted
    keypos: +1
    else: 0
    value: {name}>{name}
  feedforward:
    other: 1 when {name} & !other
"""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_of_any_script_is_read_computed_and_written(name, form):
    written, name = unicodedata.normalize(form, name), unicodedata.normalize("NFC", name)
    read = progtf.parse_program(program(written))
    assert progtf.interpret(read).run("a b") == f"a: +{name} +other | b: +{name} +other"
    assert name in progtf.interpret(read).semes
    text = format_text(program(written))
    assert format_text(text) == text
    assert f"+{name}" in text
    assert is_name(name)


@pytest.mark.parametrize("word", NAMES)
def test_a_word_of_any_script_is_a_token(word):
    word = unicodedata.normalize("NFC", word)
    for written in (word, f'"{word}"'):
        read = progtf.parse_program(f"semes: x\nlexicon:\n  {written}: +x\n")
        for form in ("NFC", "NFD"):
            asked = unicodedata.normalize(form, word)
            assert progtf.interpret(read).run(asked) == f"{word}: +x"


@pytest.mark.parametrize("name", NO_NAMES)
def test_what_unicode_calls_no_name_is_none(name):
    assert not is_name(name)
    rule = f"layer one:\n  feedforward:\n    {name}: other\n"
    with pytest.raises(SemeError):
        progtf.parse_program(f"semes: other\nlexicon:\n  a: +other\n{rule}")


CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"))


@given(st.text(CHARACTERS, min_size=1, max_size=4))
def test_every_identifier_of_unicode_is_a_name(text):
    normal = unicodedata.normalize("NFC", text)
    if normal.isidentifier():
        assert is_name(normal)


@given(st.text())
def test_a_shadow_has_the_length_of_its_text_and_leaves_what_is_no_mark(text):
    cast = shadow(text)
    assert len(cast) == len(text)
    changed = [one for one, other in zip(text, cast, strict=True) if one != other]
    assert all(not one.isascii() and not one.isspace() for one in changed)


def test_names_that_look_alike_are_one():
    text = "semes: é\nlexicon:\n  a: +e\u0301\n"
    assert progtf.interpret(progtf.parse_program(text)).run("a") == "a: +é"


@pytest.mark.parametrize("name", ["हिंदी", "น้ำ", "שָׁלוֹם", "e\u0301té"])
def test_a_misspelt_name_has_its_nearest(name):
    text = f"semes: {name}\nlexicon:\n  a: +{name}x\n"
    with pytest.raises(SemeError, match=f"did you mean `{unicodedata.normalize('NFC', name)}`"):
        progtf.parse_program(text)
