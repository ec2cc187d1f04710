"""Constants are exact: arithmetic is that of fractions."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Source
from progtf.notation.evaluate import evaluate, values
from progtf.notation.expand import expand_text
from progtf.notation.parser import parse_all
from progtf.notation.scope import NameRef, Own, Rational, Scope, show, whole_name
from progtf.notation.unparse import expression

CONSTANTS = {"k": 3, "c": "x", "half": Rational("0.5"), "worths": (1, 5, 10, 50), "word": "abc/d"}
SCOPE = Scope(CONSTANTS, {"place": [(0,), (1,)], "grid": [(0, "a")]})


def read(text: str):
    file, found = parse_all(Source("t", f"let v = {text}"))
    assert not found
    return file.statements[0].value


leaves = st.sampled_from(["1", "2", "7", "0.5", "k", "half", "pi"])


FUNCTIONS = st.sampled_from(["abs", "floor", "ceil", "cos"])


def joined(parts):
    return st.one_of(
        st.tuples(parts, st.sampled_from(["+", "-", "*", "/", "%"]), parts).map(" ".join),
        parts.map("({})".format),
        parts.map("-{}".format),
        parts.map("{}**2".format),
        st.tuples(FUNCTIONS, parts).map("{0[0]}({0[1]})".format),
        st.tuples(parts, parts).map(lambda p: f"max({p[0]}, {p[1]})"),
    )  # fmt: skip


NAMES = {
    "Fraction": Fraction, "pi": Fraction(math.pi), "cos": lambda x: Fraction(math.cos(x)),
    "floor": math.floor, "ceil": math.ceil, "abs": abs, "max": max,
    "k": Fraction(3), "half": Fraction("0.5"),
}  # fmt: skip
NUMBER = re.compile(r"(?<![\w.])\d+(\.\d+)?")


@given(st.recursive(leaves, joined, max_leaves=6))
def test_expressions_have_the_values_that_fractions_give_them(text):
    try:
        expected = eval(NUMBER.sub(r'Fraction("\g<0>")', text), {"__builtins__": {}}, NAMES)
    except ZeroDivisionError:
        with pytest.raises(Mistake):
            evaluate(read(text), SCOPE)
        return
    try:
        found = evaluate(read(text), SCOPE)
    except Mistake as mistake:
        told = mistake.diagnostic.label
    else:
        assert found == expected
        return
    assert "2**53" in told or "bits" in told  # on the way


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1 + 0.2", "0.3"), ("3 * 0.1", "0.3"), ("1 - 0.9", "0.1"), ("0.7 / 0.1", "7"),
        ("1/3 * 3", "1"), ("1/3 + 1/6", "1/2"), ("floor(0.29 * 100)", "29"), ("5 % 0.3", "0.2"),
        ("-0.7 % 0.2", "0.1"), ("0.1**3", "0.001"), ("(2/3)**-2", "9/4"), ("2**0.5 * 1", None),
        ("0.1**200", "1e-200"), ("1e-7 * 1e+7", "1"), ("ceil(1.1 * 10)", "11"),
        ("max(0.1, 1/10)", "0.1"), ("abs(-0.3)", "0.3"), ("min(1/3, 0.34)", "1/3"),
        ("4.35 * 100", "435"), ("1.1 * 1.1", "1.21"), ("8.2 - 0.2", "8"), ("0**0", "1"),
        ("gcd(4.0, 6)", "2"), ("sqrt(6.25)", "2.5"), ("(1/49) * 49", "1"),
    ],
)  # fmt: skip
def test_no_digit_is_lost(text, value):
    found = evaluate(read(text), SCOPE)
    assert found == (Fraction(value) if value else Fraction(math.sqrt(2)))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(1/3)**4096", "4,096 bits"), ("1.0000001**100000", "4,096 bits"),
        ("10**10**9", "more than 2**53"), ("2**5000", "more than 2**53"),
        ("0.5**-1000000000", "more than 2**53"), ("0**-1", "by zero"), ("1/0.0", "by zero"),
        ("5 % 0", "by zero"), ("sqrt(0 - 0.1)", "no real number"),
        ("gcd(0.5, 1)", "no real number"),
        ("log(0)", "no real number"), ("(0-8)**(1/3)", "no real number"),
    ],
)  # fmt: skip
def test_what_no_exact_number_is_small_enough_for_is_refused(text, why):
    with pytest.raises(Mistake) as raised:
        evaluate(read(text), SCOPE)
    assert why in raised.value.diagnostic.label


def test_numbers_are_rounded_once_where_they_stand_in_a_program():
    flat, found = expand_text(
        "t",
        "let tenth = 0.1\nsemes:\n  x: 0..0.3 step 0.1 + 0.0\n  s[0.5]\n"
        "layer:\n  feedforward:\n    x: 3tenth - {0.1 + 0.2}x + {1/3}x\n",
    )
    assert not found
    form = flat.statements[-1].children[0].children[0].value.form
    assert [term.coefficient for term in form] == [0.3, -0.3, 1 / 3]
    assert flat.statements[1].name == "s[0.5]"
    assert (flat.statements[0].high, flat.statements[0].step) == (0.3, 0.1)


def test_a_number_of_which_float64_makes_0_is_refused():
    _, found = expand_text("t", "semes: x\nlexicon:\n  a: {0.1**400}x\n")
    assert [each.label for each in found] == ["this is too small: float64 makes 0 of it"]


@given(st.recursive(leaves, joined, max_leaves=6))
def test_expressions_are_written_with_the_brackets_that_they_need(text):
    node = read(text)
    again = read(expression(node))
    assert expression(again) == expression(node)
    try:
        value = evaluate(node, SCOPE)
    except Mistake:
        return
    assert evaluate(again, SCOPE) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", 14),
        ("2**3**1", 8),
        ("-2**2", -4),
        ("7 % 4", 3),
        ("6 / 3", 2),
        ("-2..k", range(-2, 4)),
        ('"a".."d"', "abcd"),
        ("2**3**2", 512),
        ("2**-1", 0.5),
        ("(-2)**2", 4),
        ("- -3 - -4", 7),
    ],
)
def test_precedence_ranges_and_lists(text, value):
    assert evaluate(read(text), SCOPE) == value


def test_a_list_holds_constants_and_names():
    items = s.Items((s.Text("a"), read("k"), read("other")))
    assert evaluate(items, SCOPE) == ("a", 3, NameRef("other"))


def test_where_a_text_begins_in_another():
    assert evaluate(read('2 * find("c", "abcd") + 1'), SCOPE) == 5


@pytest.mark.parametrize(
    ("text", "value"),
    [("worths[k]", 50), ("worths[k - 1] + worths[0]", 11), ("worths[worths[0]]", 5),
     ("word[1]", "b"), ('"{worths[2]}{word[1]}"', "10d")],
)  # fmt: skip
def test_items_are_counted_from_0(text, value):
    assert evaluate(read(text), SCOPE) == value
    assert expression(read(text)).replace(" ", "") == text.replace(" ", "")


def test_whole_results_are_whole_numbers():
    assert isinstance(evaluate(read("6 / 3"), SCOPE), int)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1/0", "arithmetic"),
        ("2**99999", "arithmetic"),
        ("sqrt(0 - 1)", "arithmetic"),
        ("cos(1, 2)", "arithmetic"),
        ("(0-8)**(1/3)", "arithmetic"),
        ("nothing", "unknown-constant"),
        ("tan(1)", "unknown-function"),
        ('find("x", "abc")', "arithmetic"),
        ("find(1, 2)", "arithmetic"),
        ("worths[4]", "arithmetic"),
        ("worths[0 - 1]", "arithmetic"),
        ("worths[half]", "not-whole"),
        ("worths[c]", "not-a-number"),
        ("k[0]", "arithmetic"),
        ("1 + c", "not-a-number"),
        ("0..0.5", "not-whole"),
        ('0.."a"', "not-a-number"),
    ],
)
def test_what_cannot_be_computed(text, code):
    with pytest.raises(Mistake) as raised:
        evaluate(read(text), SCOPE)
    assert raised.value.diagnostic.code == code


@pytest.mark.parametrize(
    ("text", "members"),
    [("0..2", [0, 1, 2]), ("c", ["x"]), ("place", [0, 1]), ("grid", [(0, "a")])],
)  # fmt: skip
def test_what_a_loop_runs_over(text, members):
    node = read(text)
    assert list(values(node, SCOPE, getattr(node, "span", None))(CONSTANTS)) == members


@pytest.mark.parametrize(
    ("base", "prefix", "owned", "whole"),
    [
        ("place", "", (), "place"),
        ("place", "num.", ("place",), "num.place"),
        ("other", "num.", ("place",), "other"),
        ("place.x", "num.", ("place.x",), "num.place.x"),
        ("place.x", "num.", ("place",), "place.x"),
        ("r", "num.", ("place",), "there"),
        ("r.x", "num.", ("place",), "there.x"),
        ("place.r", "num.", ("place.there",), "num.place.there"),
    ],
)
def test_names_get_parameters_and_prefixes(base, prefix, owned, whole):
    scope = Scope({"r": NameRef("there")}, {}, Own(prefix, frozenset(owned)))
    assert whole_name(base, scope)(scope.constants) == whole


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (NameRef("a"), "the name `a`"),
        ("x", 'the text "x"'),
        (range(2), "the range 0..1"),
        ((1,), "a list"),
        (3, "3"),
    ],
)
def test_constants_in_messages(value, shown):
    assert show(value) == shown
