"""Names, tokens and values that a program cannot mean."""

from collections.abc import Iterable

from progtf.notation.diagnostics import Diagnostic, Note, Span
from progtf.notation.did_you_mean import nearest
from progtf.notation.messages import unsigned_exponent


def unknown_seme(span: Span, name: str, known: Iterable[str], declared: Span | None) -> Diagnostic:
    """A name that is no seme, alias or named value."""
    notes = (Note(declared, "semes are declared here"),) if declared is not None else ()
    line = span.source.lines[span.line - 1]
    hint = unsigned_exponent(line, span.start) or nearest(name, known)
    return Diagnostic(
        "unknown-seme", f"no seme is called `{name}`", span, "not declared", hint, notes
    )


_LIST = 'a family of several things takes a list: `let kinds = ["x", "y"]`, then `is[kinds]`'


def index_out_of_range(span: Span, name: str, base: str, members: tuple[str, ...]) -> Diagnostic:
    """An index that a family does not have."""
    headline = f"`{base}` has no member `{name}`"
    if len(members) == 1:
        label = f"`{base}` has one member, {members[0]}"
        return Diagnostic("index-out-of-range", headline, span, label, _LIST)
    label = f"`{base}` runs from {members[0]} to {members[-1]}"
    return Diagnostic("index-out-of-range", headline, span, label)


def wrong_kind(span: Span, found: str, due: str, hint: str = "") -> Diagnostic:
    """A vector where a matrix is due, or the like."""
    return Diagnostic(
        "wrong-kind", f"{found} stands where {due} is due", span, f"this is {found}", hint
    )


def not_writable(span: Span, name: str, why: str) -> Diagnostic:
    """A target that cannot be written."""
    return Diagnostic("not-writable", f"`{name}` cannot be written", span, why)


def reserved_name(span: Span, name: str) -> Diagnostic:
    """A name that the clocks have for themselves."""
    return Diagnostic(
        "reserved-name",
        f"`{name}` is the name of a clock's hand",
        span,
        "not free",
        "call the seme something else; `clocks: /8` gives `cos[8]` and `sin[8]`",
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
