"""Rules and their conditions."""

from progtf.notation.diagnostics import Diagnostic, Span


def not_a_flag(
    span: Span, name: str, low: float, high: float, given: float | None = None
) -> Diagnostic:
    """A number where true or false is due; ``given``: what a token gives a seme without a range."""
    label, hint = f"it takes values from {low:g} to {high:g}", f"compare it: `{name} > 0`"
    if given is not None:
        label = f"a token gives it {given:g}, so it is no flag"
        hint = f"let tokens give it 0 or 1 only, or {hint}"
    return Diagnostic("not-a-flag", f"`{name}` is a number, a flag is due here", span, label, hint)


def minus_one(span: Span, name: str) -> Diagnostic:
    """A number taken off by its name alone: that is a vector, and takes off 1."""
    return Diagnostic(
        "minus-one",
        f"this takes 1 off `{name}`, whatever its value is",
        span,
        f"a vector with -1 at `{name}`",
        f"write `{name}: -{name} when ...` to take off its value, `-1{name}` if 1 is meant",
        severity="warning",
    )


def number_as_condition(span: Span) -> Diagnostic:
    """A number joined to conditions by ``&`` or ``|``."""
    return Diagnostic(
        "not-a-flag",
        "a number stands where a condition is due",
        span,
        "neither true nor false",
        "write out each comparison: `n = 1 | n = 3`",
    )


def not_a_value(span: Span, what: str) -> Diagnostic:
    """A condition where a sum of semes is due."""
    return Diagnostic(
        "not-a-value",
        f"{what} is a condition, a sum of semes is due here",
        span,
        "true or false, no number",
        "let a rule write the condition to a seme, and name that here",
    )


def unequal_comparison(span: Span, name: str) -> Diagnostic:
    """A distance compared with anything but ``=`` and a whole number."""
    return Diagnostic(
        "distance-comparison",
        f"the distance `{name}` can only be compared by `=` with a whole number",
        span,
        "another use of a distance",
    )


def no_grain(span: Span) -> Diagnostic:
    """A comparison of a form whose values are not known."""
    return Diagnostic(
        "no-grain",
        "the values of this sum cannot be told apart",
        span,
        "its smallest step is not known",
        "declare its semes with a range and a step, as in `share: 0..1 step 1/32`",
    )


def too_many_cases(span: Span, limit: int) -> Diagnostic:
    """A condition with too many alternatives for one layer."""
    return Diagnostic(
        "too-many-cases",
        f"this condition needs more than {limit} hidden units",
        span,
        "too many combinations",
        "compute parts of it into semes of their own, in an earlier layer",
    )


def two_comparisons(span: Span) -> Diagnostic:
    """A conjunction that one hidden layer cannot compute."""
    return Diagnostic(
        "two-comparisons",
        "one hidden layer cannot join these two comparisons",
        span,
        "a unit can test one sum besides flags, and these take too many values to be combined",
        "write one of them to a seme in an earlier layer",
    )


def value_beside_comparison(span: Span) -> Diagnostic:
    """A copied number behind a comparison."""
    return Diagnostic(
        "value-beside-comparison",
        "one hidden layer cannot copy this number behind a comparison",
        span,
        "the number takes too many values",
        "write the comparison to a seme in an earlier layer",
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


def literal_needed(span: Span, what: str) -> Diagnostic:
    """A condition that attention cannot test."""
    return Diagnostic(
        "not-linear",
        f"attention can only test flags joined by `&` in `{what}`",
        span,
        "not a conjunction of flags",
        "write the condition to a seme in an earlier layer",
    )
