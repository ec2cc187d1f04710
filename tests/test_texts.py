"""Texts as other systems write them: every one comes through one door, and says the same."""

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf import texts
from progtf.texts import NotTextError, lines_in, normal, passed_over, read_text, text_of

E = "é"
APART = "e\u0301"
SAME = "a é ü\nb\n"
AS_WRITTEN = {
    "UTF-8": SAME.encode(),
    "with a mark": SAME.encode("utf-8-sig"),
    "with two marks": "\ufeff".encode() + SAME.encode("utf-8-sig"),
    "Windows": SAME.replace("\n", "\r\n").encode(),
    "Windows with a mark": SAME.replace("\n", "\r\n").encode("utf-8-sig"),
    "old Mac": SAME.replace("\n", "\r").encode(),
    "mixed ends": b"a \xc3\xa9 \xc3\xbc\r\nb\r",
    "decomposed, as macOS names files": unicodedata.normalize("NFD", SAME).encode(),
    "decomposed with a mark": unicodedata.normalize("NFD", SAME).encode("utf-8-sig"),
    "decomposed, Windows": unicodedata.normalize("NFD", SAME).replace("\n", "\r\n").encode(),
    "UTF-16 of Windows": b"\xff\xfe" + SAME.replace("\n", "\r\n").encode("utf-16-le"),
    "UTF-16 with LF": b"\xff\xfe" + SAME.encode("utf-16-le"),
    "UTF-16 BE": b"\xfe\xff" + SAME.encode("utf-16-be"),
    "UTF-16 BE, Windows": b"\xfe\xff" + SAME.replace("\n", "\r\n").encode("utf-16-be"),
    "UTF-16 without a mark": SAME.encode("utf-16-le"),
    "UTF-16 BE without a mark": SAME.encode("utf-16-be"),
    "UTF-16, decomposed": unicodedata.normalize("NFD", SAME).encode("utf-16"),
    "UTF-32": b"\xff\xfe\x00\x00" + SAME.encode("utf-32-le"),
    "UTF-32 BE": b"\x00\x00\xfe\xff" + SAME.encode("utf-32-be"),
}
LINES = [  # bytes, the lines that they are; None for a line that is no text
    (b"", []),
    (b"\xef\xbb\xbf", []),
    (b"\n", [""]),
    (b"a", ["a"]),
    (b"a\n", ["a"]),
    (b"a\n\n", ["a", ""]),
    (b"a\n\nb", ["a", "", "b"]),
    (b"a\r\nb\r\n", ["a", "b"]),
    (b"a\rb\r", ["a", "b"]),
    (b"a\r\r\nb", ["a", "", "b"]),
    (b"a\n\rb", ["a", "", "b"]),
    (b"\r\n", [""]),
    ("a\u2028b\n".encode(), ["a\u2028b"]),
    ("a\u2029b\n".encode(), ["a\u2029b"]),
    ("a\x85b\n".encode(), ["a\x85b"]),
    (b"a\x0bb\x0cc\x1cd\n", ["a\x0bb\x0cc\x1cd"]),
    (b"\xff\n", [None]),
    (b"a\n\xff\nb\n", ["a", None, "b"]),
    (b"a\n\xe9t\xe9\nb", ["a", None, "b"]),
    (b"a\n\xc3\nb", ["a", None, "b"]),
    (b"\xed\xa0\x80\nb", [None, "b"]),
    (b"\xc0\x80\nb", [None, "b"]),
    (b"\xf4\x90\x80\x80\nb", [None, "b"]),
    (b"\xef\xbb\xbf\xff\nb", [None, "b"]),
    (b"b\n\xff", ["b", None]),
    (b"b\r\xff\rc", ["b", None, "c"]),
    ("b\n\ufeffc".encode(), ["b", "c"]),
    (b"ab\0c\nd", ["ab\0c", "d"]),
    ("e\u0301\n".encode(), ["é"]),
    ("\u1100\u1161\u11a8\n".encode(), ["각"]),
    ("\u212b\u2126\n".encode(), ["ÅΩ"]),
    ("\u0931\u093c\n".encode(), ["\u0931\u093c"]),
    ("q\u0323\u0307\n".encode(), ["q\u0323\u0307"]),
    ("q\u0307\u0323\n".encode(), ["q\u0323\u0307"]),
    ("ẹ\u0301\n".encode(), ["ẹ\u0301"]),
    ("é\u0323\n".encode(), ["ẹ\u0301"]),
    ("\ufb01 ﬁ ① ²\n".encode(), ["\ufb01 ﬁ ① ²"]),
    (b"\xff\xfea\0\n\0\x00\xd8\n\0b\0", ["a", None, "b"]),
    (b"\xff\xfea\0\n\0b", ["a", None]),
    ("\u010a\u0a0a\n\u0d0a".encode("utf-16"), ["\u010a\u0a0a", "\u0d0a"]),
    (b"\xff\xfe", []),
    (b"a\tb\r\n", ["a\tb"]),
    (b"  a  \n", ["  a  "]),
]  # fmt: skip


@pytest.mark.parametrize("way", AS_WRITTEN)
def test_whatever_wrote_a_text_it_is_the_same(way, tmp_path):
    data = AS_WRITTEN[way]
    assert text_of(data) == SAME
    assert [each.text for each in lines_in(io.BytesIO(data))] == SAME.splitlines()
    assert [each.text for each in lines_in(_Slow(data))] == SAME.splitlines()
    (tmp_path / "a").write_bytes(data)
    assert read_text(tmp_path / "a") == SAME


@pytest.mark.parametrize(("data", "expected"), LINES)
def test_a_line_that_is_no_text_leaves_the_others(data, expected):
    for file in (io.BytesIO(data), _Slow(data)):
        found = list(lines_in(file))
        assert [None if each.wrong else each.text for each in found] == expected
        assert [each.number for each in found] == [*range(1, len(expected) + 1)]
    if None in expected:
        with pytest.raises(NotTextError) as error:
            text_of(data)
        assert error.value.line == expected.index(None) + 1
    else:
        assert text_of(data).removesuffix("\n").split("\n") == (expected or [""])


class _Slow(io.RawIOBase):
    """A stream that gives a byte at a time, as a slow pipe may."""

    def __init__(self, data):
        self.data = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        piece = self.data.read(1)
        buffer[: len(piece)] = piece
        return len(piece)


PIECES = st.sampled_from(["a", "é", "e\u0301", "\r\n", "\n", "𝔸", " ", "\t", "각", "\u1100\u1161"])


@given(
    st.lists(PIECES),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_text_is_the_same_in_any_encoding(pieces, encoding, end):
    text = "b" + "".join(pieces).replace("\r\n", "\n")
    data = text.replace("\n", end).encode(encoding)
    due = unicodedata.normalize("NFC", text)
    assert text_of(data) == due
    assert [each.text for each in lines_in(io.BytesIO(data))] == due.removesuffix("\n").split("\n")


@given(st.binary())
def test_any_bytes_are_lines_or_named(data):
    found = list(lines_in(io.BytesIO(data)))
    assert [each.number for each in found] == [*range(1, len(found) + 1)]
    for each in found:
        assert each.wrong or normal(each.text.encode().decode()) == each.text
        assert "\n" not in each.text
        assert "\r" not in each.text
    wrong = [each for each in found if each.wrong]
    if wrong:
        with pytest.raises(NotTextError) as error:
            text_of(data)
        assert (error.value.line, error.value.why) == (wrong[0].number, wrong[0].wrong)
    else:
        text = text_of(data)
        assert [each.text for each in found] == (
            text.removesuffix("\n").split("\n") if text else []
        )


def test_a_wrong_line_says_where_and_which_byte():
    found = list(lines_in(io.BytesIO(b"gr\xfcn\n")))
    assert found[0].wrong == "not written in UTF-8: character 3 is the byte 0xfc"


def test_a_line_has_a_bound(monkeypatch):
    monkeypatch.setattr(texts, "LONGEST", 4)
    found = lines_in(io.BytesIO(b"abc\nabcd\nab\n"))
    assert next(found).text == "abc"
    with pytest.raises(texts.TooLongError) as error:
        next(found)
    assert error.value.line == 2


NO_TEXTS = ["._a.txt", "Thumbs.db", "desktop.ini", ".DS_Store", "a.txt~", ".a.txt.swp", "#a.txt#",
            "a.txt.bak", ".#a.txt", "a.txt.orig", "thumbs.db", "a.tsv.swo", "~$a.txt",
            "__MACOSX"]  # fmt: skip
OF_PEOPLE = ["a.txt", "_a.txt", "a._b.txt", "thumbs.txt", "bak.txt", "a.db.txt", "#a.txt"]


@pytest.mark.parametrize("name", NO_TEXTS)
def test_what_systems_and_editors_leave_is_no_text(name, tmp_path):
    assert passed_over(tmp_path / name)


@pytest.mark.parametrize("name", OF_PEOPLE)
def test_what_people_write_is(name, tmp_path):
    assert not passed_over(tmp_path / name)
