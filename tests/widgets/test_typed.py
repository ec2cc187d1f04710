"""Pages cut texts into tokens as Python does."""

import random

import pytest

import progtf
from progtf.program.tokens import InputError
from progtf.running.interpret import Interpreter
from progtf.views.program import describe
from tests.programs import ROOT

pytestmark = pytest.mark.xdist_group("browser")

MARKS = """
use "std/sentences.seme"
semes: noun verb past name number loud bangs: 0..99
spelling:
  keep: "a.m."
  join: phrases
  capitals > loud
  count "!" > bangs
  unknown "-ed" > verb past
  unknown "un-" > verb
  unknown capital > name
  unknown digits > number
lexicon:
  dog cat do not will can it is May may US us naïve: +noun
  "look at": +verb
"""
CHARACTERS = """
model:
  tokens: chars
  length: 60
semes: digit sign
spelling:
  fold: typography blanks opening
  keep: "  ("
  stops: "=" "=?"
  read "×" as "*"
  read "x" as "*" between numbers
  read "+" as " + " between numbers
  read "-" as " - " between terms
  read "=" as " = " between terms
  read "^" as "**"
  read "−" as "-"
  thousands: lists ","
  close: "?"
lexicon:
  for d in "0123456789": "{d}": +digit
  unknown: +sign
""".replace(' "{d}": +digit', '\n    "{d}": +digit')
PIECES = [
    *(
        "dog",
        "cat",
        "Dog",
        "DOG!!",
        "it's",
        "Don’t",
        "don’t",
        "can't",
        "cannot",
        "it’ll",
        "May",
        "may",
    ),
    *(
        "US",
        "us",
        "Us",
        "MAY",
        "look at",
        "Look  at",
        "jumped",
        "Untied",
        "Boris",
        "12th",
        "7",
        "naïve",
    ),
    *("“dog”", '"dog"', "'dog cat'", "‘dog’", "dog,cat", "dog;", "dog—cat", "–", "--", "dog--cat"),
    *(
        "a.m.",
        "dog…",
        "dog...",
        "?!",
        "(dog)",
        "do\u00adg",
        "dog\u200bcat",
        "dog\u00a0cat",
        "«",
        "»",
    ),
    *(
        "1,234",
        "12,345, 6",
        "3 x 4",
        "3x4",
        "0x1f",
        "2+3",
        "0 +  3+-4",
        "2*x-3=5",
        "(x-1)-(y-.5)=-x",
        "1-2--3",
        "x-axis",
        "solve x",
        "x y",
        "\u00a0what is ’",
        "3 -5",
        "f(x)=7b-ab",
        "x^2+1",
        "0 x 1",
        "2 × 3",
        "5 − 4",
        "2 + 3 =",
        "2 + 3 = ?",
        "==",
        "6 / 2",
        "?  (a) 1",
        "  ",
        "’",
        "'",
    ),
]


def texts(count: int) -> list[str]:
    draw = random.Random(1)
    made = [" ".join(draw.choices(PIECES, k=draw.randint(1, 4))) for _ in range(count)]
    return [*PIECES, *made, *(f"  {text}. " for text in made[:20])]


def seen(program, text):
    """The tokens and the answer, or why there is none."""
    interpreter = Interpreter(program)
    try:
        tokens = interpreter.reader.read(text)
        return [[*map(str, tokens)], interpreter.run(text)]
    except InputError as error:
        return str(error).partition("; did you")[0]


@pytest.mark.parametrize("text", [MARKS, CHARACTERS], ids=["words", "characters"])
def test_pages_read_what_people_type_as_python_does(empty, text):
    page, _ = empty
    program = progtf.parse_program(text)
    typed = texts(150)
    found = page.evaluate(
        """([program, texts]) => texts.map((text) => {
          try {
            const { answer, steps } = progtf.run(program, text);
            return [steps[0].tokens, answer.text];
          } catch (error) {
            return error.message;
          }
        })""",
        [describe(program), typed],
    )
    for each, page_read in zip(typed, found, strict=True):
        assert page_read == seen(program, each), each


@pytest.mark.parametrize("name", ["grammaticality", "translation"])
def test_pages_of_the_language_programs_take_any_text(empty, name):
    page, _ = empty
    path = ROOT / "examples" / "language" / f"{name}.seme"
    program = progtf.load(path)
    rows = (ROOT / "tests" / "data" / "newcomer" / f"{name}.tsv").read_text(encoding="utf-8")
    typed = [row.split("\t")[0] for row in rows.splitlines()[1:41]]
    found = page.evaluate(
        """([program, texts]) => texts.map((text) => {
          try { return progtf.run(program, text).answer.text; } catch (error) { return null; }
        })""",
        [describe(program), typed],
    )
    answers = Interpreter(program).try_answers(typed)
    assert found == [None if isinstance(a, InputError) else a.text for a in answers]
