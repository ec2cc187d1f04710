"""Heads: addresses, roles, null keys and clocks."""

from collections.abc import Iterable

from progtf.notation.diagnostics import Diagnostic, Span
from progtf.notation.did_you_mean import nearest


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


def matched_distance(span: Span, distances: Iterable[str]) -> Diagnostic:
    """A distance matched with something else, in a relation, or with a factor."""
    return Diagnostic(
        "distance-comparison",
        "a distance can only be matched with a distance",
        span,
        "matched with a distance, as in `match: to_end ~ from_start`",
        f"declared distances: {', '.join(sorted(distances))}",
    )


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
