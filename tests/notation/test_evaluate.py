"""Arithmetic of indices and coefficients is exact."""

import math
import re
import textwrap
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.notation import flat as f
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Source, Span
from progtf.notation.evaluate import evaluate, number, values
from progtf.notation.expand import expand_text
from progtf.notation.parser import parse_all
from progtf.notation.scope import NameRef, Own, Scope, show, whole_name
from progtf.notation.unparse import expression

CONSTANTS = {"k": 3, "c": "x", "half": Fraction(1, 2), "worths": (1, 5, 10, 50), "word": "abc/d"}
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
    "cos": lambda x: Fraction(math.cos(x)),
    "floor": math.floor,
    "ceil": math.ceil,
    "abs": abs,
    "max": max,
    "pi": Fraction(math.pi),
    "F": Fraction,
    "k": Fraction(3),
    "half": Fraction(1, 2),
}


def by_fractions(text):
    """What Python's fractions make of an expression."""
    return eval(re.sub(r"\d+(\.\d+)?", r'F("\g<0>")', text), {"__builtins__": {}}, NAMES)


@given(st.recursive(leaves, joined, max_leaves=6))
def test_expressions_have_the_values_that_fractions_give_them(text):
    try:
        expected = Fraction(by_fractions(text))
    except ZeroDivisionError:
        expected = None
    if expected is None or abs(expected) > 2**53 or expected.denominator.bit_length() > 4096:
        with pytest.raises(Mistake):
            evaluate(read(text), SCOPE)
    else:
        value = evaluate(read(text), SCOPE)
        assert value == expected
        assert isinstance(value, int) or text.strip("()") == "half" or value.denominator != 1


decimals = st.decimals(-1000, 1000, places=3).map(str)


@given(st.lists(decimals, min_size=1, max_size=6))
def test_sums_and_products_of_decimals_are_rounded_once(numbers):
    total = sum(map(Fraction, numbers))
    assert read_number(" + ".join(f"({each})" for each in numbers)) == float(total)
    product = math.prod(map(Fraction, numbers[:3]))
    assert read_number("*".join(f"({each})" for each in numbers[:3])) == float(product)


@given(st.integers(-999, 999), st.integers(1, 999), st.integers(-12, 12))
def test_whole_powers_of_fractions_are_exact(above, below, exponent):
    text = f"({above}/{below})**{exponent}"
    if above == 0 and exponent < 0:
        with pytest.raises(Mistake) as raised:
            evaluate(read(text), SCOPE)
        assert "divides by zero" in raised.value.diagnostic.label
        return
    expected = Fraction(above, below) ** exponent
    if abs(expected) > 2**53:
        with pytest.raises(Mistake) as raised:
            evaluate(read(text), SCOPE)
        assert "too large" in raised.value.diagnostic.label
    else:
        assert evaluate(read(text), SCOPE) == expected


def read_number(text):
    """What is built of an expression."""
    node = read(text)
    return number(node, SCOPE, Span(Source("t", text), 1, 0, len(text)))(SCOPE.constants)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1 + 0.2", 0.3),
        ("3 * 0.1", 0.3),
        ("1/3*3", 1),
        ("0.7/0.1", 7),
        ("floor(0.29*100)", 29),
        ("ceil(1.1*10)", 11),
        ("1.1*1.1", 1.21),
        ("0.1*3 - 0.3", 0),
        ("1 - 0.9", 0.1),
        ("1/3 + 1/3 + 1/3", 1),
        ("1/49*49", 1),
        ("0.3 % 0.1", 0),
        ("-0.3 % 0.2", 0.1),
        ("2**-1", 0.5),
        ("10**-3*1000", 1),
        ("(1/3)**2*9", 1),
        ("0.1**3", 0.001),
        ("4**0.5", 2),
        ("sqrt(0.25)", 0.5),
        ("abs(-1/3)*3", 1),
        ("max(0.3, 0.1 + 0.2) - 0.3", 0),
        ("min(1/3, 0.3333)", 0.3333),
        ("gcd(0.6/0.1, 4.0)", 2),
        ("2**53 - 1 + 1/2", 2**53 - 0.5),
        ("1/3", 1 / 3),
        ("pi/2", math.pi / 2),
        ("cos(0.1 + 0.2)", math.cos(0.3)),
        ("log(0.1 + 0.2)", math.log(0.3)),
        ("2**-1000*2**52*2**52", 2.0**-896),
        ("2**-1100*2**50*2**50", 2.0**-1000),
        ("1e-5*1e+5", 1),
        (".5", 0.5),
        ("2.50", 2.5),
    ],
)
def test_arithmetic_is_exact_and_what_is_built_is_the_nearest_float(text, value):
    found = read_number(text)
    assert found == value
    assert isinstance(found, type(value))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("10**10**9", "too large: more than 2**53"),
        ("10**-10**9", "too long: more than 4,096 bits"),
        ("(1/3)**9007199254740992", "too long: more than 4,096 bits"),
        ("(1 + 1/1024)**9999999", "too long: more than 4,096 bits"),
        ("(1/2)**-9999999", "too large: more than 2**53"),
        ("(-7)**99999999", "too large: more than 2**53"),
        ("0.1**(2**53)", "too long: more than 4,096 bits"),
        ("(1/3)**2500*(1/3)**2500", "too long: more than 4,096 bits"),
        ("2**53 + 1", "too large: more than 2**53"),
        ("2**53 + 1/2", "too large: more than 2**53"),
        ("1e+300*1e+300", "too large: more than 2**53"),
        ("10**-400", "too small: float64 makes 0 of it"),
        ("2**-1080", "too small: float64 makes 0 of it"),
        ("1e-300*1e-300", "too small: float64 makes 0 of it"),
        ("1e-300**1.5", "too small: float64 makes 0 of it"),
        ("0**-1", "divides by zero"),
        ("0.0**-2", "divides by zero"),
        ("1/(0.1 + 0.2 - 0.3)", "divides by zero"),
        ("1 % (1/3 - 1/3)", "divides by zero"),
        ("(0-8)**(1/3)", "no real number"),
        ("log(0.3 - 0.1 - 0.2)", "no real number"),
        ("gcd(0.5, 2)", "no real number"),
    ],
)
def test_numbers_that_nobody_can_use_are_refused(text, why):
    with pytest.raises(Mistake) as raised:
        read_number(text)
    assert why in raised.value.diagnostic.label


@pytest.mark.parametrize(
    ("text", "value"),
    [("(0-1)**9007199254740991", -1), ("1**9007199254740992", 1), ("0**9007199254740992", 0)],
)
def test_powers_of_one_and_none_have_any_exponent(text, value):
    assert evaluate(read(text), SCOPE) == value


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


def expanded(text):
    return expand_text("t", textwrap.dedent(text).strip())


@pytest.mark.parametrize(
    ("constant", "shown"),
    [("0.5", "0.5"), ("2.0", "2.0"), ("3", "3"), ("0.1 + 0.2", "0.3"), ("0.7/0.1", "7"),
     ("1/3", "0.3333333333333333"), ("1e-7", "1e-07"), ("6/4", "1.5"), ("2.50", "2.5"),
     ("-1/4", "-0.25")],
)  # fmt: skip
def test_texts_and_indices_show_the_nearest_float(constant, shown):
    flat, found = expanded(f"""
        let k = {constant}
        semes: a[k]
        lexicon:
          "{{k}}x": +a[k]
        """)  # fmt: skip
    assert not found
    entry = next(e for x in flat.statements if isinstance(x, f.Block) for e in x.children)
    assert entry.token == f"{shown}x"
    assert entry.value[0].terms[0].name == f"a[{shown}]"


@pytest.mark.parametrize(
    ("written", "coefficient"),
    [
        ("3x", 0.3),
        ("{3*x}", 0.3),
        ("x", 0.1),
        ("{1/3}x", float(Fraction(1, 30))),
        ("{0.7/0.1}x", 0.7),
    ],
)
def test_a_constant_behind_a_number_is_multiplied_exactly(written, coefficient):
    flat, found = expanded(f"""
        let x = 0.1
        semes: a: 0..9 step 0
        layer:
          feedforward:
            a: {written}
        """)  # fmt: skip
    assert not found
    rule = flat.statements[-1].children[0].children[0]
    assert rule.value.form[0].coefficient == coefficient


def test_guards_compare_exactly_and_a_loop_over_a_family_has_its_fractions():
    flat, found = expanded("""
        semes:
          a[0.1] a[1/3]
          for k in a if k*3 = 1:
            third[k]
          for k in a if k + 0.2 = 0.3:
            tenth[k]
          for k in a if k < 0.1:
            less[k]
        """)  # fmt: skip
    assert not found
    names = [each.name for each in flat.statements]
    assert names == ["a[0.1]", "a[0.3333333333333333]", "third[0.3333333333333333]", "tenth[0.1]"]


def test_an_index_that_float64_makes_0_of_is_refused():
    _, found = expanded("semes: a[10**-400]")
    assert [each.code for each in found] == ["arithmetic"]
    assert "too small" in found[0].label


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


@pytest.mark.parametrize("text", ["0e-99999999", "0.0e+999999999", "0e+1", "0.0", ".0e-5000"])
def test_none_is_none_however_its_exponent_reads(text):
    assert read_number(text) == 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1e+300z", "too large"),
        ("{1e-200*1e-100}w", "too small"),
        ("9007199254740991m", "float64 has no number"),
    ],
)
def test_a_product_that_float64_does_not_have_is_refused(line, why):
    _, found = expanded(f"""
        let z = 1e+300
        let w = 1e-30
        let m = 3
        semes: a: 0..9 step 0
        layer:
          feedforward:
            a: {line}
        """)  # fmt: skip
    assert [each.code for each in found] == ["arithmetic"]
    assert why in found[0].label


def test_a_list_in_a_text_shows_its_numbers():
    flat, found = expanded("""
        let l = [0.5, 1]
        semes: a
        lexicon:
          "{l}": +a
        """)
    assert not found
    assert flat.statements[-1].children[0].token == "(0.5, 1)"
