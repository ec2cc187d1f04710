"""``progtf run --stream``: tokens as they come; and ``--file``: a file that is one text."""

import signal
import subprocess
import sys

import pytest

from tests.programs import ROOT
from tests.running.test_stream import COUNTS, ENDS

MACHINE = ROOT / "examples" / "machines" / "subleq.seme"
RUNS_ON = [sys.executable, "-m", "progtf", "run", str(MACHINE), "--stream", "0 0 0 run"]
"""Writes nine million tokens, `0 0 0` again and again."""


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.seme"
    path.write_text(COUNTS)
    return path


@pytest.fixture
def ends(tmp_path):
    path = tmp_path / "ends.seme"
    path.write_text(COUNTS.replace("-> 9", "-> 6") + ENDS)
    return path


def test_what_comes_bit_by_bit_is_the_answer(progtf, tmp_path):
    repeats = ROOT / "examples" / "continue_pattern.seme"  # characters, with nothing between them
    machine = ROOT / "examples" / "machines" / "subleq.seme"  # words, and an end
    for file, texts in ((repeats, ["abcab", "a"]), (machine, ["3 4 -1 7 3 run", "run"])):
        told = progtf("run", file, *texts, "--stream")
        assert told == progtf("run", file, *texts)
        assert told[0] == 0
    assert told[1] == "0 4 -4 end\nend\n"


def test_several_lines_of_stdin_are_several_texts(progtf, counts):
    status, out, err = progtf("run", counts, "-", "--stream", stdin="0\n\n0 1\n")
    assert (status, out) == (1, "1 2 3 4 5 6 7 8 9\n\n2 3 4 5 6 7 8 9 0\n")
    *told, refused = err.splitlines()
    assert [line.partition(":")[0] for line in told] == ["line 1", "line 2", "line 3"]
    assert refused == "1 of 3 inputs refused"


def test_a_text_that_is_refused_gives_an_empty_line_and_the_next_one_is_answered(progtf, ends):
    status, out, err = progtf("run", ends, "", "x", "0 1 2", "4", "--stream")
    assert (status, out) == (1, "\n\n\n5 6\n")
    assert err.splitlines() == [
        "text 1: the input is empty",
        "text 2: token 1, `x`, is not in the lexicon",
        "text 3: the input has 3 tokens, the program takes 2",
        "3 of 4 inputs refused",
    ]


def test_an_answer_that_does_not_end_has_its_line_and_status_1(progtf, tmp_path):
    path = tmp_path / "ends.seme"
    path.write_text(COUNTS.replace("-> 9", "-> 3") + ENDS)
    told = "the answer does not end: the output's length is 3 tokens, and no <eos> follows them"
    due = (1, "1 2 3\n5 6\n", f"text 1: {told}\n")
    assert progtf("run", path, "0", "4", "--stream") == due
    assert progtf("run", path, "0", "4") == due


def test_a_broken_promise_is_told_behind_the_answer_as_ever(progtf, counts):
    told = progtf("run", counts, "1", "--stream")
    assert told == progtf("run", counts, "1")
    assert told[:2] == (0, "2 3 4 5 6 7 8 9 0\n")
    assert "text 1: a promise of the program does not hold" in told[2]
    assert "`before` is 6 at token 7" in told[2]


def test_strict_stops_where_a_promise_breaks(progtf, counts):
    status, out, err = progtf("run", counts, "1", "0 5", "--stream", "--strict")
    assert (status, out) == (1, "2 3 4 5 6 7\n6 7\n")
    assert [line.partition(";")[2] for line in err.splitlines()] == [
        " `before` is 6 at token 7, and the rule in line 21 of counts.seme wants 0..5",
        " `before` is 6 at token 4, and the rule in line 21 of counts.seme wants 0..5",
    ]


@pytest.mark.parametrize(
    "more",
    [["--json"], ["--steps"], ["--trace", "late"], ["--margins"], ["--workers", "2"]],
    ids=lambda more: more[0],
)
def test_what_shows_whole_answers_shows_none_that_come_bit_by_bit(progtf, counts, more):
    status, out, err = progtf("run", counts, "1", "--stream", *more)
    assert (status, out) == (1, "")
    assert err.startswith("error: --stream prints tokens of the interpreter as they come; leave")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "more", [["--engine", "network"], ["--engine", "reference"], ["--dtype", "float32"]]
)
def test_the_interpreter_alone_writes_bit_by_bit(progtf, counts, more):
    status, out, err = progtf("run", counts, "1", "--stream", *more)
    assert (status, out) == (1, "")
    assert err.startswith("error: --stream prints tokens of the interpreter as they come; leave")


def test_what_is_no_decoder_is_refused(progtf):
    file = ROOT / "examples" / "math" / "place_value.seme"
    status, out, err = progtf("run", file, "What is the tens digit of 1234?", "--stream")
    assert (status, out) == (1, "")
    assert err == (
        f"error: {file}: only a decoder that goes on with its text writes bit by bit; "
        "leave --stream out\n"
    )


@pytest.mark.parametrize("stream", [[], ["--stream"]], ids=["at once", "bit by bit"])
@pytest.mark.parametrize("text", ["0 1", "0\n1\n", "\n0\r\n\r\n1", "\ufeff0\n1"])
def test_a_file_is_one_text_whatever_ends_its_lines(progtf, ends, tmp_path, text, stream):
    file = tmp_path / "text.txt"
    file.write_text(text, encoding="utf-8", newline="")
    assert progtf("run", ends, "--file", file, *stream) == (0, "2 3 4 5 6\n", "")


def test_the_last_line_end_of_a_file_is_no_character_of_its_text(progtf, tmp_path):
    (file := tmp_path / "text.txt").write_text("abcab\n")
    repeats = ROOT / "examples" / "continue_pattern.seme"
    assert progtf("run", repeats, "--file", file) == (0, "cabcab\n", "")


def test_files_come_behind_texts_in_their_order(progtf, ends, tmp_path):
    for name, text in (("a", "3"), ("b", "4\n")):
        (tmp_path / name).write_text(text)
    files = ("--file", tmp_path / "b", "--file", tmp_path / "a")
    assert progtf("run", ends, "-", *files, stdin="5\n") == (0, "6\n5 6\n4 5 6\n", "")


@pytest.mark.parametrize("stream", [[], ["--stream"]], ids=["at once", "bit by bit"])
def test_a_file_that_cannot_be_read_is_named(progtf, ends, tmp_path, stream):
    (wrong := tmp_path / "wrong").write_bytes(b"0 \xff")
    for file in (tmp_path / "absent", tmp_path, wrong):
        status, _, err = progtf("run", ends, "4", "--file", file, *stream)
        assert status == 1
        assert err.startswith(("error: ", "error[encoding]: "))
        assert str(file) in err


def test_a_program_of_the_machine_is_written_from_a_file(progtf, tmp_path):
    (file := tmp_path / "memory.txt").write_text("3 4 -1\n7 3\nrun\n")
    assert progtf("run", MACHINE, "--file", file, "--stream") == (0, "0 4 -4 end\n", "")


@pytest.fixture
def runs_on():
    """A command that writes for a minute, once it has begun to."""
    done = subprocess.Popen(
        RUNS_ON, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    with done:
        assert done.stdout is not None
        assert done.stdout.read(4) == b"0 0 "
        yield done
        done.kill()


def test_who_interrupts_has_what_was_written(runs_on):
    runs_on.send_signal(signal.SIGINT)
    out, err = runs_on.communicate(timeout=60)
    assert (runs_on.returncode, err) == (130, b"")
    assert {*out.split()} == {b"0"}
    assert len(out) < 16_000_000  # it had not come to its end


def test_a_reader_who_has_enough_ends_it_without_a_word(runs_on):
    runs_on.stdout.close()
    assert runs_on.stderr.read() == b""
    assert runs_on.wait(timeout=60) == 1
