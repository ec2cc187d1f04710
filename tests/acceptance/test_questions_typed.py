"""Questions of mathematics as people type them; the right answers were written before the code."""

from functools import cache
from pathlib import Path

import pytest

import progtf
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter

MATH = Path(__file__).parents[2] / "examples" / "math"

READ = [
    ("add_or_sub", "  What is 3 + 4?  ", "7"),
    ("add_or_sub", "What is  3  +  4 ?", "7"),
    ("add_or_sub", "What is 3 + 4", "7"),
    ("add_or_sub", "What is 3\u00a0+\u00a04?", "7"),
    ("add_or_sub", "What is 3 \u2212 4?", "-1"),
    ("add_or_sub", "What is \u22123 + 4?", "1"),
    ("add_or_sub", "What is 3 \u2013 4?", "-1"),
    ("add_or_sub", "What is 1,234 + 1?", "1235"),
    ("add_or_sub", "Add 1,234,567 and 3.", "1234570"),
    ("add_or_sub", "What is 1,234.5 + 1?", "1235.5"),
    ("add_or_sub", "\tWork out -12.5 + 7.", "-5.5"),
    ("mul", "What is 3 x 4?", "12"),
    ("mul", "What is 3x4?", "12"),
    ("mul", "What is 3 X 4?", "12"),
    ("mul", "What is 3 \u00d7 4?", "12"),
    ("mul", "What is 3\u00d74?", "12"),
    ("mul", "What is 3 \u22c5 4?", "12"),
    ("mul", "What is 3 \u00d7 \u22124?", "-12"),
    ("mul", "  What is 3 \u00d7 1,200 ? ", "3600"),
    ("mul", "What is 3 x 4", "12"),
    ("mul", "What is 0.5 x 4?", "2"),
    ("div", "Divide 1,000 by 10.", "100"),
    ("place_value", "What is the tens digit of 79,156,935?", "3"),
    ("place_value", "What is the tens digit of 1,234?", "3"),
    ("place_value", "What is the tens digit of 1234", "3"),
    ("place_value", "What is the  tens digit of 1234 ?", "3"),
    ("round_number", "Round 1,234.56 to 1 dp.", "1234.6"),
    ("round_number", "Round 1,234 to 2 dps.", "1234"),
    ("round_number", "Round 999.96 to 1 dp", "1000"),
    ("is_prime", "Is 97 prime", "True"),
    ("is_prime", "Is 1,018,057 a prime number?", "True"),
    ("is_prime", " Is  97  prime ? ", "True"),
    ("gcd", "What is the greatest common divisor of 12 and 18", "6"),
    ("sort", "Sort 3, 1, 2 in ascending order", "1, 2, 3"),
    ("sort", "Sort 3,  1, 2 in ascending order. ", "1, 2, 3"),
    ("sort", "Sort 1,234, 7, 56 in ascending order.", "7, 56, 1234"),
    ("sort", "Sort 3, \u22121, 2 in ascending order.", "-1, 2, 3"),
    ("closest", "Which is the nearest to 0?  (a) 3  (b) 4", "a"),
    ("closest", "Which  is the nearest to 0?  (a) 3  (b) 4 ", "a"),
    (
        "nearest_integer_root",
        "What is the square root of 99,999,999 to the nearest integer?",
        "10000",
    ),
    ("conversion", "How many minutes are there in 2 hours", "120"),
    ("conversion", "How many millimeters are there in 1,000 meters?", "1000000"),
    ("linear_1d", "Solve 3*x = 12 for x", "4"),
    ("linear_1d", "Solve  3*x = 12  for x.", "4"),
    ("expand", "Expand (x + 1)*(x \u2212 1).", "x**2 - 1"),
    ("expand", "Expand (x + 1) \u00d7 (x - 1).", "x**2 - 1"),
    ("mul", "1,000 * 2", "2000"),
    ("evaluate", "Let f(x) = 1,000*x. What is f(2)?", "2000"),
    ("conversion", "What is 1,000 meters in kilometers?", "1"),
    ("add_sub_multiple", "1,000 + 2 + 3", "1005"),
]
REFUSED = [
    ("sort", "Sort 1,234 in ascending order.", "`1,234` is one number or several"),
    ("sort", "Sort 1,234,567.", "write `1234567`, or `1, 234, 567`"),
    ("kth_biggest", "What is the biggest value in 12,345?", "`12,345` is one number or several"),
    ("all", "1,000 * 2", "write `1000`, or `1, 000`"),  # it answers lists, too
]


@cache
def interpreter(name: str) -> Interpreter:
    return Interpreter(progtf.load(MATH / f"{name}.seme"))


@pytest.mark.parametrize("name", sorted({name for name, _, _ in READ}))
def test_what_has_one_reading_is_read(name):
    rows = [(text, due) for each, text, due in READ if each == name]
    answers = interpreter(name).try_answers([text for text, _ in rows])
    said = [str(a) if isinstance(a, InputError) else a.text for a in answers]
    assert dict(zip([text for text, _ in rows], said, strict=True)) == dict(rows)


@pytest.mark.parametrize(("name", "text", "why"), REFUSED)
def test_what_has_two_readings_is_refused_by_name(name, text, why):
    with pytest.raises(InputError, match=why.replace("(", r"\(")):
        interpreter(name).run(text)


def test_a_letter_stays_a_letter():
    assert interpreter("linear_1d").run("Solve 2*x = 6 for x.") == "3"
    assert interpreter("expand").run("Expand (x + 1)*(x - 1).") == "x**2 - 1"
