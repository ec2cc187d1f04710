"""Rules that the lowering accepts compute, at every point of their ranges, what they say."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.building.oracle import check_rule, codes, program_text

FLAGS = ["a", "b", "c", "p[0]", "p[1]", "p[2]"]
NUMBERS = ["x", "y", "z", "h"]
SIGNS = ["=", "!=", "<", "<=", ">", ">="]

numbers = st.sampled_from(["0", "1", "2", "0.5", "-1", "-0.5", "3", "{1/4}", "0.3", "7", "-9"])
terms = st.tuples(st.sampled_from(["", "2", "0.5", "-", "-3"]), st.sampled_from(NUMBERS)).map(
    "".join
)


ALTERNATIVES = " | ".join(f"q[{k}] & r[{k}]" for k in range(14))


def join_signed(parts: list[str]) -> str:
    return " ".join(p if p.startswith("-") or not i else f"+ {p}" for i, p in enumerate(parts))


forms = st.lists(terms, min_size=1, max_size=2).map(join_signed)
comparisons = st.tuples(forms, st.sampled_from(SIGNS), st.one_of(numbers, terms)).map(" ".join)
flags = st.sampled_from([*FLAGS, "any p", "all p", "none p", "any p[0..1]", "p"])


def joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        several.map(lambda p: "(" + " & ".join(p) + ")"),
        several.map(lambda p: "(" + " | ".join(p) + ")"),
        parts.map(lambda p: f"!({p})"),
        parts.map(lambda p: f"!!({p})"),
    )


conditions = st.recursive(st.one_of(flags, comparisons), joined, max_leaves=5)
flag_conditions = st.recursive(flags, joined, max_leaves=6)


def refused(rule: str) -> bool:
    """Whether the lowering says that a rule has too many alternatives: only comparisons can."""
    found = codes(program_text(rule))
    assert set(found) <= {"too-many-cases"}
    assert not found or sum(rule.count(sign) for sign in "=<>") > 1
    return bool(found)


def used(text: str) -> list[str]:
    """The semes that a rule may read."""
    words = {w.strip("!()0123456789.-") for w in text.replace(">", " ").split()}
    members = ["p[0]", "p[1]", "p[2]"] if "p" in text.replace("pq", "") else []
    return [n for n in ("a", "b", "c", *NUMBERS, "t") if n in words] + members


@settings(max_examples=150, deadline=None)
@given(conditions)
def test_a_condition_is_1_where_it_holds_and_0_elsewhere(condition):
    rule = f"+out when {condition}"
    if refused(rule):
        return
    check_rule(rule, used(condition))


@settings(max_examples=60, deadline=None)
@given(conditions)
def test_a_named_rule_of_a_condition_is_that_condition(condition):
    rule = f"out: {condition} & a"
    if refused(rule):
        return
    check_rule(rule, sorted({*used(condition), "a"}))


@settings(max_examples=80, deadline=None)
@given(forms, conditions, st.sampled_from(["out", "-2out", "0.5out"]))
def test_a_gated_copy_is_the_value_where_the_gate_is_open(form, condition, target):
    check_value(form, condition)


@settings(max_examples=80, deadline=None)
@given(
    forms,
    conditions,
    st.sampled_from(["sign({})", "abs({})", "clip({}, -1, 2)", "clip({}, 0.5, 1.5)", "{} mod 3",
                     "{} div 2", "{} mod 1", "{} div 1/2", "abs(abs({}) - z - 0.5)"]),
)  # fmt: skip
def test_a_function_of_a_form_is_that_function_where_the_gate_is_open(form, condition, function):
    check_value(function.format(form), condition)


def check_value(value: str, condition: str) -> None:
    rule = f"out: {value} when {condition}"
    if refused(rule):
        return
    check_rule(rule, used(f"{value} {condition}".replace("(", " ").replace(",", " ")))


@pytest.mark.parametrize(
    "function", ["sign({})", "abs({})", "{} mod 2", "{} div 3", "abs(abs({}) - 0.7)"]
)
@pytest.mark.parametrize("form", ["y + 0.2", "-x", "x - y + 0.75", "2z - 5", "-7", "t - 0.5", "3t"])
def test_functions_agree_off_the_whole_numbers(function, form):
    check_rule(f"out: {function.format(form)}", [n for n in ("x", "y", "z", "t") if n in form])


@pytest.mark.parametrize("threshold", ["0.05", "0.1", "0.3", "0.35", "0.7", "1", "2", "-1"])
@pytest.mark.parametrize("sign", SIGNS)
def test_thresholds_between_and_on_values_of_a_decimal_step(sign, threshold):
    check_rule(f"+out when t {sign} {threshold} & a", ["t", "a"])


@pytest.mark.parametrize("sign", SIGNS)
def test_thresholds_outside_of_the_range_stay_off_behind_a_closed_gate(sign):
    for threshold in (-100, -1, 4, 100):
        check_rule(f"+out when x {sign} {threshold} & !a", ["x", "a"])


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("+out when x", "not-a-flag"),
        ("+out when a + x", "not-a-flag"),
        ("+out when free > 0.5", "no-grain"),
        ("out: free mod 2", "function"),
        ("out: x mod 0", "function"),
        ("out: x mod -1", "function"),
        ("out: sign(free)", "function"),
        ("out: clip(x, 3, 1)", "function"),
        ("out: clip(x, 3)", "function"),
        ("out: abs(abs(x) - y)", "function"),
        ("out: wide mod 0.001", "too-many-cases"),
        (f"+out when {ALTERNATIVES}", "too-many-cases"),
    ],
)  # fmt: skip
def test_what_a_hidden_layer_cannot_compute_is_refused(rule, code):
    assert codes(program_text(rule)) == [code]


def test_a_hundred_equal_alternatives_are_one():
    check_rule("+out when " + " | ".join(["a & b"] * 100), ["a", "b"])


def test_constants_compare():
    check_rule("+out when 3 > 2 & a", ["a"])
    check_rule("+out when x - x < 0 & a", ["a", "x"])


@pytest.mark.parametrize(
    "rule",
    ["+out when wide > 5 & wide + x > 7", "out: wide when wide + x > 7", "out: free when wide > x"],
)
def test_comparisons_that_take_a_layer_of_their_own(rule):
    check_rule(rule, [name for name in ("wide", "x", "free") if name in rule])
