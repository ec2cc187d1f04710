"""Heads: addresses, roles, null keys and clocks."""

from progtf.notation.diagnostics import Diagnostic, Message, Span
from progtf.numbers import plain
from progtf.program.forms import Values

CARRIES, SCORES = "so it carries nothing", "so it changes no score"

unmatched_feature = Message(
    "unmatched-feature",
    "feature `{0}` is in the {1} but not in the {2}",
    "no entry of the {2} goes to it, {3}",
)

role_without_value = Message(
    "role-without-value",
    "the role binds `{0}`, which the value does not write",
    "nothing to bind to",
)

else_without_value = Message(
    "else-without-value",
    "`else` gives `{0}`, which the head does not write",
    "nothing else writes it in this head",
)

role_forbidden = Message(
    "role-without-binding",
    "this program has `binding: none`, so its heads have no roles",
    "a role here",
    "write `binding: hadamard`, or leave the role out",
)

matched_distance = Message(
    "distance-comparison",
    "a distance can only be matched with a distance",
    "matched with a distance, as in `match: to_end ~ from_start`",
    "declared distances: {0}",
)

needs_look = Message(
    "needs-look",
    "`nearest` needs a direction",
    "nearest on which side?",
    "add `look: before` or `look: after`",
)

two_addresses = Message(
    "two-addresses", "`{0}` and `{1}` cannot stand in one head", "the second one"
)

no_null = Message(
    "no-null",
    "the score between a match and a miss cannot be found",
    "the lowest match scores {0:g}, the highest miss {1:g}",
    "give the score yourself: `else: 0 below 1.5`",
)

never_misses = Message(
    "no-null",
    "this head always finds something, so its `else` cannot come about",
    "every token that it may look at is a match",
    "say what it looks for, as with `where:`, or give the score: `else: 0 below 1.5`",
)

no_arrow = Message(
    "no-arrow",
    "this head reads nothing: it writes the same, whatever it finds",
    "names without an arrow are a bias, 1 wherever the head looks",
    "`red>seen` reads `red` and writes `seen`; `+red +seen` says that a bias is meant",
    severity="warning",
)

null_of_queries = Message(
    "no-null",
    "a head with `normalize: queries` has no `else`",
    "here every token read is shared out whole; there is no null key",
    "take this line away: what is not read adds nothing to the sum",
)

where_of_queries = Message(
    "no-null",
    "a head with `normalize: queries` has no `where`",
    "here every token read is shared out whole; there is no null key",
    "write what counts into a seme of its own, `mine: value when flag`, and read that one",
)

when_of_queries = Message(
    "no-null",
    "`when` of a head with `normalize: queries` is one flag, and it has no role beside it",
    "here there is no null key: what is retrieved is bound to the flag",
    "write the flag in an earlier layer, `set asks: one & other`, and bind in a later one",
)

held_else = Message(
    "held-back",
    "this head writes `else` where `use ... when` holds it back",
    "only one flag can hold this back, in a head without a role",
    "let `when` name one flag, which a rule sets, or write `else: 0`",
)

held_bias = Message(
    "held-back",
    "this head writes a bias where `use ... when` holds it back",
    "a vector here is written wherever the head stands",
    "write it in the value, as `value: +seen`",
)

no_clocks = Message(
    "no-clocks",
    "{0} needs clocks",
    "no clock is declared",
    "list periods, as `clocks: /8 /64`, or leave the section out to get some",
)

alike_positions = Message(
    "alike-positions",
    "the clocks cannot tell all positions of {0} tokens apart",
    "two positions look alike on every clock",
    "declare a slower clock, as `/512` beside `/8 /64`, or a smaller `length`",
)

beyond_input = Message(
    "beyond-input",
    "no input is long enough to look {0:g} tokens away",
    "the longest one has {1} tokens",
    "look less far, or give a larger `length` in `model:`",
)

overlapping = Message(
    "overlapping-flags",
    "`{0[0]}` and `{0[1]}` may hold at the same token",
    "attention adds flags up, it would prefer a token with both",
    "write the condition to a seme in an earlier layer",
)


matched_constant = Message(
    "wrong-kind", "`match` compares semes", "a number is no seme", "write `match: place ~ place`"
)


def matched_number(span: Span, name: str, values: Values) -> Diagnostic:
    """``match: n ~ n`` of numbers: the greatest product would win, not the same number."""
    label = f"it takes values from {plain(values.low)} to {plain(values.high)}"
    hint = "`match` finds the same member of a family: let rules write which one it is"
    return Diagnostic("not-a-flag", f"`{name}` is a number, a flag is due here", span, label, hint)
