"""The judge of chains is judged: by chains worked out by hand, and every slip of one character."""

import pytest

from benchmarks.judge.chains import judged
from benchmarks.judge.definitions import Scope
from benchmarks.judge.expressions import Meaningless, Unreadable, number
from benchmarks.judge.questions import meaning
from progtf.program.answers import Answer, ChainStep

# A text; then of each step what is asked (?), asked again (=) or said (:).
CHAINS = [
    """Let h = 63 - 66. What is the tens digit of 1/(5/15*h/(-409))?
    ? What is 63 - 66?
    : -3
    = What is the tens digit of 1/(5/15*(-3)/(-409))?
    ? What is 1/(5/15*(-3)/(-409))?
    : 409
    = What is the tens digit of 409?
    : 0""",
    """Suppose s + v = 7, s - v = 1. Let w(n) = 2*n**2 + n. Round w(s) to the nearest ten.
    ? Solve s + v = 7, s - v = 1 for s.
    : 4
    = Let w(n) = 2*n**2 + n. Round w(4) to the nearest ten.
    ? Let w(n) = 2*n**2 + n. What is w(4)?
    : 36
    = Round 36 to the nearest ten.
    : 40""",
    """Let z(g) be the first derivative of g**3/3 - 7*g. Let r(x) = 1 - x. Give 3*r(k) - 2*z(k).
    ? Find the first derivative of g**3/3 - 7*g wrt g.
    : g**2 - 7
    = Let z(g) = g**2 - 7. Let r(x) = 1 - x. Give 3*r(k) - 2*z(k).
    = Let r(x) = 1 - x. Give 3*r(k) - 2*(k**2 - 7).
    = Give 3*(1 - k) - 2*(k**2 - 7).
    = Expand 3*(1 - k) - 2*(k**2 - 7).
    : -2*k**2 - 3*k + 17""",
    """Let t = -2/3. Let j = -6 + 2. Sort 2/15, j, 5, t.
    ? What is -6 + 2?
    : -4
    = Let t = -2/3. Let j = -4. Sort 2/15, j, 5, t.
    ? Let j = -4. Sort 2/15, j, 5, -2/3.
    ? Sort 2/15, -4, 5, -2/3.
    : -4, -2/3, 2/15, 5
    : j, -2/3, 2/15, 5
    : j, t, 2/15, 5""",
    """Let h be 3/4 - 1. Which is the nearest to h?  (a) 2/13  (b) -0.5  (c) -0.3
    ? What is 3/4 - 1?
    : -1/4
    = Which is the nearest to -1/4?  (a) 2/13  (b) -0.5  (c) -0.3
    : c""",
    """Simplify (b**33*(b/b**(1/6)))/(b**16)**(-16) assuming b is positive.
    ? Calculate (1 - (1/6))
    : 5/6
    = Simplify (b**33*b**(5/6))/(b**16)**(-16) assuming b is positive.
    ? Calculate (16)*(-16)
    : -256
    = Simplify (b**33*b**(5/6))/b**(-256) assuming b is positive.
    : b**(1739/6)""",
    """Let f(x) = x**2 - 3. Let g be f(4). Is g a composite number?
    ? Let f(x) = x**2 - 3. What is f(4)?
    : 13
    = Let g be 13. Is g a composite number?
    = Is 13 a composite number?
    : False""",
    """Determine y so that -3*y**2 + 12039*y - 2244396 = 0.
    = Sort 3817, 196.
    : 196, 3817""",
    """Let c = 3 - 5. Which is smaller: c or -1?
    ? What is 3 - 5?
    : -2
    = Let c = -2. Which is smaller: c or -1?
    ? Which is smaller: -2 or -1?
    : -2
    : c""",
]


def told(chain):
    """A text, and what the steps from it make of it, each with its mark."""
    text, *said = chain.splitlines()
    return text, [tuple(line.strip().split(" ", maxsplit=1)) for line in said]


def verdict(text, said):
    """What the judge says of the chain of a text."""
    steps, waiting = [], []
    for mark, made in said:
        answer = Answer(made, (), asks=mark == "?", again=mark == "=")
        steps.append(ChainStep(text, answer, len(waiting)))
        if mark == "?":
            waiting.append(text)
        text = f"{made}; {waiting.pop()}" if mark == ":" and waiting else made
    return judged(steps).verdict


def slips(text):
    """A text with one character changed: digit, sign, sign of an operation, letter, bracket."""
    turned = {"+": "-", "-": "+", "*": "/", "/": "*", "(": "", ")": "", ".": "", ",": ""}
    for place, character in enumerate(text):
        if character.isdigit():
            others = [str((int(character) + 1) % 10), ""]
        elif character.isalpha():
            others = [chr((ord(character.lower()) - 96) % 26 + 97), ""]
        else:
            others = [turned.get(character, character)]
        for other in others:
            if other != character:
                yield text[:place] + other + text[place + 1 :]


each_chain = pytest.mark.parametrize("chain", CHAINS, ids=range(len(CHAINS)))


@each_chain
def test_a_chain_that_is_right_is_called_right(chain):
    assert verdict(*told(chain)) == "right"


@each_chain
def test_each_slip_of_one_character_is_called_wrong(chain):
    text, said = told(chain)
    passed = [
        (mark, slipped)
        for place, (mark, made) in enumerate(said)
        for slipped in slips(made)
        if verdict(text, [*said[:place], (mark, slipped), *said[place + 1 :]]) != "wrong"
    ]
    assert passed == []


REFUSED = """Let h = 1/3 - 1/3. What is 2/h?
    ? What is 1/3 - 1/3?
    : 0
    = What is 2/0?
    : ?"""


def test_what_is_refused_is_not_called_right():
    assert verdict(*told(REFUSED)) == "refused"
    assert verdict(*told(REFUSED.replace(": ?", ": ? zero"))) == "refused"


@pytest.mark.parametrize("answer", ["0", "2/0", "zoo", "-0", ""])
def test_an_answer_where_there_is_none_is_called_wrong(answer):
    text, said = told(REFUSED)
    assert verdict(text, [*said[:-1], (":", answer)]) == "wrong"


@pytest.mark.parametrize(
    "text", ["What time is it?", "Let h. What is 3?", "Let h = 3. What is h", ""]
)
def test_what_the_judge_cannot_read_is_not_judged(text):
    assert verdict(text, [(":", "3")]) == "not judged"
    assert verdict(text, [("=", "What is 3?"), (":", "3")]) == "not judged"


def test_a_step_that_does_not_follow_is_called_wrong():
    text = "Let h = 3. What is h?"
    steps = [
        ChainStep(text, Answer("What is 3?", (), again=True)),
        ChainStep("What is 4?", Answer("4", ())),
    ]
    assert judged(steps).verdict == "wrong"
    assert judged(steps[:1], "step 2: a token is not known").verdict == "refused"


# Texts that ask the same: an order of definitions, names and what nothing needs are nothing to it.
ALIKE = [
    "What is 11?",
    "Let f(x) = 2*x + 1. Let x = 3. What is f(5)?",
    "Let k = 2*f(2) + 1. Let f(n) = 2*n + 1. Let z = 1/0. What is k?",
    "Suppose a - b = 3. Suppose a + b = 19. Calculate a.",
    "Suppose c*d = 22. Suppose 3*c = 6. Evaluate d.",
    "Let g(x) be the second derivative of x**3/6 + y*x. Let y = 4. What is g(y + 7)?",
    "Let y be 11*z. What is the first derivative of y + 2 wrt z?",
    "Let f(x) = 2*x - 22. Let f(w) = 0. Calculate w.",
    "Solve x + 2 = 13 for x.",
    "What is x in -x = -11?",
    "Suppose 0.5*w - 5.5 = 0.  What is w?",
]


def test_texts_that_mean_the_same_have_one_meaning():
    assert {meaning(text) for text in ALIKE} == {meaning(ALIKE[0])}


@pytest.mark.parametrize(
    "text",
    [
        "What is 1/(2 - 2)?",
        "Suppose 0*x = 0. What is x + 1?",
        "Suppose x = 3. Suppose x = 4. What is x + 1?",
        "Let x = 3. Suppose 2*x = 5. What is x + 1?",
        "Suppose x**2 = 4. What is x + 1?",
        "Is 1/2 prime?",
        "Solve x = x for x.",
    ],
)
def test_what_has_no_value_means_nothing(text):
    with pytest.raises(Meaningless):
        meaning(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is 3 4?",
        "What is 2x?",
        "What is (3?",
        "What is f(3)?",
        "Let a = 3. Let a = 4. What is a?",
        "Let f(x) = x. Let f(x) = 2*x. What is f(3)?",
        "Let a = b. Let b = a. What is a?",
        "Let x = 3. Solve 2*x = 6 for x.",
        "Suppose x**2 = 2. What is x?",
        "Suppose x*y = 2. What is x?",
        "What is 2**(10**9)?",
        f"What is {'(' * 90}3{')' * 90}?",
    ],
)
def test_what_cannot_be_read_is_told(text):
    with pytest.raises(Unreadable):
        meaning(text)


@pytest.mark.parametrize("text", ["1/2", "-3", "0", "0.5", "-0.25", "12/7"])
def test_numbers_of_answers(text):
    assert number(text) == Scope().evaluated(text)


@pytest.mark.parametrize("text", ["2/4", "-0", "03", "0.50", "1/1", "1/0", "3.0", "", "x", "3 "])
def test_numbers_that_no_answer_writes(text):
    assert number(text) is None


# A question, a right answer, and wrong ones.
ANSWERS = [
    ("Round -2.5 to the nearest integer.", "-3", "-2"),
    ("What is 0.00059 rounded to 4 dps?", "0.0006", "0.0005", "6"),
    ("What is the hundreds digit of 57?", "0", "5"),
    ("What are the prime factors of 12?", "2, 3", "3, 2", "2, 2, 3"),
    ("Calculate the common denominator of 1/6 and 3/4.", "12", "24"),
    ("Calculate the remainder when 17 is divided by 5.", "2", "3"),
    ("Let q = 2/4. What is the second biggest value in 1, q, 0.3?", "q", "0.5", "1/2", "1"),
    ("What is the closest to 0 in 1, -1, 3?", "-1", "3", "0"),
    ("Is 1 composite?", "False", "True"),
    ("Is 6 a factor of 18?", "True", "False", "true"),
    ("Factor 3*x**2 - 3.", "3*(x - 1)*(x + 1)", "3*(x**2 - 1)", "(x - 1)*(x + 1)"),
    ("Suppose x**2 - x = 2. What is x?", "-1, 2", "2, -1", "2"),
    ("Expand (x - 1)*x/2.", "x**2/2 - x/2", "x*(x - 1)/2", "x**2/2 + x/2"),
]


@pytest.mark.parametrize(("question", "right", "wrong"), [(q, r, w) for q, r, *w in ANSWERS])
def test_one_answer_is_right_and_others_are_not(question, right, wrong):
    assert verdict(question, [(":", right)]) == "right"
    assert {verdict(question, [(":", each)]) for each in wrong} == {"wrong"}
