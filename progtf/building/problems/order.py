"""Statements: what is missing, given twice, not in its place, or in a circle."""

from collections.abc import Sequence
from functools import partial

from progtf.notation import messages
from progtf.notation.diagnostics import Diagnostic, Message, Note, Span


def read_early(span: Span, name: str, writer: str | None, stack: str) -> Diagnostic:
    """A seme that is read before anything in its stack could have written it."""
    what = f"`{name}` is read before anything has written it"
    if writer is None:
        hint = "give it to a token of the lexicon, or let a head or a rule write it"
        headline = f"nothing ever writes `{name}`"
        return Diagnostic("never-written", headline, span, "always 0 here", hint)
    if stack:
        other = "decoder" if stack == "encoder" else "encoder"
        hint = "a head with `from: encoder` brings it here" if stack == "encoder" else ""
        headline = f"`{name}` is written in the {stack}, by {writer}, and not in the {other}"
        return Diagnostic("other-stack", headline, span, f"always 0 in the {other}", hint)
    hint = f"it is written later, by {writer}"
    return Diagnostic("read-before-written", what, span, "always 0 here", hint)


def read_beside(span: Span, name: str, writer: str) -> Diagnostic:
    """A seme that is read by a part of the network that is computed at once with its writer."""
    block = (
        "the rules of a block" if writer.startswith("the feed-forward") else "the heads of a layer"
    )
    return Diagnostic(
        "read-before-written",
        f"`{name}` is read before anything has written it",
        span,
        "always 0 here",
        f"{block} are computed at once: it can be read from the next layer on",
    )


two_writers = Message(
    "two-writers",
    "`{0}` is written in two places, which add up",
    "also written here",
    note="written here",
    severity="warning",
)


braces_in_token = Message(
    "braces-in-token",
    "the braces of `{0}` are characters of the token: `{1}` is no variable here",
    "a token of its own",
    "a loop puts its variable in: `for {1} in ...:`; of a table every row is meant by `each > ...`",
    severity="warning",
)


twice = partial(messages.twice, how="given")

missing = Message("missing", "{0} is missing", "expected here")

bad_setting = Message("bad-setting", "`{0}` cannot be `{1}`", "expected {2}")

unread_example = Message(
    "example-input", "the input of this example cannot be read: {0}", "not known here"
)

unread_expected = Message(
    "example-output", "no answer can be what this example expects: {0}", "never in an answer"
)

not_here = Message("not-here", "{0} cannot stand here", "{1}")


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


choice_again = Message(
    "choice", "`{0}` is to be chosen, and given as well", "here again", "leave one of them out"
)

choice_elsewhere = Message(
    "choice",
    "`one of` stands in the lexicon alone",
    "this is no token's vector",
    "mark the entries `?`, each trained by itself",
)

mark_forbidden = Message(
    "mark-forbidden", "an entry of {0} cannot be marked", "no weight of its own", "{1}"
)
