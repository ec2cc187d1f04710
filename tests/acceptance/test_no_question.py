"""What is no question of a program's kind is answered with `?`, or refused: never with a number.

A mutated text may still be a question, or another one. Then the expected answer is worked
out here, from the wordings of the Mathematics Dataset and in another way than the programs do it.
"""

import random
import re

import pytest

from progtf.program.tokens import InputError
from tests.acceptance.division_kinds import DIVISION_KINDS
from tests.acceptance.equation_kinds import EQUATION_KINDS
from tests.acceptance.fraction_kinds import FRACTION_KINDS
from tests.acceptance.kinds import FIRST_KINDS, Kind
from tests.acceptance.more_kinds import MORE_KINDS
from tests.acceptance.mutations import mutated
from tests.acceptance.polynomial_kinds import POLYNOMIAL_KINDS
from tests.acceptance.questions import FOLDER, read
from tests.acceptance.worded_kinds import WORDED_KINDS
from tests.programs import MATH, compiled

KINDS = {
    **FIRST_KINDS,
    **MORE_KINDS,
    **WORDED_KINDS,
    **POLYNOMIAL_KINDS,
    **DIVISION_KINDS,
    **EQUATION_KINDS,
    **FRACTION_KINDS,
}

NO_POLYNOMIALS = ["2*y", "x**4", "x**1", "x**22", "1,000*x", "2*x + + 1", "", "2*x 1", "2x", "x*2"]
NO_POLYNOMIALS += ["\N{MINUS SIGN}2*x", "5184*x", "1234567890*x", "2*x  - 1", "2.5*x", "3*4*x"]
NO_POLYNOMIALS += [
    "- 2*x",
    "3 - -2*x",
    "2*x +",
    "+ 2*x",
    "2*x*x",
    "(2*x)",
    "x**2**2",
    "2**x",
    "2*xx",
    "X",
]
NO_VALUES = [
    "What is g(2)?",
    "Give f(2, 3).",
    "Give f().",
    "Give f(--2).",
    "Give f(2). Give f(2).",
    "f(2)",
]
NO_VALUES += [
    "Give f(2) please.",
    "Give f(\N{MINUS SIGN}2).",
    "Give f(2.5).",
    "Give f(2)??",
    "Give f(1,000).",
]
NO_VALUES += [
    "Give f(x).",
    "Give f(2",
    "Give f2.",
    "Find f(2).",
    "Give f(2) 2",
    "Give Give f(2).",
    "",
]

NO_SUMS = ["2*y + x", "x**5", "1,000*x", "2*x + + 1", "", "2*x 1", "2x", "x*2", "x*x"]
NO_SUMS += ["2*x  - 1", "2.5*x", "3*4*x", "2*x +", "+ 2*x", "(2*x", "2*x)", "()", "2*(x)(x)", "X"]
NO_SUMS += ["x**3", "(x + 1)(x - 1)", "(x)*x", "2*x - -1", "\N{MINUS SIGN}2*x", "x**", "x + y"]
NO_FORMS = ["b*x", "b*x + b", "b*x + c*x", "2*b*x + c", "b + c", "b*x - c", "b*y + c", "x*b + c"]
NO_FORMS += ["b*x**2 + c", "bx + c", "b*x + c + ", "", "b*x, c", "b*x + (c)", "-b*x + c"]

NO_SEQUENCES = ["1", "1, 2", "1,2,3", "1, 2, 3, 5", "1, 2, 3, 4, 6", "1, 2, 4, 8", "1, 2, 4, 7"]
NO_SEQUENCES += [
    "1.5, 2, 3",
    "1/2, 1, 2",
    "1, 2, --3",
    "1, 2, 3,",
    "1, 2 3",
    "1,, 2, 3",
    "",
    "x, 1, 2",
]
NO_SEQUENCES += [
    "1, 2, +3",
    "1, 2, \N{MINUS SIGN}3",
    "1,  2, 3",
    "1, 2, 3 4",
    "1000000000, 2, 3",
    ", 1, 2, 3",
]
NO_SEQUENCES += [
    "999999999, -999999999, 999999999, -999999999",
    "1, 2, 3- 4",
    "1, 2, 3-, 4",
    "1, 2, -",
]
NO_SEQUENCES += [
    ", ".join(map(str, range(11))),
    "0, 0, 1",
    "0, 0, 0, 1",
    "0, 0, 0, 2",
    "0, 0, 0, 3",
]

NO_QUANTITIES = [
    "5",
    "5 feet",
    "5 grams",
    "5s",
    "5 kilo",
    "1,000 meters",
    "5 6 meters",
    "5 meters meters",
]
NO_QUANTITIES += [
    "-5 meters",
    "\N{MINUS SIGN}5m",
    "5.5.5 meters",
    "5. meters",
    ".5 meters",
    "five meters",
]
NO_QUANTITIES += [
    "1/3 of a meter",
    "1/0 of a kilometer",
    "1/2 meters",
    "1/2m",
    "1.5 of a kilometer",
]
NO_QUANTITIES += [
    "1/2 of a kilometers",
    "one half kilometer",
    "one half of kilometer",
    "1/2 of a gram",
]
NO_QUANTITIES += [
    "twenty-twelve halves of a kilometer",
    "two-one halves of a kilometer",
    "kilometer",
]
NO_QUANTITIES += [
    "one one half of a kilometer",
    "1234567890123456m",
    "5 metersx",
    "5 meters,",
    "5mx",
    "5Km",
]
NO_QUANTITIES += [
    "1/2 of a millimeter",
    "one half of a kilometer of a kilometer",
    "5/2002 of a kilometer",
]

NO_QUESTIONS = {
    "linear_1d": (
        ["Solve 2*x = 3 for x.", "Solve x = x + 1 for x.", "Solve x = x for x.", "2x = 3"],
        ["Solve 2*x = 4 for y.", "Solve 2*x + y = 4 for x.", "Solve 1,000*x = 2000 for x."],
        ["Xolve 2*x = 4 for x.", "Solve Solve 2*x = 4 for x.", "Solve 2*x = 4 for x for x."],
        ["Solve 2*x = 4 = 4 for x.", "Solve 2*x 4 for x.", "Solve 2*x = = 4 for x."],
        [
            "Solve x = 5 - -3 for x.",
            "Solve x = 5 + -3 for x.",
            "Solve 2*x = 4 5 for x.",
            "Solve 2*x  = 4 for x.",
            "Solve 2x = 4 for x.",
        ],
        ["Solve - 2*x = 4 for x.", "Solve 2*x = 4 + for x.", "Solve 2*x = 4 for x..", "Solve x"],
        ["Solve x = 500 for x.", "Solve 10001*x = 20002 for x.", "Solve 2*x = 4 for x please"],
        [
            "Solve x*2 = 4 for x.",
            "Solve 2*xx = 4 for x.",
            "Solve 2.5*x = 5 for x.",
            "Solve  = for x.",
        ],
        ["Solve 2*x = \N{MINUS SIGN}4 for x.", "Solve 2*x = --4 for x.", "Solve 2*x > 4 for x."],
    ),
    "add_or_sub_in_base": (
        ["In base 7, what is 17 + 2?", "In base 17, what is 1 + 2?", "In base 1, what is 1 + 1?"],
        ["In base 7, what is 1 + 2 + 3?", "What is 1 + 2?", "In base 7, what is 1 2?", "1 + 2"],
        ["In base 7, what is 1+2?", "In base 7, what is 1,0 + 2?", "In base 7 what is 1 + 2?"],
        ["In base 7, what is 1 + 2 please?", "In base 7, what is 1 * 2?", "In base 7, what is ?"],
        ["In base -7, what is 1 + 2?", "In base 7, what is 1.5 + 2?", "In base 7, what is + 2?"],
        ["In base 7, what is 1 \N{MINUS SIGN} 2?", "In base 116, what is 1 + 2?", "In base 7, "],
        ["Xn base 7, what is 1 + 2?", "In base a, what is 1 + 2?", "In base 7, what is --1 + 2?"],
        ["In base 7, what is - 1?", "In base 7, what is 1 - ?", "In base 7, what is 1 + 2??"],
    ),
    "add_or_sub": (
        ["7", "5 and 3", "Add 5 to 3.", "1 + 2 + 3", "1,000 + 2", "3 \N{MINUS SIGN} 4", "1/2 + 3"],
        ["What is 3 plus plus 4?", "What is 3 and 4?", "3 + .5", "1.2.3 + 4", "3 + x", "3 4 + 5"],
        ["What is 3 plus 4 please?", "What is 3 + 4 less than 5?", f"{'7' * 40} + 1", "two + 3"],
        ["1.6+?357", "?3 + 4", "3? + 4", ". 3 + 4"],
    ),
    "mul": (
        ["7", "5 and 3", "2 * 3 * 4", "1,000 * 2", "3 \N{MULTIPLICATION SIGN} 4", "1/2 * 3"],
        ["Multiply 3 by 4.", "3 ** 4", "Product of 3 and", "3 * .5", "1.2.3 * 4", "3 * x", "3 + 4"],
        [
            "What is 3 times 4 please?",
            "9999999999999 * 9999999999999",
            f"{'7' * 14} * 1",
            "3 4 * 5",
            ".-84 * 2",
            "?111 * 3",
        ],
    ),
    "list_prime_factors": (
        [
            "List the prime factors of 0.",
            "List the prime factors of -6.",
            "12",
            "List factors of 12.",
        ],
        [f"List the prime factors of {n}." for n in ("1.5", "12 and 15", "+12", "1,200", "3-4")],
        ["What is the prime factors of 12?", "What are the prime factors of 119246400?", "of 12?"],
    ),
    "mul_div_multiple": (
        ["What is 7/2?", "3*4*5*11", "1/0", "1/(0/5)", "1/(1/0)", "(3*4", "3*4)", ")3*4(", "()*4"],
        ["1,000*2/5", "3 *4", "3*4 ", "3**4", "3*/4", "*3", "3*", "3-4", "3*--4", "3*-(4)"],
        ["What is 3*4 please?", "What are 3*4?", "What is 3*4 5?", "What is What is 3*4?", "3*4.5"],
        ["3*4?5", "3(4)", "(3)(4)", "3*4?.", "007/7", "3*\N{MINUS SIGN}4", "Multiply 3*4.", "2*x"],
        ["(((((((((3*4)))))))))", "12345678901/12345678901", "599999999/1000000", "1/3*2", "3*4*"],
        ["5999999999/10000000", "9999999999/16666666", "6000000001/10000000", "Evaluate .", "-3-4"],
        [
            "1" + 12 * "*1",
            "2" + 60 * "/1",
            "7" + 30 * "/27" + 22 * "*27",
            162 * "-",
            40 * "1/(" + "1",
        ],
    ),
    "mixed": (
        [
            "1/0",
            "1/(0/5)",
            "1/(1 - 1)",
            "0/0",
            "(3*4",
            "3 + 4)",
            ")3*4(",
            "()*4",
            "3 +4",
            "3+ 4",
            "3-4",
        ],
        [
            "3 + + 4",
            "3*/4",
            "*3",
            "3 +",
            "3*-(4)",
            "- 3",
            "--3",
            "2**3",
            "3 4",
            "3* 4",
            "1,000 + 2",
        ],
        [
            "What is 3 + 4 please?",
            "What are 3*4?",
            "3.5 + 1",
            "007/7",
            "2*x",
            "3(4)",
            "(3)(4)",
            "3*4?.",
            "",
        ],
        [
            "99999*99999",
            "12345678901/7",
            "1" + 16 * "*1",
            "(((((((((3*4)))))))))",
            "1/99999 + 1/99998",
        ],
    ),
    "evaluate": (
        [f"Let f(x) = {terms}. Give f(2)." for terms in NO_POLYNOMIALS],
        [f"Let f(x) = 2*x. {asked}" for asked in NO_VALUES],
        [
            "Give f(2).",
            "f(2)",
            "2*3",
            "Let f(x) = 2*x.",
            "Let f(x). Give f(2).",
            "Let x = 2. Give f(2).",
        ],
        ["let f(x) = 2*x. give f(2).", "Let f(x) =2*x. Give f(2).", "Let f(x) = 2*x Give f(2)."],
        ["Let f(x) = x**3. Give f(9999).", "Let f(x) = x - 9999. Give f(10000)."],
    ),
    "coefficient_named": (
        [f"Express {terms} as a*x**2 + b*x + c and give b." for terms in NO_SUMS],
        [f"Express 2*x + 1 as {form} and give b." for form in NO_FORMS],
        [
            f"Rearrange 2*x + 1 to b*x + c and give {name}"
            for name in ["x.", "d.", "", "b, c.", "bb."]
        ],
        [
            "Express 2*x + 1 as b*x + c.",
            "Give b.",
            "Express 2*x + 1.",
            "2*x + 1",
            "Express  as  and give b.",
        ],
        ["Rearrange 2*x + 1 as b*x + c and give b.", "Express 2*x + 1 to b*x + c and give b."],
        ["express 2*x + 1 as b*x + c and give b.", "Express 2*x + 1 as b*x + c and give b please."],
        [
            "Express Express 2*x + 1 as b*x + c and give b.",
            "Express 2*x + 1 as b*x + c and give b..",
        ],
        ["Express x**5 as a*x**4 + b and give b.", "Express 1000000*x as b*x and give b."],
    ),
    "collect": (
        [f"Collect the terms in {terms}." for terms in {*NO_SUMS, "(x + 1)"} - {"x**3", "x**5"}],
        [
            "Collect the terms in x**6.",
            "Collect terms in 2*x.",
            "Collect the terms in 2*x..",
            "2*x",
        ],
        ["collect the terms in 2*x.", "Collect the terms in 2*x please.", "Collect the terms in ."],
        ["Collect the terms in 10000000*x.", "Collect the terms in 9999999*x - 2*x + 3*x."],
        ["Collect the terms in 2*x. Collect the terms in 2*x.", "Collect the terms in 2*x. 3"],
    ),
    "differentiate": (
        [f"Differentiate {p}." for p in ("2x", "x*2", "2* x", "3*4*x", "x**22", "x*x", "x**0")],
        [f"Differentiate {p}." for p in ("x*y", "(x + 1)", "x + x", "x + x**2", "1 + x + x**2")],
        [f"Differentiate {p} wrt a." for p in ("a*b*c*d*f", "b + a", "a*b + a**2", "", "2.5*a")],
        [
            f"Differentiate a**2{by}."
            for by in (" wrt", " wrt ", " wrt aa", " wrt a wrt b", "wrt a")
        ],
        [
            f"Differentiate a**2 {by}."
            for by in ("by a", "with respect to", "wrt 2", "in respect to a")
        ],
        [
            "differentiate x.",
            "Differentiate",
            "Differentiate x please.",
            "Differentiate x. x",
            "x**2",
        ],
        ["Find the derivative of x.", "Find the fourth derivative of x.", "What is the second x?"],
        ["Find the third derivative of x**7.", "What is the first first derivative of x?"],
        ["Differentiate 12345678901234567*x.", "Differentiate Differentiate x.", "Find x."],
        ["Differentiate 1111111111111111*a**9*b**9*c**9 + 1111111111111111*a**8*b**9*c**9 wrt a."],
    ),
    "expand": (
        [f"Expand {terms}." for terms in {*NO_SUMS, "x**6"} - {"x**3", "x**5"}],
        ["Expand (x**3)*(x**3).", "Expand (x + 1)*(y + 1).", "Expand x*(x + 1).", "(x + 1)*(x)"],
        ["expand (x + 1)*(x).", "Expand (x + 1)*(x) please.", "Expand (x + 1)*(x)..", "Expand ."],
        [
            "Expand (10000000)*(x).",
            "Expand (2000)*(5000)*(x).",
            "Expand 2*3*(x + 1).",
            "Expand (x + 1)**2.",
            "Expand",
        ],
        ["Expand Expand (x).", "Expand (x). Expand (x).", "Expand ((((((((((((x))))))))))))."],
    ),
    "sequence_nth_term": (
        [f"What is the n'th term of {listed}?" for listed in NO_SEQUENCES],
        ["What is the nn'th term of 1, 2, 3?", "What is the 'th term of 1, 2, 3?", "1, 2, 3"],
        [
            "What is the n'th term of 1, 2, 3.",
            "What is the N'th term of 1, 2, 3?",
            "n'th term of 1, 2, 3?",
        ],
        ["What is the n'th term of 1, 2, 3? 4", "What is the n'th term in 1, 2, 3?"],
        ["What is the n'th term of What is the n'th term of 1, 2, 3?", "What is the n'th term of"],
        ["What is the 1'th term of 1, 2, 3?", "What is the n term of 1, 2, 3?"],
    ),
    "linear_2d": (
        [f"Solve 2*x + y = 4, {other} for x." for other in ("3*x", "3*x - z = 1", "x = y = 1")],
        [f"Solve 2*x + y = 4, {other} for x." for other in ("2*x + y = 4", "x*y = 1", "x**2 = 1")],
        [f"Solve 2*x + y = 4, {other} for x." for other in ("2x = 1", "y = 3", "3*(x) = 1", "")],
        ["Solve 2*x + y = 4 for x.", "Solve 2*x = 4 for x.", "Solve 2*x + y = 4, y = 2 for z."],
        [
            "solve 2*x + y = 4, y = 2 for x.",
            "Solve 2*x + y = 4, y = 2 for x..",
            "2*x + y = 4, y = 2",
        ],
        [
            "Solve 2*x + y = 4, y = 2 for x please.",
            "Solve 2*x + y = 4,y = 2 for x.",
            "Solve for x.",
        ],
        ["Solve 2*x + y = 4, y = 2, y = 2 for x.", "Solve 2001*x + y = 2003, y = 2 for x."],
        ["Solve x + y = 1001, y = 1 for x.", "Solve x - y = 50000, y = -49999 for x."],
    ),
    "swr_p": (
        [
            f"What is prob of {event} when {drawn} picked without replacement from {bag}?"
            for event, drawn, bag in [
                ("sequence ab", "three letters", "abc"),
                ("sequence ab", "two letter", "abc"),
                ("sequence ab", "two letters", "acc"),
                ("sequence ab", "two letters", "a"),
                ("sequence ab", "two letters", ""),
                ("sequence", "two letters", "abc"),
                ("sequence a b", "two letters", "abc"),
                ("sequence ab ab", "four letters", "abababab"),
                ("sequence ab", "two letters", "abc abc"),
                ("sequence ab", "two letters", "{a: 1, b: 20}"),
                ("sequence ab", "two letters", "{a: 1, b: 0}"),
                ("sequence ab", "two letters", "{a: 1, a: 2, b: 2}"),
                ("sequence ab", "two letters", "{a: 1, b: 2"),
                ("sequence ab", "two letters", "a: 1, b: 2}"),
                ("sequence ab", "two letters", "{a: 1 b: 2}"),
                ("sequence ab", "two letters", "{a: 1, b: 2.5}"),
                ("sequence ab", "2 letters", "abc"),
                ("sequence abcabc", "six letters", "abcabc"),
                ("picking 1 a or 1 b", "two letters", "abc"),
                ("picking 1 a, 1 b", "three letters", "abc"),
                ("picking 1 a and 1 a", "two letters", "aab"),
                ("picking 1 a and 0 b", "one letter", "abc"),
                ("picking 2 a and", "two letters", "aabc"),
                ("picking 1 a 1 b", "two letters", "abc"),
                ("picking 1 a and 1 b and 1 c and 1 d and 1 e and 1 f", "five letters", "abcdef"),
                ("picking and 2 a,", "two letters", "aab"),
                ("picking a and b", "two letters", "abc"),
                ("picking \N{MINUS SIGN}1 a", "one letter", "abc"),
                ("not picking 2 a", "two letters", "aabc"),
            ]
        ],
        ["Give prob of sequence ab when two letters picked without replacement from abc."],
        ["Two letters picked without replacement from abc. Calculate prob of sequence ab."],
        ["Two letters picked with replacement from abc. Give prob of sequence ab."],
        ["Two letters picked without replacement from abc. Give prob of sequence ab.."],
        ["Two letters picked without replacement from abc. Give prob of sequence ab. Thanks"],
        ["Two letters picked without replacement from abc Give prob of sequence ab."],
        ["Two letters picked without replacement from abc."],
    ),
    "conversion": (
        [f"What is {given} in meters?" for given in NO_QUANTITIES],
        [f"{asked} 5 kilometers in meters?" for asked in ["How much is", "What are", "What"]],
        [
            f"How many {unit} are there in 5.5kg?"
            for unit in ["feet", "meters", "gram", "grams grams"]
        ],
        [
            "Convert 5m in km.",
            "What is 5m to kilometers?",
            "Convert 5 meters.",
            "5 meters",
            "What is 5m in km?",
        ],
        [
            "How many meters are there in 5 kilometers in meters?",
            "What is 5 in meters?",
            "Convert 5m to",
        ],
    ),
    "all": (
        ["Two letters picked without replacement from abc. Give prob of sequence abc."],
        ["Two letters picked without replacement from {a: 999}. Give prob of picking 3 a."],
        ["1,000 + 2", "1 + 2 + 3 4", "seven", "What is 3 plus 4 please?", "1,000 * 2", "3 ** 4"],
        ["What is the tens digit of 1,234?", "Round 1,234 to 2 dps.", "What is 5 to 3?"],
        ["What is 5 minutes after 25:70 PM?", "What is next in 1, 2?", "(1 + 2 + 3", "hello"],
    ),
}

EACH = 6  # questions of a module


def texts(kind: Kind, every: int) -> list[str]:
    """True questions, spoiled in all ways; of these one of so many."""
    rng = random.Random(4)
    asked = [
        question
        for module in kind.modules
        for question in rng.sample(read(FOLDER / f"{module}.txt")[0], EACH)
    ]
    return sorted({text for question in asked for text in mutated(question, rng) if text})[::every]


WORDS = {
    "What's ": "What is ",
    "How much is ": "What is ",
    "Compute ": "Calculate ",
    " gcd of ": " greatest common divisor of ",
    " lcm of ": " least common multiple of ",
}


def parted(text: str) -> str:
    """With blanks around signs that have none: between numbers, brackets and single letters."""
    pieces, said = re.findall(r"[A-Za-z]+|\d|.", text), list[str]()
    for place, piece in enumerate(pieces):
        behind = "".join(pieces[place + 1 :]).removeprefix("-").removeprefix(".")
        begins = re.match(r"\d|\(|[A-Za-z](?![A-Za-z])", behind) and place
        ends = place and re.fullmatch(r"\d|\)|[A-Za-z]", pieces[place - 1])
        said.append(f" {piece} " if piece in "-+=" and begins and ends else piece)
    return "".join(said)


def readings(text: str) -> list[str]:
    """A text, and what it is as people type questions (docs/language.md), folded here once more."""
    typed = re.sub(r"[ \u00a0]+", " ", text.replace("  (", "\n(")).strip().replace("\n", "  ")
    typed = typed.replace(" ?", "?").translate({0x2212: "-", 0x2013: "-"})
    typed = re.sub(r"(?<=[^ =]) *=\??$", "", typed)  # `2 + 3 =?`
    typed = re.sub(r" ?[\u00d7\u22c5] ?| [xX] (?=-?\d)|(?<=\d)[xX](?=-?\d)", "*", typed)
    typed = re.sub(r"(?<=\d) *\+ *(?=-?\.?\d)", " + ", typed.replace("^", "**"))
    typed = re.sub(r"(^|[.?!;] )([a-z])(?=[a-z])", lambda m: m[1] + m[2].upper(), typed)
    for word, meant in WORDS.items():
        typed = typed.replace(word, meant)
    typed = parted(typed)
    if re.match(r"(What|Which|How|Is|Does|Do)\b", typed) and not typed.endswith("?"):
        typed += "?"
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", typed)
    spaced = [re.sub(r"\*", " * ", each) for each in (typed, plain)]
    return [text, typed, plain, *spaced]


def told(kind: Kind, text: str, answer: str) -> bool:
    """Whether the answer is right; too long a number is no reason for a wrong one."""
    if answer == "?":
        too_long = any(len(run) > kind.digits for run in re.findall(r"[\d.]+", text))
        return too_long or kind.answer(text) == "?"
    return answer in {kind.answer(each) for each in readings(text)}


@pytest.mark.parametrize("every", [12, pytest.param(5, marks=pytest.mark.long)])
@pytest.mark.parametrize("program", KINDS)
def test_no_text_is_answered_wrongly(program, every):
    kind = KINDS[program]
    asked = texts(kind, every)
    answers = zip(asked, compiled(MATH / f"{program}.seme").try_answers(asked), strict=True)
    given = [(text, a.text) for text, a in answers if not isinstance(a, InputError)]
    assert [(text, a, kind.answer(text)) for text, a in given if not told(kind, text, a)] == []
    assert sum(answer == "?" for _, answer in given) > len(given) / 2


ASKED = [p for p in NO_QUESTIONS if p != "all"]


@pytest.mark.parametrize(
    "program",
    [*ASKED, pytest.param("all", marks=[pytest.mark.long, pytest.mark.xdist_group("all.seme")])],
)
def test_what_is_no_question_is_answered_with_a_question_mark(program):
    asked = [text for texts in NO_QUESTIONS[program] for text in texts]
    model = compiled(MATH / f"{program}.seme")
    answers = zip(asked, model.try_answers(asked), strict=True)
    assert len(asked) >= 10
    given = [(q, a.text) for q, a in answers if not isinstance(a, InputError)]
    kind = KINDS.get(program)
    read = [(q, a) for q, a in given if kind is None or not told(kind, q, a)]
    assert [(q, a) for q, a in read if a != "?"] == []


@pytest.mark.parametrize("program", KINDS)
def test_every_true_question_is_one_here(program):
    """What the answers are held against takes every wording of the data set."""
    kind = KINDS[program]
    asked = [
        pair
        for module in kind.modules
        for pair in zip(*read(FOLDER / f"{module}.txt"), strict=True)
    ]
    assert [(q, kind.answer(q), a) for q, a in asked if kind.answer(q) != a] == []
