"""A whole number is that number: in answers, examples, traces and messages."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import progtf
from progtf import numbers
from progtf.api import diff
from progtf.building.load import analyse
from progtf.cli.examples import NOISE, ways_to_run
from progtf.program.answers import Readout
from progtf.program.expected import agrees, found
from progtf.program.tokens import InputError
from progtf.program.vectors import read_vector
from progtf.running.attend import summed
from progtf.running.cells import Cells, mean
from progtf.running.interpret import Interpreter
from progtf.views.program import describe

ROOT = Path(__file__).parents[2]
LARGEST = 2**53
MAKES = """\
semes:
  v: -9007199254740992..9007199254740992
  w[0..1]: -9007199254740992..9007199254740992
  share: 0..1 step 0
lexicon:
  x: {given}
examples:
  x -> x: {given}
"""
SCORES = """\
semes:
  v: -9007199254740992..9007199254740992
  share: 0..1 step 0
lexicon:
  x: {given}
  y: +v +share
score:
  pool: sum
  value: v + share
"""


def loaded(text):
    program, found = analyse(text, "<numbers>", None)
    assert program is not None, found
    return program


def term(number, name="v"):
    if abs(number) == 1:
        return f"{'-' if number < 0 else '+'}{name}"
    return f"{number:+d}{name}" if number else "0"


def right(runner, expected, noise=NOISE["interpreter"]):
    (answer,) = runner.answers(["x"])
    return agrees(answer, expected, runner.speaker.interface, noise)


def neighbours(number):
    return [each for each in (number - 1, number + 1) if abs(each) <= LARGEST]


@given(st.integers(-LARGEST, LARGEST))
@example(LARGEST)
@example(LARGEST - 1)
@example(-LARGEST)
@example(2**24 + 1)
@example(1000001)
@example(0)
def test_a_program_prints_the_whole_number_that_it_makes_and_no_other_is_right(number):
    runner = Interpreter(loaded(MAKES.format(given=term(number))))
    assert runner.run("x") == f"x: {term(number)}"
    assert right(runner, f"x: {term(number)}")
    assert not any(right(runner, f"x: {term(other)}") for other in neighbours(number))


@settings(max_examples=15, deadline=None)
@given(st.integers(-LARGEST, LARGEST))
@example(LARGEST - 1)
@example(1000001)
def test_so_does_its_network_in_every_format_that_can_hold_it(number):
    program = loaded(MAKES.format(given=term(number)))
    ways = ways_to_run(program)
    assert ways == ("interpreter", "float64")
    model = progtf.compile(program, "float64")
    assert model.run("x") == f"x: {term(number)}"
    assert right(model, f"x: {term(number)}", NOISE["float64"])
    others = [f"x: {term(other)}" for other in neighbours(number)]
    assert not any(right(model, other, NOISE["float64"]) for other in others)


@given(st.integers(-LARGEST, LARGEST))
@example(1000001)
def test_a_member_of_a_family_is_that_number_too(number):
    name = "w[1]"
    runner = Interpreter(loaded(MAKES.format(given=term(number, name))))
    assert runner.run("x") == f"x: {term(number, name)}"
    others = [f"x: {term(other, name)}" for other in neighbours(number)]
    assert not any(right(runner, other) for other in others)


@given(st.integers(-LARGEST, LARGEST))
@example(LARGEST - 1)
@example(1125843611847282)
@example(1000001)
def test_a_score_that_is_whole_is_that_number(number):
    runner = Interpreter(loaded(SCORES.format(given=term(number))))
    assert runner.run("x") == str(number)
    assert right(runner, str(number))
    assert not any(right(runner, str(other)) for other in neighbours(number))


# ------------------------------------------------------------------ what examples write

THIRD = "+{1 / 3}share"
COMPARED = [
    ("+1000001v", "+1000001v", True),
    ("+1000001v", "+1000002v", False),
    ("+1000001v", "+1000000v", False),
    ("+1000001v", "+1000001.0v", True),
    ("+1000001v", "+1e+6v", False),
    ("+1000001v", "+1.000001e+6v", True),
    ("+1000001v", "+1000002v within 1", True),
    ("+1000001v", "+1000003v within 1", False),
    ("-1000001v", "-1000002v", False),
    ("-1000001v", "+1000001v", False),
    ("+9007199254740992v", "+9007199254740991v", False),
    ("+9007199254740992v", "+9007199254740993v", False),
    ("+v", "+v", True),
    ("+v", "+1.0v", True),
    ("+v", "0", False),
    ("+v", "+2v", False),
    ("0", "0", True),
    ("0", "+v", False),
    ("0", "-v", False),
    (THIRD, "+0.333333share", True),
    (THIRD, "+0.333334share", False),
    (THIRD, "+0.333share", True),
    (THIRD, "+0.334share", False),
    (THIRD, "+0.3333333333share", True),
    (THIRD, "+0.3333333334share", False),
    (THIRD, "0", False),
    (THIRD, "+share", False),
    (THIRD, "+0.3share within 0.05", True),
    (THIRD, "+0.3share within 0.01", False),
    (THIRD, "+0.2share within 0.01", False),
    (THIRD, "0 within 0.5", True),
    (THIRD, "+v +0.333share", False),
    ("+0.6share", "+share", False),
    ("+0.6share", "+0.60share", True),
    ("+0.6share", "+6e-1share", True),
    ("+0.6share", "+5e-1share", False),
    ("+0.999999share", "+share", False),
    ("+0.999995share", "+share", False),
    ("+0.9999999share", "+share", True),
    ("+0.0000001share", "0", True),
    ("+0.00001share", "0", False),
    ("+7v +0.25share", "+7v +0.25share", True),
    ("+7v +0.25share", "+7v", False),
    ("+7v +0.25share", "+8v +0.25share", False),
    ("+v", "+1.000000000000001v", False),
    ("+v", "+0.9999999999999999v", False),
    ("+7v", "+7.0v", True),
    ("+7v", "+7.000000000000001v", False),
]
JUDGE = """
import { verdict } from "MODULE";
const asked = JSON.parse(await new Promise((done) => {
  let all = "";
  process.stdin.on("data", (part) => (all += part)).on("end", () => done(all));
}));
const judged = ([program, output]) => verdict(program, { input: "x", output, line: 1 }).holds;
console.log(JSON.stringify(asked.map(judged)));
"""


@pytest.mark.parametrize(("made", "says", "holds"), COMPARED)
def test_numbers_are_compared_at_the_digits_that_an_example_writes(made, says, holds):
    assert right(Interpreter(loaded(MAKES.format(given=made))), f"x: {says}") is holds


SCORED = [
    ("+1000001v", "1000001", True),
    ("+1000001v", "1000002", False),
    ("+1000001v", "1000001.5 within 0.5", True),
    (THIRD, "0.3333", True),
    (THIRD, "0.3334", False),
    (THIRD, "0.33", True),
    (THIRD, "0.34", False),
    (THIRD, "0.33333333", True),
    (THIRD, "0.33333334", False),
    (THIRD, "0", False),
    ("+0.5share", "0", False),
    ("+0.5share", "1", False),
    ("+0.5share", "0.5", True),
    ("+0.5share", "0.50000", True),
    ("+0.5share", "1 within 0.5", True),
    ("+0.5share", "1 within -0.5", False),
    ("+0.5share", "half", False),
    ("+0.5share", "nan", False),
    ("-3v +0.25share", "-2.75", True),
    ("-3v +0.25share", "2.75", False),
    ("-3v", "-3", True),
]


@pytest.mark.parametrize(("made", "says", "holds"), SCORED)
def test_so_are_scores(made, says, holds):
    assert right(Interpreter(loaded(SCORES.format(given=made))), says) is holds


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_page_judges_numbers_in_the_same_way():
    cases = [(MAKES, made, f"x: {says}", holds) for made, says, holds in COMPARED]
    cases += [(SCORES, made, says, holds) for made, says, holds in SCORED]
    asked = [[describe(loaded(text.format(given=made))), says] for text, made, says, _ in cases]
    script = JUDGE.replace("MODULE", (ROOT / "js/src/examples.js").as_uri())
    command = ["node", "--input-type=module", "-e", script]
    done = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [holds for *_, holds in cases]


# ------------------------------------------------------------------ what is nearly whole

OFF = [1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9, 1e-7, -1e-7, 1e-6, -1e-6, 1e-4, -1e-3, 0.1, 0.25]
NEAR = [1 + off for off in OFF] + [1e-300, 1e-12, 1e-9, 1e-7, 1e-6, 1e-3, 2.0000001, 1000000.6]


def dense(given, due):
    text = (
        "model:\n  kind: dense\nsemes: flag other\ndense:\n  weights: flag>flag\n"
        f"examples:\n  +{given:.17g} flag -> +{due} flag\n"
    )
    return loaded(text)


@pytest.mark.parametrize("value", NEAR)
def test_what_is_nearly_whole_is_not_that_number_and_shows_why(value):
    due = round(value)
    program = dense(value, due or "0.0")
    runner = Interpreter(program)
    (answer,) = runner.answers([program.examples[0].input])
    expected = program.examples[0].output
    interface = runner.speaker.interface
    assert not agrees(answer, expected, interface, NOISE["interpreter"])
    seen = found(answer, expected, runner.speaker, NOISE["interpreter"])
    assert seen == answer.text
    again = read_vector(seen, ["flag", "other"]).get("flag", 0.0)
    assert not again.is_integer()


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@given(st.floats(-3e6, 3e6))
def test_a_network_misses_a_whole_number_by_no_quarter_and_by_few_units_only(dtype, value):
    due = numbers.written(f"{round(value):.1f}")
    assert due is not None
    eps = 2.0**-52 if dtype == "float64" else 2.0**-23
    right = numbers.agree(value, due, whole=True, noise=NOISE[dtype])
    away = abs(value - due.value)
    assert right == (not away or (away <= 4 * eps * max(1, abs(value)) and away < 0.25))
    assert (numbers.shown(value, whole=True, noise=NOISE[dtype]) == numbers.plain(due.value)) or (
        not right or dtype == "bfloat16"
    )


@pytest.mark.parametrize(
    ("made", "says"),
    [(THIRD, "+0.3333330share"), (THIRD, "+0.33333333334share"), ("+0.25share", "+0.2500001share")],
)
def test_what_differs_in_a_late_digit_is_shown_up_to_it(made, says):
    runner = Interpreter(loaded(MAKES.format(given=made)))
    (answer,) = runner.answers(["x"])
    seen = found(answer, f"x: {says}", runner.speaker, 0.0)
    assert not right(runner, f"x: {says}")
    assert read_vector(seen[3:], ["share"]) != read_vector(says, ["share"])


@pytest.mark.parametrize("count", range(1, 60, 2))
def test_a_mean_of_ones_is_one(count):
    total = summed(np.ones((1, count), dtype=bool), Cells.of(np.ones((count, 1))))
    found = mean(total, np.array([count]))
    assert found.values.tolist() == [[1.0]]
    assert found.error is None


# ------------------------------------------------------------------ what is too large


@pytest.mark.parametrize("number", ["inf", "-inf", "nan"])
@pytest.mark.parametrize("seme", ["v", "share"])
def test_what_is_no_finite_number_is_no_answer(number, seme):
    runner = Interpreter(loaded(MAKES.format(given="+v")))
    place = runner.speaker.semes.index(seme)
    row = np.zeros((1, len(runner.speaker.semes)))
    row[0, place] = float(number)
    with pytest.raises(InputError, match=f"no answer: `{seme}` is no finite number"):
        runner.speaker.answer(Readout(("x",), row))


@pytest.mark.parametrize(
    ("engine", "factor", "dtype"),
    [("network", 2**120, "float32"), ("interpreter", 2**1020, "float64")],
)
def test_a_patch_that_overflows_is_told(progtf, counts, engine, factor, dtype):
    asked = "--engine", engine, "--scale", f"big={factor}"
    status, out, err = progtf("patch", counts, "many", *asked)
    assert status == 1
    assert "inf" not in out
    assert f"`big` is no finite number; {dtype} holds none that is larger" in err


@pytest.mark.parametrize(
    ("value", "text"),
    [(9.0000001, "9.0000001"), (9.0, "9"), (20 / 3, "6.66667"), (0.30000001, "0.30000001"),
     (0.3, "0.3"), (-1e-9, "-1e-09"), (0.99999999, "0.99999999"), (1000000.5, "1000000.5"),
     (1e300, "1e+300"), (0.1 + 0.2, "0.30000000000000004"), (-9.00000001, "-9.00000001"),
     (16777217.0, "16777217"), (float("inf"), "inf"), (2.5, "2.5"), (1e-300, "1e-300"),
     (0.5000000001, "0.5000000001"), (12.000000001, "12.000000001"), (-0.0, "0"),
     (123456789.25, "123456789.25"), (3.00000000000001, "3.00000000000001")],
)  # fmt: skip
def test_a_number_that_is_refused_is_shown_so_that_nobody_takes_it_for_another(value, text):
    assert numbers.refused(value) == text


def test_a_range_names_the_number_that_it_refuses():
    _, problems = analyse("semes:\n  a: 0..9\nlexicon:\n  x: +9.0000001a\n", "<numbers>", None)
    assert "`a` cannot be 9.0000001 here" in [each.headline for each in problems]


@pytest.mark.parametrize(
    ("value", "whole", "digits", "noise", "said"),
    [(1000001.0, True, None, 0.0, 1000001), (-0.0, True, None, 0.0, 0),
     (1000000.9375, True, None, numbers.SINGLE, 1000001), (-0.0, False, None, 0.0, 0.0),
     (0.1 + 0.2, False, None, 0.0, 0.30000000000000004), (0.1 + 0.2, False, 6, 0.0, 0.3),
     (1 / 3, False, 3, 0.0, 0.333), (1000000.5, True, None, 0.0, 1000000.5)],
)  # fmt: skip
def test_json_says_what_is_printed(value, whole, digits, noise, said):
    found = numbers.as_data(value, whole=whole, digits=digits, noise=noise)
    assert json.dumps(found) == json.dumps(said)


# ------------------------------------------------------------------ what is printed

COUNTS = """\
semes:
  v: 0..2000000
  big: 0..2000000
  share: 0..1 step 0
lexicon:
  many: +1000001v +{1 / 3}share
layer:
  feedforward:
    big: v
    share: -1 when v = 0
examples:
  many -> many: +1000001v +1000001big +0.333333share
"""


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.seme"
    path.write_text(COUNTS)
    return path


@pytest.mark.parametrize("how", [[], ["--engine", "interpreter"]])
def test_run_prints_every_digit_of_what_is_whole_and_more_of_others_where_asked(
    progtf, counts, how
):
    said = "many: +1000001v +1000001big +0.333333share\n"
    assert progtf("run", counts, "many", *how)[:2] == (0, said)
    _, out, _ = progtf("run", counts, "many", "--digits", "3", *how)
    assert out == "many: +1000001v +1000001big +0.333share\n"
    _, out, _ = progtf("run", counts, "many", "--digits", "12", "--engine", "interpreter")
    assert out == "many: +1000001v +1000001big +0.333333333333share\n"


@pytest.mark.parametrize("digits", ["0", "-1", "18", "abc", "100000000000"])
def test_digits_have_a_range(progtf, counts, digits):
    status, _, err = progtf("run", counts, "many", "--digits", digits)
    assert status == 2
    assert "--digits" in err


def test_json_and_traces_print_every_digit(progtf, counts):
    _, out, _ = progtf("run", counts, "many", "--json")
    assert json.loads(out)["tokens"][0]["semes"]["big"] == 1000001
    _, out, _ = progtf("run", counts, "many", "--trace", "v,big,share")
    assert "1000001" in out
    assert "1e+06" not in out
    _, out, _ = progtf("run", counts, "many", "--trace", "share", "--digits", "3")
    assert " 0.333 " in out


def test_a_patch_puts_in_the_number_that_is_given(progtf, counts):
    _, out, _ = progtf("patch", counts, "many", "--set", "big=1234567")
    assert out.splitlines()[0] == "many: +1000001v +1234567big +0.333333share"


def test_minus_zero_is_never_printed(progtf, tmp_path):
    path = tmp_path / "zero.seme"
    path.write_text(SCORES.format(given="-0v"))
    assert progtf("run", path, "x")[1] == "0\n"
    _, out, _ = progtf("run", path, "x", "--json")
    assert "-0" not in out


def test_a_whole_number_that_leaves_a_large_range_by_one_is_told_with_every_digit(progtf, tmp_path):
    path = tmp_path / "leaves.seme"
    path.write_text(
        "semes:\n  v: 0..1000000\n  w: 0..1000000\nlexicon:\n  x: +1000000v\n"
        "layer:\n  feedforward:\n    w: v + 1\n"
    )
    _, out, err = progtf("run", path, "x")
    assert "+1000001w" in out
    assert "1000001" in err
    assert "0..1000000" in err


@pytest.mark.parametrize("number", [LARGEST + 1, LARGEST + 3, 10**17 + 1, 12345678901234567891])
def test_a_number_that_float64_does_not_have_is_refused_by_name(number):
    program, found = analyse(MAKES.format(given=f"+{number}v"), "<numbers>", None)
    assert program is None
    assert any(f"the nearest is {int(float(number))}" in each.label for each in found)


@pytest.mark.parametrize("number", ["1e-400", "0.1e-330", "1.5e-999", "0." + 330 * "0" + "1"])
@pytest.mark.parametrize("seme", ["v", "share"])
def test_so_is_one_that_it_makes_0_of(number, seme):
    program, found = analyse(MAKES.format(given=f"+{number}{seme}"), "<numbers>", None)
    assert program is None
    assert any("float64" in each.label or "too long" in each.label for each in found)
    assert numbers.written(number) is None
    assert numbers.written("0.0e-400") is not None


LONG = """\
semes:
  mass: 0..900000000 step 0
lexicon:
  x: +{0}mass
examples:
  x -> x: +{0}mass
"""


@pytest.mark.parametrize("number", [1234567, 16777217, 123456789, 899999999])
def test_a_long_number_that_is_not_declared_whole_is_what_the_format_stores(
    progtf, tmp_path, number
):
    path = tmp_path / "long.seme"
    path.write_text(LONG.format(number))
    assert progtf("test", path)[0] == 0
    other = f"x: +{number * 3 // 2}mass\nexamples"
    path.write_text(LONG.format(number).replace(f"x: +{number}mass\nexamples", other))
    assert progtf("test", path)[0] == 1


@pytest.mark.parametrize("number", [16777217, 33554433, 2**53 - 1, 999999999, 100000001])
def test_decompile_and_diff_keep_whole_numbers(progtf, tmp_path, number):
    one, other, again = (tmp_path / f"{name}.seme" for name in ("one", "other", "again"))
    text = "semes:\n  v: 0..9007199254740992\nlexicon:\n  x: +{}v\n"
    one.write_text(text.format(number))
    other.write_text(text.format(number - 1))
    again.write_text(progtf("decompile", one)[1])
    assert f"+{number}v" in again.read_text()
    assert progtf("diff", one, again)[0] == 0
    assert progtf("diff", one, other)[0] == 1
    programs = [loaded(path.read_text()) for path in (one, other, again)]
    assert diff(programs[0], programs[1])
    assert not diff(programs[0], programs[2])


def test_weights_are_compared_with_their_program_in_the_format_that_has_its_numbers():
    text = "semes:\n  v: 0..9007199254740992\nlexicon:\n  x: +{}v\n"
    exact, other, small = (loaded(text.format(n)) for n in (16777217, 16777216, 3))
    assert not diff(exact, progtf.lower(exact, "float64"))
    assert diff(exact, progtf.lower(other, "float64"))
    assert diff(exact, progtf.lower(other, "float32"))
    for dtype in ("float64", "float32", "bfloat16", "float16"):
        assert not diff(small, progtf.lower(small, dtype))
        assert not diff(progtf.lower(small, dtype), small)


def test_a_generator_is_no_list_of_texts():
    program = loaded(MAKES.format(given="+v"))
    for who in (Interpreter(program), progtf.compile(program)):
        for ask in (who.run, who.answers, who.try_answers):
            for some in ((text for text in "xx"), iter(["x"]), map(str, "x"), reversed(["x"])):
                with pytest.raises(TypeError, match="a list of texts is due"):
                    ask(some)


TABLE = """\
semes: v: 0..9007199254740992
lexicon from "t.tsv":
  each > +{n}v
"""


def test_so_is_one_in_a_table_and_one_of_a_patch(progtf, counts, tmp_path):
    (tmp_path / "t.tsv").write_text("word\tn\nmany\t9007199254740993\n")
    program, found = analyse(TABLE, "<numbers>", tmp_path)
    assert program is None
    assert any("the nearest is 9007199254740992" in each.label for each in found)
    status, _, err = progtf("patch", counts, "many", "--set", "big=9007199254740993")
    assert status == 1
    assert "the nearest is 9007199254740992" in err


VECTORS = """\
model:
  kind: dense
semes: pig wombat
dense:
  weights: pig>pig, 2wombat>wombat
examples:
  {given}pig -> {given}pig
"""


@pytest.mark.parametrize(
    ("given", "ways"),
    [
        ("+", 4),
        ("+0.1", 4),
        ("-2.1", 4),
        ("+100000.1", 4),
        ("+1000001", 4),
        ("-16777216", 4),
        ("+16777217", 2),
        ("-16777217", 2),
        ("+999999999.5", 2),
        ("-999999999.5", 2),
        ("+9007199254740991", 2),
        ("+12345678.9", 2),
    ],
)
def test_a_vector_is_what_was_given_or_refused_by_the_format_that_has_it_not(given, ways):
    program = loaded(VECTORS.format(given=given))
    assert len(ways_to_run(program)) == ways
    text = f"{given}pig"
    assert Interpreter(program).run(text) == text
    assert progtf.compile(program, "float64").run(text) == text
    narrow = progtf.compile(program, "float32")
    if ways == 4:
        assert narrow.run(text) == text
    else:
        with pytest.raises(InputError, match="computes in float32"):
            narrow.run(text)
