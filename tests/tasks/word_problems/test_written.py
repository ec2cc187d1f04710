"""Numbers as people write them: what a text says, and what may be read in two ways.

A dozen is a number of its own, as the published sets mark it: their equations for `4 dozen eggs`
have the 4 and a constant 12.
"""

import random
from fractions import Fraction

import pytest

from progtf.tasks.word_problems.numbers import read_text
from progtf.tasks.word_problems.problem import value_of
from progtf.tasks.word_problems.symbols import marked

MEANT = {
    # words
    "two hundred and five birds": "205",
    "two hundred five birds": "205",
    "one hundred thousand birds": "100000",
    "three hundred and forty-two thousand six hundred and seven": "342607",
    "a hundred birds": "100",
    "a hundred and one dogs": "101",
    "one thousand two hundred and thirty": "1230",
    "two thousand and five": "2005",
    "twenty-five hundred": "2500",
    "twelve hundred cows": "1200",
    "seventy two students": "72",
    "Seventy-Two students": "72",
    "one-hundred-and-five pages": "105",
    "two million three hundred thousand": "2300000",
    "five billion stars": "5000000000",
    "1.5 million people": "1500000",
    "3 hundred sheep": "300",
    "2.5 millions": "2500000",
    "one and a half million people": "1500000",
    "1 1/2 million people": "1500000",
    "several hundred people and a few thousand dogs saw 2 birds": "2",
    "zero point two five litres": "0.25",
    "three point two litres": "3.2",
    "twenty-one-year-old trees": "21",
    "a two-digit number and a ten-foot pole": "2 10",
    "thousands of people and hundreds of dogs saw 3 birds": "3",
    "one thousand and five hundred birds": "1500",
    # not together
    "3 cups and 4 plates": "3 4",
    "one hundred and two hundred": "100 200",
    "two twenty-dollar bills": "2 20",
    "fifty six-ounce cups": "50 6",
    "one two three": "1 2 3",
    "20 two-pound bags": "20 2",
    "twice one number": "2 1",
    "the sum of one hundred and five": "100 5",
    "the sum of one hundred and five and three": "105 3",
    "a total of one hundred and five": "105",
    "the sum of two and one half": "2 1/2",
    "between 13 and one-eighth of 40": "13 1/8 40",
    # several times
    "a dozen eggs": "12",
    "two dozen eggs": "2 12",
    "4 dozen eggs": "4 12",
    "twice as many, then thrice, then four times": "2 3 4",
    "double or triple or quadruple it": "2 3 4",
    "threefold, and ten-fold": "3 10",
    "a couple of apples and 3 pears": "2 3",
    "the couple has 3 cats": "3",
    "a pair of shoes costs 30 dollars": "30",
    "1.5x as many as 20": "1.5 20",
    "3x the price, 2× the weight": "3 2",
    # parts
    "half of 60 birds": "0.5 60",
    "half the price of 3": "0.5 3",
    "one half of 60 birds": "1/2 60",
    "one-half of 60": "1/2 60",
    "a third of 60 birds": "1/3 60",
    "a fifth as many as 60": "1/5 60",
    "one third of 60": "1/3 60",
    "two thirds of 60": "2/3 60",
    "2 thirds of 60": "2/3 60",
    "3 quarters of 60": "3/4 60",
    "Two-thirds of 60": "2/3 60",
    "three quarters of 60": "3/4 60",
    "three quarters and 2 dimes": "3 0.25 2",
    "one quarter of 60": "1/4 60",
    "seven tenths of 60": "7/10 60",
    "five twelfths of 60": "5/12 60",
    "three-fourths of 60": "3/4 60",
    "1/3rd of 60 birds": "1/3 60",
    "2/3rds of 60 birds": "2/3 60",
    "3/4ths of 60 and 1/10th of 50": "3/4 60 1/10 50",
    "1/2-inch nails cost 3": "1/2 3",
    "1⁄2 of 60": "1/2 60",
    "½ of 60": "1/2 60",
    "⅔ of 60": "2/3 60",
    # whole and part
    "2 1/2 cups": "5/2",
    "2 ½ cups": "5/2",
    "2½ cups": "5/2",
    "-2 1/2 degrees": "-5/2",
    "two and a half cups": "5/2",
    "2 and a half cups": "5/2",
    "one and one half cups": "3/2",
    "three and three quarters of a mile": "15/4",
    "two-and-a-half hours": "5/2",
    "five and two thirds": "17/3",
    "3 4/3 5": "3 4/3 5",
    # money, percent, units
    "$1,234.50 in all": "1234.50",
    "$1,234 and €3.50 and £2": "1234 3.50 2",
    "5€ or 3 $": "5 3",
    "$5k and $1.5M and £3bn": "5000 1500000 3000000000",
    "20% of 60": "20 60",
    "12.5 percent of 60": "12.5 60",
    "5kg and 60kph and 20minutes": "5 60 20",
    "3.5e3 birds": "3500",
    "2E6 birds and 5e-3 grams": "2000000 0.005",
    "a 4x6 card, 3×5 rows": "4 6 3 5",
    "-3 degrees, −4 degrees": "-3 -4",
    ".5 miles": "0.5",
    "٣ birds and ５ dogs": "3 5",
    "#7 costs 3": "7 3",
    "5'10\" tall": "5 10",
    "2:30 on 3 days": "2 30 3",
    "from 10-15 to 2000–2001": "10 15 2000 2001",
    # thousands
    "1,234,567 people": "1234567",
    "12,34,567 people": "1234567",
    "1'234 people": "1234",
    "1’234’567.5 people": "1234567.5",
    "1\u00a0234 people": "1234",
    "12\u202f345\u2009678 people": "12345678",
    "10 000 people": "10000",
    "1 050 people": "1050",
    "1 000 000 people": "1000000",
    "1.234.567 people": "1234567",
    "1.234,50 euros": "1234.50",
    "3,5,7 and 9": "3 5 7 9",
    "1.5,2.5 and 9": "1.5 2.5 9",
    "3, 5 and 7": "3 5 7",
    # orders, names, what is no number
    "the first and the second of 3": "3",
    "the third number is 5": "3 5",
    "the 21st century, the 2nd of 3": "21 2 3",
    "the twenty-first of 3": "21 3",
    "the twelfth of 30": "12 30",
    "an MP3 player, H2O, A4, 3 songs": "3",
    "version 1.2.3, 4 bugs": "4",
    "on 3/4/2020 there were 5": "5",
    "one of 3": "1 3",
}  # fmt: skip
TWO = {
    "12 345 birds": "`12 345` may be 12345, or 12 and 345; write `12345` or `12, 345`",
    "2 500 ml bottles": "`2 500` may be 2500, or 2 and 500; write `2500` or `2, 500`",
    "3,5 litres": "`3,5` may be 3.5, or 3 and 5; write `3.5` or `3, 5`",
    "1,234,5 litres": "`1,234,5` may be 1234.5, or 1234 and 5; write `1234.5` or `1234, 5`",
    "10k birds": "`10k` may be 10000, or 10 of a unit; write `10000` or `10 k`",
    "2-1/2 inches": "`2-1/2` may be 2 1/2, or 2 less 1/2; write `2 1/2` or `2 - 1/2`",
    "a twenty-second break": (
        "`twenty-second` may be 22nd, or 20 seconds; write `22nd` or `20 seconds`"
    ),
    "nineteen ninety-nine birds": (
        "`nineteen ninety-nine` may be 1999, or 19 and 99; write `1999` or `19, 99`"
    ),
}  # fmt: skip
TOO_LONG = ("1e400 birds", "9" * 31 + " birds", "1e-31 of 3", "1/" + "3" * 31 + " of 3")


@pytest.mark.parametrize(("text", "values"), MEANT.items())
def test_a_text_says_its_numbers(text, values):
    problem = read_text(text + " . How many?")
    assert [number.value for number in problem.numbers] == values.split()
    assert all(isinstance(value_of(number.value), Fraction) for number in problem.numbers)
    assert len(marked(problem)) <= len(problem.words)


@pytest.mark.parametrize(("text", "told"), TWO.items())
def test_what_may_be_read_in_two_ways_is_refused_by_name(text, told):
    with pytest.raises(ValueError, match="may be") as refused:
        read_text(f"There is {text}. How many?")
    assert str(refused.value) == told


@pytest.mark.parametrize(("text", "told"), TWO.items())
def test_what_is_said_to_write_instead_is_read(text, told):
    for instead in told.split("; write ")[1].split(" or "):
        assert read_text(f"There is {instead.strip('`')}. How many?").numbers


@pytest.mark.parametrize("text", TOO_LONG)
def test_a_number_of_too_many_digits_is_refused(text):
    with pytest.raises(ValueError, match="is no number of at most 30 digits"):
        read_text(f"There are {text}. How many?")


def test_a_number_of_several_words_has_one_mark():
    assert " ".join(marked(read_text("Of two hundred and five birds 2 ½ fly . How many ?"))) == (
        "of #word birds #. fly . how many ?"
    )


ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_words(number: int, joint: str, also: str) -> str:
    """A number as people say it: with a hyphen or a blank, with `and` or without."""
    if number < 20:
        return ONES[number]
    if number < 100:
        rest = joint + ONES[number % 10] if number % 10 else ""
        return TENS[number // 10 - 2] + rest
    for size, name in (
        (10**9, "billion"),
        (10**6, "million"),
        (1000, "thousand"),
        (100, "hundred"),
    ):
        if number >= size:
            rest = number % size
            behind = "" if not rest else (also if rest < 100 else " ") + in_words(rest, joint, also)
            return f"{in_words(number // size, joint, also)} {name}{behind}"
    raise AssertionError(number)


@pytest.mark.parametrize("joint", ["-", " "])
@pytest.mark.parametrize("also", [" and ", " "])
def test_every_whole_number_in_words_is_read(joint, also):
    draw = random.Random(62)
    for number in [
        *range(1, 1200),
        *(draw.randrange(10 ** draw.randrange(3, 13)) for _ in range(500)),
    ]:
        said = in_words(number, joint, also)
        assert [n.value for n in read_text(f"There are {said} birds.").numbers] == [str(number)], (
            said
        )
