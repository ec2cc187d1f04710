"""Index arithmetic is Python's."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Source
from progtf.notation.evaluate import evaluate, values
from progtf.notation.parser import parse_all
from progtf.notation.scope import NameRef, Own, Scope, show, whole_name
from progtf.notation.unparse import expression

CONSTANTS = {"k": 3, "c": "x", "half": 0.5, "worths": (1, 5, 10, 50), "word": "abc/d"}
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


NAMES = {name: getattr(math, name) for name in ("cos", "floor", "ceil", "pi")} | {
    "abs": abs,
    "max": max,
}


@given(st.recursive(leaves, joined, max_leaves=6))
def test_expressions_have_the_values_that_python_gives_them(text):
    try:
        expected = eval(text, {"__builtins__": {}}, {**NAMES, "k": 3, "half": 0.5})
    except ZeroDivisionError:
        with pytest.raises(Mistake):
            evaluate(read(text), SCOPE)
    else:
        assert evaluate(read(text), SCOPE) == pytest.approx(expected, rel=1e-12, abs=1e-12)


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
