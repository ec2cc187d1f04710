import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.data import (
    CHARACTERS,
    EXTRAPOLATION_MODULES,
    MODULES,
    DataError,
    Problem,
    open_layout,
    text,
)


def lines(size):
    return st.text(st.sampled_from(CHARACTERS), min_size=1, max_size=size)


problems = st.builds(Problem, lines(160), lines(30))


def contents(files):
    return {(file.split, file.module): list(file.problems()) for file in files}


def archive(math, path, prefix="mathematics_dataset-v1.0"):
    with tarfile.open(path, "w:gz") as tar:
        tar.add(math, prefix)
    return path


def test_all_modules_are_read(math):
    read = contents(open_layout(math))
    assert {module for split, module in read if split == "interpolate"} == set(MODULES)
    assert {m for split, m in read if split == "extrapolate"} == set(EXTRAPOLATION_MODULES)
    assert all(len(problems) == 15 for problems in read.values())
    assert read["interpolate", "numbers__place_value"][0] == Problem(
        "What is the tens digit of 79156935?", "3"
    )


def test_an_archive_reads_as_the_folder_does(math, tmp_path):
    path = archive(math, tmp_path / "math.tar.gz")
    assert contents(open_layout(path)) == contents(open_layout(math))
    some = {"splits": ["extrapolate"], "modules": ["numbers"]}
    assert contents(open_layout(path, **some)) == contents(open_layout(math, **some))


def test_one_split_s_folder_can_be_given(math):
    assert len(contents(open_layout(math / "extrapolate"))) == 15


def test_training_splits_are_read_together(tmp_path):
    for split in ("train-easy", "train-medium", "train-hard"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "numbers__gcd.txt").write_text(f"{split}?\n1\n".replace("-", " "))
    read = contents(open_layout(tmp_path, ["train-easy", "train-medium", "train-hard"]))
    assert [problem.question for some in read.values() for problem in some] == [
        "train easy?",
        "train medium?",
        "train hard?",
    ]


@given(st.lists(problems, min_size=1), st.integers(200, 2000))
def test_problems_are_read_whatever_the_size_of_the_pieces(problems, piece):
    file = io.BytesIO("".join(f"{q}\n{a}\n" for q, a in problems).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "PIECE", piece)
        pieces = list(text.read_text(file, "x"))
    read = b"".join(piece.characters.tobytes() for piece in pieces).decode()
    assert read == "".join(q + a for q, a in problems)
    assert [n for piece in pieces for n in piece.question_length] == [len(q) for q, _ in problems]
    assert [n for piece in pieces for n in piece.answer_length] == [len(a) for _, a in problems]


GOOD = b"What is 1 + 1?\n2\n" * 500

BAD = {
    "odd": (b"What is 2 + 2?\n", 1001, "the last question has no answer"),
    "half-written question": (b"What is 2 +", 1001, "the last line has no line end"),
    "half-written answer": (b"What is 2 + 2?\n4", 1002, "the last line has no line end"),
    "empty answer": (b"What is 2 + 2?\n\nWhat?\n1\n", 1002, "the answer is empty"),
    "empty question": (b"\n4\n", 1001, "the question is empty"),
    "blank line at the end": (b"\n", 1001, "the question is empty"),
    "long question": (b"x" * 161 + b"\n4\n", 1001, "the question has more than 160 characters"),
    "long answer": (b"What?\n" + b"1" * 31 + b"\n", 1002, "the answer has more than 30 characters"),
    "unknown character": (b"What is 2 _ 2?\n4\n", 1001, "character 11, '_', is not one of"),
    "unknown in an answer": ("What?\n2€\n".encode(), 1002, "character 2, '€', is not one of"),
    "not text": (b"\xff\xfe\x00\n4\n", 1001, "character 1, '\ufffd', is not one of"),
    "Latin-1": (b"What?\n\xe9\n", 1002, "character 1, '\ufffd', is not one of"),
    "no line ends": (b"1" * 5000, 1001, "the question has more than 160"),
}


@pytest.mark.parametrize(("added", "line", "message"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("piece", [64, 1 << 22])
def test_a_bad_line_is_named_with_its_file_and_number(
    tmp_path, monkeypatch, added, line, message, piece
):
    monkeypatch.setattr(text, "PIECE", piece)
    path = tmp_path / "interpolate" / "numbers__gcd.txt"
    path.parent.mkdir()
    path.write_bytes(GOOD + added)
    with pytest.raises(DataError) as caught:
        contents(open_layout(tmp_path))
    assert str(caught.value).startswith(f"{path}:{line}: {message}")
    assert caught.value.help


def test_the_first_bad_line_is_the_one_that_is_named(tmp_path):
    path = tmp_path / "interpolate" / "numbers__gcd.txt"
    path.parent.mkdir()
    path.write_bytes(b"What?\n1\nWhat _?\n1\n\n1\n")
    with pytest.raises(DataError, match=r"gcd\.txt:3: character 6"):
        contents(open_layout(tmp_path))


def test_an_empty_file_is_an_error(tmp_path):
    (tmp_path / "interpolate").mkdir()
    (tmp_path / "interpolate" / "numbers__gcd.txt").touch()
    with pytest.raises(DataError, match="the file is empty"):
        contents(open_layout(tmp_path))


def test_an_unfinished_build_is_not_read(tmp_path):
    (tmp_path / "interpolate").mkdir()
    (tmp_path / "interpolate" / "numbers__gcd.txt").write_bytes(GOOD)
    (tmp_path / "interpolate" / "numbers__lcm.txt.part").write_bytes(GOOD)
    with pytest.raises(DataError, match=r"numbers__lcm\.txt\.part: this file is half-made"):
        open_layout(tmp_path)
    assert len(contents(open_layout(tmp_path, modules=["numbers__gcd"]))) == 1


def test_a_missing_place_is_named_with_the_nearest(tmp_path):
    (tmp_path / "maths").mkdir()
    with pytest.raises(DataError, match="no such folder") as caught:
        open_layout(tmp_path / "math")
    assert caught.value.help == "did you mean `maths`?"


def test_a_folder_without_splits_says_where_they_are(math, tmp_path):
    with pytest.raises(DataError, match="no questions of train-easy"):
        open_layout(tmp_path, ["train-easy"])
    with pytest.raises(DataError) as caught:
        open_layout(math.parent)
    assert caught.value.help == f"there are some in {math}"


def test_an_unknown_module_is_an_error(math, tmp_path):
    with pytest.raises(DataError, match="no module is called `numbers__gdc`"):
        open_layout(math, modules=["numbers__gdc"])
    with pytest.raises(DataError, match="no module is called `numbers__gdc`"):
        list(open_layout(archive(math, tmp_path / "math.tar.gz"), modules=["numbers__gdc"]))


@pytest.mark.parametrize("left", [100, 5000, 20000])
def test_a_cut_archive_is_an_error(math, tmp_path, left):
    path = archive(math, tmp_path / "math.tar.gz")
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(DataError, match="the archive is damaged"):
        contents(open_layout(path))


def test_an_archive_of_something_else_is_an_error(tmp_path):
    path = tmp_path / "math.tar.gz"
    path.write_bytes(b"hello" * 1000)
    with pytest.raises(DataError, match="the archive is damaged"):
        contents(open_layout(path))
