"""Rules and their conditions."""

from progtf.notation.diagnostics import Diagnostic, Message, Span
from progtf.numbers import plain, refused
from progtf.program.forms import Values


def not_a_flag(span: Span, name: str, values: Values, given: float | None = None) -> Diagnostic:
    """A number where true or false is due; ``given``: what a token gives a seme without a range."""
    label = f"it takes values from {plain(values.low)} to {plain(values.high)}"
    hint = f"compare it: `{name} > 0`"
    if given is not None:
        label = f"a token gives it {refused(given)}, so it is no flag"
        hint = f"let tokens give it 0 or 1 only, or {hint}"
    return Diagnostic("not-a-flag", f"`{name}` is a number, a flag is due here", span, label, hint)


minus_one = Message(
    "minus-one",
    "this takes 1 off `{0}`, whatever its value is",
    "a vector with -1 at `{0}`",
    "write `{0}: -{0} when ...` to take off its value, `-1{0}` if 1 is meant",
    severity="warning",
)

number_as_condition = Message(
    "not-a-flag",
    "a number stands where a condition is due",
    "neither true nor false",
    "write out each comparison: `n = 1 | n = 3`",
)

not_a_value = Message(
    "not-a-value",
    "{0} is a condition, a sum of semes is due here",
    "true or false, no number",
    "let a rule write the condition to a seme, and name that here",
)

unequal_comparison = Message(
    "distance-comparison",
    "the distance `{0}` can only be compared by `=` with a whole number",
    "another use of a distance",
    "make a number of it: `for k in 1..9:` `+{{k}}steps when {0} = k`",
)

no_grain = Message(
    "no-grain",
    "the values of this sum cannot be told apart",
    "its smallest step is not known",
    "declare its semes with a range and a step, as in `share: 0..1 step 1/32`",
)

clock_compared = Message(
    "clock-compared",
    "a rule cannot compare the hand of a clock",
    "only heads read positions",
    "let a head measure from a flag, `nearest: FLAG` `distance: D`, and compare `D = 3`",
)

too_many_cases = Message(
    "too-many-cases",
    "this condition needs more than {0} hidden units",
    "too many combinations",
    "compute parts of it into semes of their own, in an earlier layer",
)

set_twice = Message(
    "set-twice",
    "`{0}` is set here, and another line of this block may write it at the same time",
    "what it becomes is not certain",
    "let the conditions exclude each other: `when a` and `when !a`",
    note="the other line",
)

two_comparisons = Message(
    "two-comparisons",
    "one hidden layer cannot join these two comparisons",
    "too many values, and no layer can come before: trained weights are shared by all rounds",
    "write `test: {0}` in an earlier layer, `test` being a flag, and `test` here",
)

value_beside_comparison = Message(
    "value-beside-comparison",
    "one hidden layer cannot copy this number behind a comparison",
    "too many values, and no layer can come before: trained weights are shared by all rounds",
    "write `test: {0}` in an earlier layer, `test` being a flag, and `test` here",
)

folded_below = Message(
    "function",
    "what is taken off an absolute value may be below 0 here",
    "it goes down to {0}",
    "`abs(abs(x) - a)` needs an `a` that is never below 0: give its semes such ranges",
)

_FUNCTIONS = {
    "mod": "it needs one number above 0, and a sum with known steps: `x mod 10`",
    "div": "it needs one number above 0, and a sum with known steps: `x div 10`",
    "sign": "it needs a sum with known steps and nothing else: `sign(x)`",
    "abs": "it needs a sum and nothing else: `abs(x)`",
    "clip": "it needs a sum, a low end and a high end above it: `clip(x, 0, 9)`",
}


def function_arguments(span: Span, name: str) -> Diagnostic:
    """A function that cannot be computed of this form."""
    return Diagnostic("function", f"`{name}` cannot be computed here", span, _FUNCTIONS[name])


literal_needed = Message(
    "not-linear",
    "attention can only test flags joined by `&` in `{0}`",
    "not a conjunction of flags",
    "write the condition to a seme in an earlier layer",
)
