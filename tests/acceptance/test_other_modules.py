"""A program that is asked the questions of any module answers them rightly, or with `?`."""

import pytest

from progtf.analysis.scores import REFUSED, is_refused
from progtf.program.tokens import InputError
from tests.acceptance.questions import FOLDER, read
from tests.programs import ALL, MATH, beyond, compiled

NAMES = sorted({path.stem for path in MATH.glob("*.seme")} - {ALL.stem})
FIRST = ["is_prime", "place_value", "pair", "gcd"]
FILES = sorted(
    path for split in ("interpolate", "extrapolate") for path in (FOLDER / split).glob("*")
)
TEXTS = [  # near to questions, and of no template; what would be right, where anything would
    ("5 + 3 + 1", "9"), ("1,000 + 2", "1002"), ("2x = 3", ""), ("2 + 3 = 4", ""),
    ("What is 1,000 plus 2?", "1002"), ("What is 7?", "7"), ("7", "7"),
    ("What is \N{MINUS SIGN}3 plus 5?", "2"), ("What is 3 plus \N{MINUS SIGN}5?", "-2"),
    ("Is 1 prime?", "False"), ("Is 2.0 prime?", ""), ("Is \N{MINUS SIGN}7 prime?", "False"),
    ("Is 7, 8 prime?", ""), ("Is 7 a prime?", "True"), ("Is 7 8 prime?", ""), ("Is prime?", ""),
    ("?", ""), ("Solve 2x = 4 for x.", "2"), ("Solve 2*x + 3 for x.", ""),
    ("What is 3 plus 5 plus?", ""), ("What is the tens digit?", ""), ("List 12.", ""),
    ("Round 1,234 to the nearest ten.", "1230"), ("Sort 1 2 3.", "1, 2, 3"),
    ("Calculate the greatest common factor of 12.", "12"), ("Is 4 a factor of 0.5?", "False"),
    ("What is the remainder when 5 is divided by 0?", ""), ("What is 5 divided by 0?", ""),
    ("Let x = 3. What is x?", "3"), ("Round 12.5 to the nearest", ""), ("1 2", ""), ("--3", "3"),
]  # fmt: skip


ONE = pytest.param("all", marks=[pytest.mark.long, pytest.mark.xdist_group("all.seme")])
EVERY = [*beyond(sorted(NAMES, key=lambda name: name not in FIRST), len(FIRST)), ONE]
Pairs = list[tuple[str, str]]


def wrong(name: str, asked: Pairs) -> list[tuple[str, str, str]]:
    """Question, answer that is due, and another one that is given."""
    tried = compiled(MATH / f"{name}.seme").try_answers([question for question, _ in asked])
    given = [each.text if not isinstance(each, InputError) else REFUSED for each in tried]
    told = zip(asked, given, strict=True)
    return [(*pair, said) for pair, said in told if said != pair[1] and not is_refused(said)]


@pytest.mark.parametrize("name", EVERY)
def test_no_question_of_any_module_is_answered_wrongly(name):
    asked = [pair for path in FILES for pair in [*zip(*read(path), strict=True)][:2]]
    assert len(asked) == 2 * 71
    assert wrong(name, asked) == []


@pytest.mark.parametrize("name", EVERY)
def test_texts_of_no_template_are_answered_rightly_or_not_at_all(name):
    assert wrong(name, TEXTS) == []
