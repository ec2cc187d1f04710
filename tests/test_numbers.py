"""Numbers as texts, and when two of them are the same: in Python, and in a browser's script."""

import ast
import json
import math
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf import numbers

ROOT = Path(__file__).parents[1]
LARGEST = 2**53
HALVES = [0.5, 1.5, 2.5, -2.5, 0.125, 0.375, 2.00005, 123456.5, 123455.5, -123456.5, 999999.5]
LARGE = [1e6 + 1, -1e6 - 2, 999999999.5, -999999999.5, 2.0**24 + 1, 2.0**53, 2.0**53 - 1]
LARGER = [2.0**53 + 2, -(2.0**53), 3 * 2.0**53, 1e15, 1e16, 12345678901234567890.0, 1e20]
EXPONENTS = [1e21, -1e21, 1e22, 1e100, 1e-4, 1e-5, 1.5e-5, 1e-6, 9.99e-7, -1e-7, 1e-300, 5e-324]
LONG = [1 / 3, -2 / 3, 0.1 + 0.2, math.pi, math.pi * 1e5, math.pi * 1e6, 1e6 / 3, 1e7 / 3, 99.95]
NEAR = [2.9999999, 2.999997, 3.0000001, 1000000.2, 1000000.3, 9.5, 0.995, 9.9999995, 0.00012345675]
SMALL = [0.0, -0.0, 1.0, -1.0, 2.0, 10.0, 0.1, -0.25, 1.7976931348623157e308]
TABLE = [*SMALL, *HALVES, *LARGE, *LARGER, *EXPONENTS, *LONG, *NEAR]
ASK = """
import { exact, plain, rounded, score, shown } from "MODULE";
const texts = JSON.parse(await new Promise((done) => {
  let all = "";
  process.stdin.on("data", (part) => (all += part)).on("end", () => done(all));
}));
const said = (v) => [
  exact(v), plain(v), shown(v), shown(v, true), shown(v, false, 3), shown(v, true, 10, 1e-6),
  shown(v, false, 17), score(v), score(v, 2), score(v, 10), exact(rounded(v)),
  exact(rounded(v, true)),
];
console.log(JSON.stringify(texts.map((text) => said(Number(text)))));
"""
node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def here(value):
    shown, rounded = numbers.shown, numbers.rounded
    return [
        numbers.exact(value), numbers.plain(value), shown(value), shown(value, whole=True),
        shown(value, digits=3), shown(value, whole=True, digits=10, noise=1e-6),
        shown(value, digits=17), numbers.score(value), numbers.score(value, 2),
        numbers.score(value, 10), numbers.exact(rounded(value)),
        numbers.exact(rounded(value, whole=True)),
    ]  # fmt: skip


def in_node(values):
    """What the browser's script says of numbers."""
    script = ASK.replace("MODULE", (ROOT / "js/src/numbers.js").as_uri())
    command = ["node", "--input-type=module", "-e", script]
    given = json.dumps([repr(value) for value in values])
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@node
def test_a_browser_writes_numbers_as_python_does():
    assert len(TABLE) >= 60
    for value, there in zip(TABLE, in_node(TABLE), strict=True):
        assert there == here(value), value


def drawn():
    """Numbers of all sizes, and those with few decimals or few binary digits, where halves are."""
    bits = st.integers(0, 2**64 - 1).map(lambda n: struct.unpack("d", struct.pack("Q", n))[0])
    halves = st.builds(lambda n, k: n / 2.0**k, st.integers(-(2**40), 2**40), st.integers(0, 40))
    decimals = st.builds(lambda n, k: n / 10.0**k, st.integers(-(10**9), 10**9), st.integers(0, 12))
    return st.one_of(bits.filter(math.isfinite), halves, decimals)


@node
@given(st.lists(drawn(), min_size=300, max_size=300))
def test_a_browser_writes_any_number_as_python_does(values):
    assert in_node(values) == [here(value) for value in values]


@pytest.mark.parametrize(
    ("value", "whole", "broken", "score"),
    [
        (0.0, "0", "0", "0"),
        (-0.0, "0", "0", "0"),
        (-1e-9, "-1e-09", "0", "0"),
        (1.0, "1", "1", "1"),
        (0.9999999, "0.9999999", "1", "1"),
        (-0.99999999, "-0.99999999", "-1", "-1"),
        (2.5, "2.5", "2.5", "2.5"),
        (1 / 3, "0.333333", "0.333333", "0.3333"),
        (1000001.0, "1000001", "1e+06", "1000001"),
        (-1000001.0, "-1000001", "-1e+06", "-1000001"),
        (2000000.0, "2000000", "2000000", "2000000"),
        (1234567.0, "1234567", "1.23457e+06", "1234567"),
        (999999999.5, "999999999.5", "1e+09", "999999999.5"),
        (-999999999.5, "-999999999.5", "-1e+09", "-999999999.5"),
        (123456.5, "123456.5", "123456", "123456.5"),
        (2.0**24 + 1, "16777217", "1.67772e+07", "16777217"),
        (2.0**53 - 1, "9007199254740991", "9.0072e+15", "9007199254740991"),
        (2.0**53, "9007199254740992", "9.0072e+15", "9007199254740992"),
        (2.0**53 + 2, "9007199254740994", "9.0072e+15", "9007199254740994"),
        (1e20, "100000000000000000000", "100000000000000000000", "100000000000000000000"),
        (1e22, "1e+22", "1e+22", "1e+22"),
        (1e-5, "1e-05", "1e-05", "0"),
        (0.00005, "5e-05", "5e-05", "0.0001"),
        (-0.00004, "-4e-05", "-4e-05", "0"),
        (math.inf, "inf", "inf", "inf"),
    ],
)
def test_a_number_is_written_with_the_digits_that_count(value, whole, broken, score):
    assert numbers.shown(value, whole=True) == whole
    assert numbers.shown(value) == broken
    assert numbers.score(value) == score


@given(st.integers(-LARGEST, LARGEST))
def test_a_whole_number_has_every_digit(number):
    assert numbers.shown(float(number), whole=True) == numbers.plain(float(number)) == str(number)
    assert numbers.score(float(number)) == str(number)


@given(drawn())
def test_no_number_is_written_as_minus_zero(value):
    for text in here(value)[1:]:
        assert text != "-0"


@given(drawn(), st.booleans())
def test_what_is_written_is_right_as_an_example(value, whole):
    near = numbers.rounded(value, whole=whole)
    due = numbers.written(numbers.shown(value, whole=whole))
    assert due is not None
    assert numbers.agree(value, due, whole=whole and near.is_integer())
    assert numbers.agree(value, numbers.written(numbers.score(value)), decimals=4)


@pytest.mark.parametrize(
    "text", ["", "+", ".", "1.", "1e5", "0x10", "nan", "inf", "1_000", "1,5", "9007199254740993"]
)
def test_what_is_no_number_is_none(text):
    assert numbers.written(text) is None


# ------------------------------------------------------------------ one place

OTHERS = {"numbers.py"}


def formats(path):
    """Where a float is formatted in the general form without a word on how many digits."""
    for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        spec = each.format_spec if isinstance(each, ast.FormattedValue) else None
        parts = spec.values if isinstance(spec, ast.JoinedStr) else []
        if any(isinstance(p, ast.Constant) and p.value in ("g", ".6g", ".10g") for p in parts):
            yield f"{path.relative_to(ROOT)}:{each.lineno}"


def test_no_other_module_formats_numbers_of_programs():
    paths = [p for p in (ROOT / "progtf").rglob("*.py") if p.name not in OTHERS]
    assert [place for path in paths for place in formats(path)] == []


def test_no_other_script_rounds_numbers_of_programs():
    rounds = ("toPrecision", "toExponential", ".toFixed(4)")
    paths = [path for path in (ROOT / "js/src").glob("*.js") if path.name != "numbers.js"]
    found = [path.name for path in paths if any(one in path.read_text() for one in rounds)]
    assert found == []
