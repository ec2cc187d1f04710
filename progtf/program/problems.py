"""What is said about programs that parse but do not mean anything. One function per code."""

from collections.abc import Iterable, Sequence

from progtf.notation.diagnostics import Diagnostic, Note, Span
from progtf.notation.messages import nearest, unsigned_exponent


def unknown_seme(span: Span, name: str, known: Iterable[str], declared: Span | None) -> Diagnostic:
    """A name that is no seme, alias or named value."""
    notes = (Note(declared, "semes are declared here"),) if declared is not None else ()
    line = span.source.lines[span.line - 1]
    hint = unsigned_exponent(line, span.start) or nearest(name, known)
    return Diagnostic(
        "unknown-seme", f"no seme is called `{name}`", span, "not declared", hint, notes
    )


def index_out_of_range(span: Span, name: str, base: str, members: tuple[str, ...]) -> Diagnostic:
    """An index that a family does not have."""
    label = f"`{base}` runs from {members[0]} to {members[-1]}"
    return Diagnostic("index-out-of-range", f"`{base}` has no member `{name}`", span, label)


def wrong_kind(span: Span, found: str, due: str, hint: str = "") -> Diagnostic:
    """A vector where a matrix is due, or the like."""
    return Diagnostic(
        "wrong-kind", f"{found} stands where {due} is due", span, f"this is {found}", hint
    )


def unmatched_feature(
    span: Span, name: str, side: str, other: str, known: Iterable[str]
) -> Diagnostic:
    """A feature that only one of two maps has that meet in it."""
    effect = "so it changes no score" if side in ("query", "key") else "so it carries nothing"
    return Diagnostic(
        "unmatched-feature",
        f"feature `{name}` is in the {side} but not in the {other}",
        span,
        f"no entry of the {other} goes to it, {effect}",
        nearest(name, known),
    )


def role_without_value(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A role for a target that the value does not write."""
    return Diagnostic(
        "role-without-value",
        f"the role binds `{name}`, which the value does not write",
        span,
        "nothing to bind to",
        nearest(name, known),
    )


def else_without_value(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """An ``else`` for a target that the value does not write."""
    return Diagnostic(
        "else-without-value",
        f"`else` gives `{name}`, which the head does not write",
        span,
        "nothing else writes it in this head",
        nearest(name, known),
    )


def role_forbidden(span: Span) -> Diagnostic:
    """A role in a program without role binding."""
    return Diagnostic(
        "role-without-binding",
        "this program has `binding: none`, so its heads have no roles",
        span,
        "a role here",
        "write `binding: hadamard`, or leave the role out",
    )


def read_early(span: Span, name: str, writer: str | None) -> Diagnostic:
    """A seme that is read before anything could have written it."""
    what = f"`{name}` is read before anything has written it"
    if writer is None:
        hint = "give it to a token of the lexicon, or let a head or a rule write it"
        headline = f"nothing ever writes `{name}`"
        return Diagnostic("never-written", headline, span, "always 0 here", hint)
    hint = f"it is written later, by {writer}"
    return Diagnostic("read-before-written", what, span, "always 0 here", hint)


def not_writable(span: Span, name: str, why: str) -> Diagnostic:
    """A target that cannot be written."""
    return Diagnostic("not-writable", f"`{name}` cannot be written", span, why)


def two_writers(span: Span, name: str, first: Span) -> Diagnostic:
    """A seme with more than one writer."""
    return Diagnostic(
        "two-writers",
        f"`{name}` is written in two places, which add up",
        span,
        "also written here",
        notes=(Note(first, "written here"),),
        severity="warning",
    )


def twice(code: str, span: Span, what: str, first: Span | None = None) -> Diagnostic:
    """Something that is given a second time."""
    notes = () if first is None else (Note(first, "given here"),)
    return Diagnostic(code, f"{what} is given twice", span, "again here", notes=notes)


def missing(span: Span, what: str, hint: str = "") -> Diagnostic:
    """Something that a program of this kind must have."""
    return Diagnostic("missing", f"{what} is missing", span, "missing here", hint)


def bad_setting(
    span: Span, key: str, found: str, due: str, known: Iterable[str] = ()
) -> Diagnostic:
    """A word or number that a setting cannot have."""
    headline = f"`{key}` cannot be `{found}`"
    return Diagnostic("bad-setting", headline, span, f"expected {due}", nearest(found, known))


def not_here(span: Span, what: str, why: str, hint: str = "") -> Diagnostic:
    """A section or field that a program of this kind cannot have."""
    return Diagnostic("not-here", f"{what} cannot stand here", span, why, hint)


def circular(circle: Sequence[tuple[Span, str]]) -> Diagnostic:
    """Heads, rules or layers that wait for each other: each with the name that it waits for."""
    names = list(dict.fromkeys(name for _, name in circle if name))
    shown = " needs ".join(f"`{name}`" for name in (*names, names[0]))
    (span, label), *others = [
        (place, f"this needs `{name}`" if name else "stands after the layer before it")
        for place, name in circle
    ]
    return Diagnostic(
        "circular-layers",
        f"no order of layers will do: {shown if len(names) > 1 else f'`{names[0]}` needs itself'}",
        span,
        label,
        "give one of them a new name: a seme has its value when all that write it have",
        tuple(Note(place, text) for place, text in others),
    )


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


def reserved_name(span: Span, name: str) -> Diagnostic:
    """A name that the clocks have for themselves."""
    return Diagnostic(
        "reserved-name",
        f"`{name}` is the name of a clock's hand",
        span,
        "not free",
        "call the seme something else; `clocks: /8` gives `cos[8]` and `sin[8]`",
    )


def unequal_comparison(span: Span, name: str) -> Diagnostic:
    """A distance compared with anything but ``=`` and a whole number."""
    return Diagnostic(
        "distance-comparison",
        f"the distance `{name}` can only be compared by `=` with a whole number",
        span,
        "another use of a distance",
    )


def matched_distance(span: Span, distances: Iterable[str]) -> Diagnostic:
    """A distance matched with something else, in a relation, or with a factor."""
    return Diagnostic(
        "distance-comparison",
        "a distance can only be matched with a distance",
        span,
        "matched with a distance, as in `match: to_end ~ from_start`",
        f"declared distances: {', '.join(sorted(distances))}",
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


def needs_look(span: Span) -> Diagnostic:
    """``nearest`` without a direction."""
    return Diagnostic(
        "needs-look",
        "`nearest` needs a direction",
        span,
        "nearest on which side?",
        "add `look: before` or `look: after`",
    )


def two_addresses(span: Span, one: str, other: str) -> Diagnostic:
    """Two ways of addressing that cannot be combined."""
    return Diagnostic(
        "two-addresses", f"`{one}` and `{other}` cannot stand in one head", span, "the second one"
    )


def no_null(span: Span, match: float, miss: float) -> Diagnostic:
    """A head whose matches cannot be told from its misses, or one that never misses."""
    if miss == float("inf"):
        return Diagnostic(
            "no-null",
            "this head always finds something, so its `else` cannot come about",
            span,
            "every token that it may look at is a match",
            "say what it looks for, as with `where:`, or give the score: `else: 0 below 1.5`",
        )
    return Diagnostic(
        "no-null",
        "the score between a match and a miss cannot be found",
        span,
        f"the lowest match scores {match:g}, the highest miss {miss:g}",
        "give the score yourself: `else: 0 below 1.5`",
    )


def null_of_queries(span: Span) -> Diagnostic:
    """An ``else`` where every key shares itself out among the readers."""
    return Diagnostic(
        "no-null",
        "a head with `normalize: queries` has no `else`",
        span,
        "here every token read is shared out whole; there is no null key",
        "take this line away: what is not read adds nothing to the sum",
    )


def no_clocks(span: Span, what: str) -> Diagnostic:
    """A position where no clock can be had."""
    return Diagnostic(
        "no-clocks",
        f"{what} needs clocks",
        span,
        "no clock is declared",
        "list periods, as `clocks: /8 /64`, or leave the section out to get some",
    )


def alike_positions(span: Span, length: int) -> Diagnostic:
    """Clocks that stand alike at two positions of one input."""
    return Diagnostic(
        "alike-positions",
        f"the clocks cannot tell all positions of {length} tokens apart",
        span,
        "two positions look alike on every clock",
        "declare a slower clock, as `/512` beside `/8 /64`, or a smaller `length`",
    )


def beyond_input(span: Span, shift: float, length: int) -> Diagnostic:
    """An address that lies outside of every input."""
    return Diagnostic(
        "beyond-input",
        f"no input is long enough to look {abs(shift):g} tokens away",
        span,
        f"the longest one has {length} tokens",
        "look less far, or give a larger `length` in `model:`",
    )


def overlapping(span: Span, names: tuple[str, ...]) -> Diagnostic:
    """Flags joined by ``|`` that may hold together, where attention would count both."""
    return Diagnostic(
        "overlapping-flags",
        f"{' and '.join(f'`{name}`' for name in names[:2])} may hold at the same token",
        span,
        "attention adds flags up, it would prefer a token with both",
        "write the condition to a seme in an earlier layer",
    )


def not_a_cell(span: Span) -> Diagnostic:
    """A condition that no linear score can stand for."""
    return Diagnostic(
        "not-a-cell",
        "a spelling is chosen by flags joined by `&` and `|`",
        span,
        "not a set of flags",
        "write the condition to a seme in a layer before",
    )


def homograph(span: Span, token: str, rival: str) -> Diagnostic:
    """A token whose flags make another token score as high."""
    return Diagnostic(
        "homograph",
        f"`{rival}` scores as high where `{token}` is due",
        span,
        "the two share too many flags",
        "a spelling of two words is told apart by a flag that only one of them has",
    )


def alias_cycle(span: Span, name: str) -> Diagnostic:
    """An alias or value that is made of itself."""
    return Diagnostic("alias-cycle", f"`{name}` is defined by itself", span, "it contains itself")


def lexicon_token(span: Span, token: str, why: str) -> Diagnostic:
    """A token that the tokenizer would never produce."""
    return Diagnostic("lexicon-token", f"`{token}` can never be a token of an input", span, why)


def literal_needed(span: Span, what: str) -> Diagnostic:
    """A condition that attention cannot test."""
    return Diagnostic(
        "not-linear",
        f"attention can only test flags joined by `&` in `{what}`",
        span,
        "not a conjunction of flags",
        "write the condition to a seme in an earlier layer",
    )


def no_own_seme(span: Span, token: str) -> Diagnostic:
    """A phrase with a token that cannot be told from others."""
    return Diagnostic(
        "no-own-seme",
        f"no seme belongs to the token `{token}` alone",
        span,
        "so this phrase cannot be recognised",
        f"give it one in the lexicon, as in `'{token}': +is[\"{token}\"]`",
    )


def out_of_range(
    span: Span, name: str, value: float, low: float, high: float, step: float
) -> Diagnostic:
    """A token that gives a seme a value outside of its declared range."""
    steps = "" if step in (0, 1) else f" in steps of {step:g}"
    return Diagnostic(
        "out-of-range",
        f"`{name}` cannot be {value:g} here",
        span,
        f"it is declared {low:g}..{high:g}{steps}",
        "widen the range, or change the value",
    )


def mark_forbidden(span: Span, where: str) -> Diagnostic:
    """A mark at an entry that is no weight of its own."""
    return Diagnostic(
        "mark-forbidden",
        f"an entry of {where} cannot be marked",
        span,
        "no weight of its own",
        "marks stand in the lexicon, query, key, value, role, out, mat1 to bias2, dense and cell",
    )
