"""The body of a loop is prepared once; it says what its rounds, written out, say."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from progtf.notation import evaluate
from progtf.notation import flat as f
from progtf.notation.expand import expand_text

SETTING = """let N = 3
let words = [red, green, blue, dark.red, "x y"]
let sums = [2, 0.5, -1]
semes: red green blue dark.red seme[0..60] is["a".."d"] grid[0..2,0..2]
"""
# `@` stands for the variable of the loop.
BODIES = (
    "+seme[@]",
    "-seme[@+1]",
    "{@}seme[0]",
    "{2*N - @}seme[@]",
    "{@/4}seme[@] -2red",
    "{@**2}red",
    "{cos(N)*@}red",
    "{sums[@%3]}green",
    "seme[@]>seme[@+N]",
    "seme[@]>red",
    "grid[@%3,0..2]>grid[@%3,0..2]",
    "grid[0..2,@%3]>blue",
    "grid>red",
    "red>{@}blue",
    "red ~ {@}green ~ blue",
    "red*seme[@] > blue",
    "?seme[@]>red",
    "~{@}seme[@]>red",
    "{max(@, N) - min(@, 2)}dark.red",
    "{floor(@/2)}red {ceil(@/2)}blue",
    '{abs(@ - 2)}is["a"]>is["a".."d"]',
    "{gcd(@, 12)}red",
    "for j in 0..@ if j != 1: {j*@}seme[j]>seme[@]",
    "for w at j in words if j < @: {j + @}seme[j]>seme[@]",
    'for c in "abc": {@}is[c]>seme[@]',
)  # fmt: skip


def value_of(lines: str) -> tuple[list[tuple[object, ...]], list[str]]:
    """The entries of a list, without their places, and what is wrong with it."""
    flat, found = expand_text("t", f"{SETTING}v:\n{lines}")
    values = [each for each in flat.statements if isinstance(each, f.NamedValue)]
    entries = [entry for value in values for entry in value.value]
    shown = [
        (entry.kind, entry.mark, *((repr(t.coefficient), t.name) for t in entry.terms))
        for entry in entries
    ]
    return shown, [each.headline for each in found]


@pytest.mark.parametrize("body", BODIES)
@settings(max_examples=8, deadline=None)
@given(first=st.integers(0, 4), rounds=st.integers(0, 5))
def test_a_loop_gives_what_its_rounds_give_when_they_are_written_out(body, first, rounds):
    numbers = range(first, first + rounds)
    inner = body.replace("@", "k")
    joint = "" if inner.startswith("for ") else ":"  # clauses share one colon
    looped = value_of(f"  for k in {first}..{numbers.stop - 1}{joint} {inner}\n")
    plain = value_of("".join(f"  {body.replace('@', str(k))}\n" for k in numbers))
    assert plain[1] == []
    assert looped == plain


@pytest.mark.parametrize("name", ["red", "dark.red", "seme[0]"])
def test_a_loop_over_names_gives_what_the_names_give(name):
    base, bracket, index = name.partition("[")
    looped = value_of(f"  for w in [{base}]: 2w{bracket}{index}>blue\n")
    assert looped == value_of(f"  2{name}>blue\n")


def test_what_no_round_decides_is_worked_out_once(monkeypatch):
    asked: list[float] = []

    def counted(number: float) -> float:
        asked.append(number)
        return number + 1

    monkeypatch.setitem(evaluate.FUNCTIONS, "cos", counted)
    lines = "  for k in 0..9 for j in 0..3: {cos(2*N)*k}seme[j]\n"
    assert len(value_of(lines)[0]) == 40
    assert asked == [6]


def test_what_a_round_decides_is_worked_out_in_it(monkeypatch):
    asked: list[float] = []
    monkeypatch.setitem(evaluate.FUNCTIONS, "cos", lambda number: asked.append(number) or 1)
    value_of("  for k in 0..3: {cos(2*k)}seme[k]\n")
    assert asked == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("wrong", "headline"),
    [
        ("{1/0}red", "this cannot be computed"),
        ("{1/(k - 2)}red", "this cannot be computed"),
        ("{nowhere}red", "nothing here is called `nowhere`"),
        ("seme[k + other]>red", "nothing here is called `other`"),
        ("seme[0..k+1]>seme[0..2]", "2 semes cannot be paired with 3"),
        ("{words[k + 4]}red", "a number is due here, not the text"),
        ("{what(k)}red", "there is no function `what`"),
        ("{find(k, 1)}red", "this cannot be computed"),
    ],
)
def test_a_mistake_in_a_round_is_told_once_and_not_before_its_round(wrong, headline):
    assert value_of(f"  for k in 1..0: {wrong}\n") == ([], [])
    (told,) = value_of(f"  for k in 0..9: {wrong}\n")[1]
    assert told.startswith(headline)
