"""Statements: what is missing, given twice, not in its place, or in a circle."""

from collections.abc import Iterable, Sequence

from progtf.notation.diagnostics import Diagnostic, Message, Note, Span
from progtf.notation.did_you_mean import nearest


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


two_writers = Message(
    "two-writers",
    "`{0}` is written in two places, which add up",
    "also written here",
    note="written here",
    severity="warning",
)


def twice(
    code: str, span: Span, what: str, first: Span | None = None, hint: str = ""
) -> Diagnostic:
    """Something that is given a second time."""
    notes = () if first is None else (Note(first, "given here"),)
    return Diagnostic(code, f"{what} is given twice", span, "again here", hint, notes)


def missing(span: Span, what: str, hint: str = "") -> Diagnostic:
    """Something that a program of this kind must have."""
    return Diagnostic("missing", f"{what} is missing", span, "missing here", hint)


def unread_example(span: Span, why: str) -> Diagnostic:
    """An example whose input is none."""
    return Diagnostic("example-input", f"the input of this example cannot be read: {why}", span)


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


mark_forbidden = Message(
    "mark-forbidden", "an entry of {0} cannot be marked", "no weight of its own", "{1}"
)
