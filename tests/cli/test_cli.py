"""The command line as a person uses it."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from unicodedata import normalize

import pytest
from typer.testing import CliRunner

from progtf import interpret, load
from progtf.cli.main import app

PLACE_VALUE = "examples/math/place_value.seme"
NOUNS = """\
semes: noun adjective black white dog cat
clocks: /7 /40
lexicon:
  black: +adjective +black
  white: +adjective +white
  dog: +noun +dog
  cat: +noun +cat
layer noun_phrase:
  head colour:
    query: noun>wanted
    key: adjective>wanted
    keypos: +1
    else: 0
    value: black>black, white>white
examples:
  black dog white cat -> dog: +noun +dog +black | cat: +noun +cat +white
"""


@pytest.fixture
def nouns(tmp_path):
    path = tmp_path / "nouns.seme"
    path.write_text(NOUNS)
    return path


def test_run_answers_a_text(progtf, nouns):
    assert progtf("run", nouns, "black dog") == (
        0,
        "black: +adjective +black | dog: +noun +black +dog\n",
        "",
    )


@pytest.mark.parametrize("engine", [[], ["--engine", "interpreter"], ["--engine", "network"]])
def test_run_gives_a_line_for_every_line(progtf, nouns, engine):
    status, out, err = progtf("run", nouns, "-", *engine, stdin="black dog\n\nblack dgo\ncat\n")
    assert out.splitlines() == [
        "black: +adjective +black | dog: +noun +black +dog",
        "",
        "",
        "cat: +noun +cat",
    ]
    assert err.splitlines() == [
        "line 2: the input is empty",
        "line 3: token 2, `dgo`, is not in the lexicon; did you mean `dog`?",
        "2 of 4 inputs refused",
    ]
    assert status == 1


def test_run_tells_which_answers_are_doubtful(progtf, tmp_path):
    path = tmp_path / "sum.seme"
    path.write_text(
        "semes:\n  is_a\n  n: 0..9\nlexicon:\n  a: +is_a +5n\n  b: 0\nlayer:\n  head:\n"
        "    look: before\n    where: is_a\n    value: n>n\n"
        "classify:\n  TEN: n - 5\n  NONE: 0\n"
    )
    for more in ((), ("--engine", "interpreter")):
        assert "line 1" not in progtf("run", path, *more, "b")[2]
        assert "`TEN` and `NONE` share the best score" in progtf("run", path, *more, "a")[2]
        assert (
            "`n` is 10 at token 2, `a`, outside its range 0..9"
            in progtf("run", path, *more, "a a")[2]
        )


def test_run_as_json(progtf, nouns):
    _, out, _ = progtf("run", nouns, "--json", "dog")
    assert json.loads(out)["tokens"] == [
        {"token": "dog", "from": 0, "to": 3, "semes": {"noun": 1.0, "dog": 1.0}}
    ]


def test_run_shows_semes_by_layer(progtf):
    _, out, _ = progtf(
        "run", PLACE_VALUE, "--trace", "place,hit", "What is the tens digit of 1234?"
    )
    rows = [line.split() for line in out[out.index("encoder / hit") :].splitlines()]
    assert ["29", "'3'", "1", "1"] in rows


@pytest.mark.parametrize("engine", [[], ["--engine", "network"]])
def test_run_shows_margins(progtf, engine):
    _, out, _ = progtf("run", PLACE_VALUE, "--margins", "What is the tens digit of 1234?", *engine)
    assert "logit gap" in out
    assert "attention gap" in out
    assert "threshold margin, of a step" in out


def test_test_says_what_was_expected(progtf, nouns):
    nouns.write_text(NOUNS.replace("cat: +noun +cat +white", "cat: +noun +cat"))
    for more, ways in ((), 1), (("--engine", "network"), 3):
        status, out, _ = progtf("test", nouns, *more)
        assert status == 1
        assert f"0 of {ways} right" in out
        assert out.count("expected dog: +noun +dog +black | cat: +noun +cat\n") == ways


def test_an_example_of_a_used_file_is_named_where_it_stands(progtf, tmp_path):
    used = "semes: noun\nlexicon:\n  dog: +noun\nexamples:\n  dog -> dog: -noun\n"
    (tmp_path / "used.seme").write_text(used, encoding="utf-8")
    user = tmp_path / "user.seme"
    user.write_text('use "used.seme"\n', encoding="utf-8")
    status, out, _ = progtf("test", user)
    assert status == 1
    assert "used.seme:5: " in out


def test_run_takes_texts_that_begin_with_a_sign(progtf, tmp_path):
    program = tmp_path / "signs.seme"
    program.write_text("semes: minus\nlexicon:\n  '-3': +minus\n  '--x': 0\n", encoding="utf-8")
    assert progtf("run", program, "-3")[1] == '"-3": +minus\n'
    assert "there is no option --margin; a text" in progtf("run", program, "--margin", "-3")[2]


def test_check_prints_bounds_and_assumptions(progtf):
    status, out, _ = progtf("check", PLACE_VALUE)
    assert status == 0
    for words in ("attention gap, nats", "threshold margin, of a step", "logit gap at least 0.99"):
        assert words in out
    assert "assumes that `place[..]` stays in 0..1" in out
    assert "`hit` stays" not in out  # no digit is asked for in two ways
    assert "exact if what is assumed holds: weights in float32, 162 tokens at most" in out


def test_check_names_the_file_of_a_line_that_stands_in_another_one(progtf):
    _, out, _ = progtf("check", "progtf/std/add_numbers.seme")
    assert "  read_numbers.seme:" in out


def test_check_refuses_what_would_not_be_exact(progtf, tmp_path):
    program = tmp_path / "past.seme"
    text = "semes:\n  n: 0..1000\nlexicon:\n  x: +777n\noutput:\n  classify n in 0..9\n"
    program.write_text(text, encoding="utf-8")
    assert progtf("check", "-q", program) == (0, "", "")
    status, _, err = progtf("check", "--dtype", "bfloat16", program)
    assert status == 1
    assert "error[past-format]" in err
    assert "float8 is none of" in progtf("check", "--dtype", "float8", program)[2]


def test_check_lists_all_errors(progtf, nouns):
    nouns.write_text(
        NOUNS.replace("+dog", "+dgo").replace("look", "lok").replace("noun>wanted", "nuon>wanted")
    )
    status, out, err = progtf("check", nouns)
    assert (status, out) == (1, "")
    assert err.count("error[unknown-seme]") == 2
    assert "did you mean `dog`?" in err


def test_fmt_checks_and_formats(progtf, nouns):
    nouns.write_text(NOUNS.replace("+adjective +black", "+adjective   +black"))
    assert progtf("fmt", "--check", nouns)[0] == 1
    assert progtf("fmt", nouns) == (0, f"formatted {nouns}\n", "")
    assert progtf("fmt", "--check", nouns) == (0, "", "")


def test_compile_run_decompile_diff(progtf, nouns, tmp_path):
    folder, text = tmp_path / "folder", tmp_path / "again.seme"
    assert progtf("compile", nouns, "-o", folder)[0] == 0
    assert (
        progtf("run", folder, "black dog")[1]
        == "black: +adjective +black | dog: +noun +black +dog\n"
    )
    assert progtf("decompile", folder, "-o", text)[0] == 0
    assert progtf("diff", folder, text) == (0, "", "the same: no written weight differs\n")
    nouns.write_text(NOUNS.replace("white>white", "2white>white"))
    status, out, _ = progtf("diff", folder, nouns)
    assert (status, out) == (
        1,
        "encoder / 1 noun_phrase / head colour / value: white>white -> 2white>white\n",
    )


def test_diff_of_unlike_models_begins_with_what_they_are(progtf, nouns, tmp_path):
    other = tmp_path / "other.seme"
    other.write_text(
        "semes: noun verb\nlexicon:\n  dog: +noun\n  run: +verb\nclassify:\n  V: verb\n  N: noun\n"
    )
    status, out, _ = progtf("diff", nouns, other, "--most", 2)
    assert status == 1
    assert out.splitlines()[:7] == [
        "clocks: 7 40 -> none",
        "pool: none -> max",
        "semes: 6 -> 2; gone: adjective, black, white, dog, cat; new: verb",
        "lexicon: 4 -> 2; gone: black, white, cat; new: run",
        "classes: 0 -> 2; new: V, N",
        "encoder: 1 layer, 1 head -> 0 layers, 0 heads",
        "32 weights: 0 changed, 29 gone, 3 new",
    ]
    assert out.endswith("and 30 more; `--most 0` shows all\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "missing.seme", "x"], "there is no file missing.seme"),
        (["run", PLACE_VALUE.replace("value", "valeu"), "x"], "did you mean"),
        (["run", "examples", "x"], "no compiled model here"),
        (["run", PLACE_VALUE], "no input"),
        (["run", PLACE_VALUE, "--dtype", "float8", "x"], "none of float64"),
        (["run", PLACE_VALUE, "--trace", "plaec", "x"], "did you mean `place`"),
        (["compile", PLACE_VALUE, "-o", PLACE_VALUE], "is a file"),
        (["fmt", "tests/data/math/numbers__place_value.txt"], "error["),
    ],
)
def test_a_mistake_is_one_clear_message(progtf, arguments, words):
    status, out, err = progtf(*arguments)
    assert status == 1
    assert out == ""
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "more",
    [(), ("--engine", "interpreter"), ("--json",), ("--margins",), ("--trace", "black"),
     ("--engine", "network"), ("--engine", "reference")],
)  # fmt: skip
def test_a_byte_that_is_no_utf_8_is_told_with_its_line_and_the_others_are_answered(
    progtf, nouns, more
):
    given = b"black dog\r\ncat\xff\nwhite cat\n".decode(errors="surrogateescape")
    status, out, err = progtf("run", nouns, "-", *more, stdin=given)
    told = "line 2: not written in UTF-8: character 4 is the byte 0xff\n1 of 3 inputs refused\n"
    assert (status, err) == (1, told)
    other = progtf("run", nouns, "black dog", "white cat", *more)[1].splitlines()
    assert [line for line in out.splitlines() if line and "\\udcff" not in line] == [
        line for line in other if line
    ]


ACCENTS = "semes: été œuvre\nlexicon:\n  forêt: +été\n  là-bas: +œuvre\n  각: +été +œuvre\n"
WRITTEN = [
    ("utf-8", "\n"),
    ("utf-8-sig", "\r\n"),
    ("utf-16", "\r\n"),
    ("utf-8", "\r"),
    ("utf-32", "\n"),
]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("encoding", "end"), WRITTEN)
@pytest.mark.parametrize("engine", ["interpreter", "network", "reference"])
def test_a_text_is_the_same_text_by_every_way(progtf, tmp_path, form, encoding, end, engine):
    def written(text):
        return normalize(form, text).replace("\n", end).encode(encoding)

    program, lines = tmp_path / "a.seme", "forêt\n각\nlà-bas forêt\n"
    program.write_bytes(written(ACCENTS))
    given = written(lines).decode(errors="surrogateescape")
    due = ["forêt: +été", "각: +été +œuvre", "là-bas: +œuvre | forêt: +été"]
    asked = "run", program, "--engine", engine
    status, out, err = progtf(*asked, "-", stdin=given)
    assert (status, out.splitlines(), err) == (0, due, "")
    texts = [normalize(form, line) for line in lines.splitlines()]
    status, out, err = progtf(*asked, *texts)
    assert (status, out.splitlines(), err) == (0, due, "")
    assert interpret(load(program)).run(texts) == due
    if engine != "reference":
        status, out, _ = progtf(*asked, texts[0], "--trace", normalize(form, "été"))
        assert status == 0
        assert "été" in out


def test_an_empty_stdin_is_told(progtf):
    assert progtf("run", PLACE_VALUE, "-") == (0, "", "nothing was read from stdin: it was empty\n")


@pytest.mark.parametrize("command", ["run", "check", "test", "fmt"])
def test_a_file_that_is_no_program_gets_some_errors_and_a_question(progtf, tmp_path, command):
    page = tmp_path / "README.md"
    page.write_text("What to do next.\n" * 30)
    status, _, err = progtf(command, page, *(["x"] if command == "run" else []))
    assert status == 1
    assert err.count("error[") == 20
    assert err.endswith(f"and 10 more\n\n{page} does not end in `.seme`: is it a program?\n")


def test_help_teaches():
    result = CliRunner().invoke(app, ["run", "--help"])
    assert result.exit_code == 0
    assert "stdin" in result.output


def test_import_is_quick_because_torch_waits():
    code = "import sys, progtf; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == "False\n"


def test_answers_go_where_they_are_sent_and_a_bar_to_the_terminal(tmp_path):
    """On a terminal of its own, with the answers in a file."""
    (tmp_path / "in.txt").write_text("dog\n" * 3)
    (tmp_path / "noun.seme").write_text("semes: noun\nlexicon:\n  dog: +noun\n")
    line = f"{sys.executable} -m progtf run {tmp_path}/noun.seme - < {tmp_path}/in.txt"
    shown = bytearray()

    def read(terminal):
        shown.extend(given := os.read(terminal, 1024))
        return given

    status = pty.spawn(["sh", "-c", f"{line} > {tmp_path}/out.txt"], read)
    assert status == 0
    assert (tmp_path / "out.txt").read_text() == "dog: +noun\n" * 3
    assert b"3/" in shown


def test_check_says_the_worst_first_with_a_text_that_breaks_it(progtf):
    file = "examples/attention/polite_requests.seme"
    status, out, _ = progtf("check", file)
    assert status == 0
    said = (
        Path("docs/checking.md").read_text(encoding="utf-8").partition("polite_requests.seme`:")[2]
    )
    lines = said.partition("```text\n")[2].partition("  no text")[0]
    assert lines in out
    assert "(assumes 1)\n" in out
    (shown,) = map(json.loads, progtf("check", "--json", file)[1].splitlines())
    (broken,) = shown["broken"]
    assert broken["assumption"] == shown["assumptions"][0]
    assert broken["text"] == "may I please"
    assert f"among {shown['tried']} tried" in out


def test_check_counts_words_that_are_all_the_same(progtf):
    _, out, _ = progtf("check", "examples/language/word_problems.seme")
    assert 'broken by "#" 65 times: `sofar` is 65 at token 66' in out
