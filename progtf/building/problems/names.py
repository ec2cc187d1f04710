"""Names, tokens and values that a program cannot mean."""

import re
from collections.abc import Iterable

from progtf.notation.diagnostics import Diagnostic, Message, Note, Span
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
    label = f"`{base}` runs from {members[0]} to {members[-1]}" if members else "it has none"
    return Diagnostic("index-out-of-range", headline, span, label, _as_characters(span, members))


def _as_characters(span: Span, members: tuple[str, ...]) -> str:
    """What is meant where a variable holds a text of several characters."""
    told = span.source.lines[span.line - 1][span.start : span.end]
    variable = re.fullmatch(r"(\w+)\[(\w+)\]", told)
    long = any(re.search(r'\["[^"]{2,}"\]', member) for member in members)
    if variable is None or variable[2].isdecimal() or not long:
        return ""
    base, index = variable.groups()
    return f'a text as an index is its characters: `{base}["{{{index}}}"]` is what `{index}` names'


wrong_kind = Message("wrong-kind", "{0} stands where {1} is due", "this is {0}")

not_writable = Message("not-writable", "`{0}` cannot be written", "{1}")

set_group = Message("not-writable", "`set` is for one seme at a time", "here are {0}")

reserved_name = Message(
    "reserved-name",
    "`{0}` is the name of a clock's hand",
    "not free",
    "call the seme something else; `clocks: /8` gives `cos[8]` and `sin[8]`",
)

word_of_the_language = Message(
    "reserved-name",
    "`{0}` is a word of the notation",
    "not free",
    "call the seme something else; `x.{0}` is free",
)

not_a_cell = Message(
    "not-a-cell",
    "a spelling is chosen by flags joined by `&` and `|`",
    "not a set of flags",
    "write the condition to a seme in a layer before",
)

homograph = Message(
    "homograph",
    "`{1}` scores as high where `{0}` is due",
    "the two share too many flags",
    "a spelling of two words is told apart by a flag that only one of them has",
)

alias_cycle = Message("alias-cycle", "`{0}` is defined by itself", "it contains itself")

lexicon_token = Message("lexicon-token", "`{0}` can never be a token of an input", "{1}")

no_own_seme = Message(
    "no-own-seme",
    "no seme belongs to the token `{0}` alone",
    "so this phrase cannot be recognised",
    "give it one in the lexicon, as in `'{0}': +is[\"{0}\"]`",
)


out_of_range = Message(
    "out-of-range",
    "`{0}` cannot be {1:r} here",
    "it is declared {2.ends}{3}",
    "widen the range, or change the value",
)
