"""Who only scores goes on without the questions that cannot be read, and says which these are."""

import io
import tarfile
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.data import DataError, Told, open_layout, text
from progtf.data.tokens import extended
from progtf.texts import Cleaned

GOOD = st.tuples(
    st.sampled_from(["What is 1?", "Who?", "1 + 1"]), st.sampled_from(["1", "no", "-3/4"])
)
WRONG = st.sampled_from(
    [(b"", b"1"), (b"Who?", b""), (b"Who?", b"x" * 31), (b"y" * 161, b"1"), (b"\xff", b"1"),
     (b"Who?", b"\xc3"), ("漢".encode(), b"1"), (b"Who?\t", b"1")]
)  # fmt: skip
PIECES = st.sampled_from([200, 333, 1 << 22])


@given(
    st.lists(st.one_of(GOOD, WRONG), min_size=1), PIECES, st.sampled_from([b"\n", b"\r\n", b"\r"])
)
def test_what_is_right_is_read_and_what_is_wrong_is_named(pairs, piece, end):
    right = [isinstance(question, str) for question, _ in pairs]
    whole = [tuple(s.encode() if isinstance(s, str) else s for s in pair) for pair in pairs]
    data = b"".join(question + end + answer + end for question, answer in whole)
    told, gone = Told(), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "PIECE", piece)
        cleaned = Cleaned(io.BytesIO(data))
        read = list(text.read_text(cleaned, "x", told=told, gone=gone.append))
    found = b"".join(each.characters.tobytes() for each in read).decode()
    assert found == "".join(q + a for (q, a), good in zip(pairs, right, strict=True) if good)
    assert gone == [n for n, good in enumerate(right) if not good]
    assert told.count == len(gone)
    lines = [2 * n + 1 + (not _wrong(whole[n][0], 160)) for n in gone]
    assert [each.line for each in told.refused] == lines


def _wrong(line, most):
    return not line or len(line) > most or not line.isascii() or b"\t" in line


AS_WRITTEN = {
    "with a mark": lambda data: b"\xef\xbb\xbf" + data,
    "Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "Windows with a mark": lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
    "old Mac": lambda data: data.replace(b"\n", b"\r"),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-16 of Windows": lambda data: data.decode().replace("\n", "\r\n").encode("utf-16"),
    "UTF-32": lambda data: data.decode().encode("utf-32"),
    "decomposed": lambda data: unicodedata.normalize("NFD", data.decode()).encode(),
}
LINES = "What is é?\nü\nWho?\n1\n"


@pytest.mark.parametrize("way", AS_WRITTEN)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("told", [None, Told()])
def test_files_of_modules_may_be_written_in_any_way(way, packed, told, tmp_path):
    path = tmp_path / "math" / "interpolate" / "numbers__gcd.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(AS_WRITTEN[way](LINES.encode()))
    (path.parent / "._numbers__gcd.txt").write_bytes(b"\0\5\x16\7")
    (path.parent / "Thumbs.db").write_bytes(b"\xd0\xcf")
    (path.parent / "numbers__gcd.txt~").write_bytes(b"old")
    root = path.parents[1]
    if packed:
        root = tmp_path / "math.tar.gz"
        with tarfile.open(root, "w:gz") as made:
            made.add(path.parents[1], "math")
    given = {} if told is None else {"told": told}
    files = open_layout(root, vocabulary=extended(set("éü")), **given)
    read = [problem for file in files for problem in file.problems()]
    assert read == [("What is é?", "ü"), ("Who?", "1")]
    if told is not None:
        names = {each.rpartition("/")[2] for each in told.passed}
        assert names >= {"._numbers__gcd.txt", "Thumbs.db", "numbers__gcd.txt~"}
        assert len(told.passed) == len({*told.passed})
        told.passed.clear()


@pytest.mark.parametrize(
    ("end", "read", "refused", "doubtful"),
    [("", 2, 0, 0), ("Who?\n2", 3, 0, 1), ("Who?\n", 2, 1, 0), ("Who?", 2, 1, 0), ("\n", 2, 0, 0),
     ("\n\n", 2, 0, 0), ("\n\n\n", 2, 0, 0), ("Who?\n2\n\n", 3, 0, 0)],
)  # fmt: skip
def test_the_end_of_a_file(end, read, refused, doubtful, tmp_path):
    path = tmp_path / "interpolate" / "numbers__gcd.txt"
    path.parent.mkdir()
    path.write_text("What?\n1\nWhy?\n2\n" + end)
    told = Told()
    (file,) = open_layout(tmp_path, told=told)
    assert len(list(file.problems())) == read
    assert (told.count, len(told.doubtful)) == (refused, doubtful)
    if end and not end.startswith("Who?\n2\n"):
        with pytest.raises(DataError, match=r"numbers__gcd\.txt:"):
            [*next(open_layout(tmp_path)).problems()]


def test_lines_are_those_of_the_file_though_some_before_are_refused(tmp_path):
    path = tmp_path / "interpolate" / "numbers__gcd.txt"
    path.parent.mkdir()
    path.write_text("a?\n\n" + "b?\n2\n" + "?\n" + "x" * 40 + "\nc?\n3\n")
    (file,) = open_layout(tmp_path, told=Told())
    for _ in range(2):
        assert list(file.problems()) == [("b?", "2"), ("c?", "3")]
        assert [file.line(0), file.line(1)] == [3, 7]
