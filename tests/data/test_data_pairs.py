"""Files of pairs are read by category, with the lines that their rows stand in."""

import gzip

import pytest

from progtf.data import DataError, open_pairs

TEXT = "a b\tx\tone\nc\ty\ttwo\nd\tz\tone\n"


def test_rows_of_a_category_come_together_with_their_lines(tmp_path):
    path = tmp_path / "dev.tsv"
    path.write_text(TEXT)
    one, two = open_pairs(path)
    assert (one.split, one.module, two.module) == ("dev", "one", "two")
    assert [problem.answer for problem in one.problems()] == ["x", "z"]
    assert [one.line(0), one.line(1), two.line(0)] == [1, 3, 2]
    assert [file.module for file in open_pairs(path, ["t*"])] == ["two"]


def test_rows_without_a_category_and_compressed_files_are_read(tmp_path):
    path = tmp_path / "test.tsv.gz"
    path.write_bytes(gzip.compress(b"walk\tI_WALK\n"))
    (file,) = open_pairs(path)
    assert (file.split, file.module, list(file.problems())) == ("test", "all", [("walk", "I_WALK")])


def test_lines_as_scan_has_them_are_read(tmp_path):
    path = tmp_path / "tasks.txt"
    path.write_text("IN: jump twice OUT: I_JUMP I_JUMP\n")
    (file,) = open_pairs(path)
    assert list(file.problems()) == [("jump twice", "I_JUMP I_JUMP")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"walk\tI_WALK\nrun\n", "a.tsv:2: this line has no tab"),
        ("a.txt", b"IN: walk OUT: I_WALK\nwalk\tI_WALK\n", "a.txt:2: this line is no pair"),
        ("a.tsv", b"", "there are no pairs in this file"),
        ("a.tsv", b"\xff\t\xff", "a.tsv:1: not written in UTF-8"),
        ("a.tsv.gz", b"\x1f\x8b\tI_WALK\n", "this file cannot be read"),
        ("b.tsv", None, "there is no such file"),
    ],
)
def test_a_file_that_is_wrong_is_told(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        open_pairs(tmp_path / name)


def test_a_category_that_is_not_there_is_told_with_the_nearest(tmp_path):
    (tmp_path / "dev.tsv").write_text(TEXT)
    with pytest.raises(DataError, match=r"no category is called tow\n.*did you mean `two`"):
        open_pairs(tmp_path / "dev.tsv", ["tow"])


@pytest.mark.parametrize("limit", [1, 2, 5, 100, 101])
def test_of_a_file_no_more_is_kept_than_is_asked_for(tmp_path, limit):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"q{n}\ta\t{'even' if n % 2 == 0 else 'odd'}\n" for n in range(200)))
    for file in open_pairs(path, (), limit):
        start = file.module == "odd"
        asked = [problem.question for problem in file.problems()]
        assert asked == [f"q{n}" for n in range(start, 200, 2)][:limit]
