"""One function per code: what is said about each mistake. ``docs/errors.md`` lists the codes."""

import re
from collections.abc import Iterable

from progtf.notation.diagnostics import Diagnostic, Note, Span
from progtf.notation.did_you_mean import nearest
from progtf.notation.spell import counted

_EXPONENT = re.compile(r"[eE]\d[\w.]*")


def unsigned_exponent(line: str, column: int) -> str:
    """What is due where the ``e`` of ``1e3`` stands at ``column``: it reads as a name there."""
    exponent, before = _EXPONENT.match(line, column), line[:column]
    number = before[len(before.rstrip("0123456789.")) :].rpartition("..")[2]
    if exponent is None or not number[-1:].isdigit():
        return ""
    return f"the exponent of a number needs a sign: `{number}e+{exponent.group()[1:]}`"


def glued_name(span: Span, name: str, hint: str) -> Diagnostic:
    """A name right behind a number, where a number with an exponent was meant."""
    return Diagnostic("syntax", f"unexpected `{name}`", span, "part of a number?", hint)


def misspelt_section(span: Span, name: str, meant: str) -> Diagnostic:
    """A named vector that was to be a section, as it seems."""
    return Diagnostic(
        "misspelt-section", f"`{name}:` is read as a named vector", span, "no section", meant
    )


def empty_section(span: Span, name: str) -> Diagnostic:
    """A section without lines."""
    return Diagnostic(
        "empty-section",
        f"nothing stands in `{name}:`",
        span,
        "",
        "indent the lines that belong to it",
    )


def tab(span: Span) -> Diagnostic:
    """A tab in the indentation."""
    return Diagnostic(
        "tab", "a tab is used for indentation", span, "the first one", "indent with spaces"
    )


def indentation(span: Span, column: int) -> Diagnostic:
    """A line that belongs to no block."""
    return Diagnostic(
        "indentation",
        "this line is in no block",
        span,
        f"begins in column {span.start + 1}, the lines before it in column {column + 1}",
        "lines of one block begin in the same column",
    )


def encoding(span: Span) -> Diagnostic:
    """A byte that is no part of a text in UTF-8."""
    return Diagnostic(
        "encoding",
        "this file is not written in UTF-8",
        span,
        "the first character that is not",
        "save the file anew with the encoding UTF-8",
    )


def too_deep(span: Span) -> Diagnostic:
    """Nesting past what anyone writes."""
    return Diagnostic("too-deep", "this is nested too deeply", span, "too many levels")


def too_long(span: Span, limit: int) -> Diagnostic:
    """A line that is longer than any person would write."""
    return Diagnostic(
        "too-long",
        f"this line has more than {limit:,} characters",
        span,
        "",
        "a list can go on over several lines below its key",
    )


def unexpected_block(span: Span, opener: Span) -> Diagnostic:
    """Lines below a line that opens no block."""
    return Diagnostic(
        "unexpected-block",
        "this line is indented below a line that opens no block",
        span,
        "indented",
        "remove the indentation",
        (Note(opener, "this takes no lines below it"),),
    )


# ------------------------------------------------------------------ numbers, loops, families


def unknown_constant(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A name in an index or coefficient that is no loop variable, parameter or ``let``."""
    return Diagnostic(
        "unknown-constant",
        f"nothing here is called `{name}`",
        span,
        "not a loop variable, a parameter or a `let`",
        nearest(name, known),
    )


def unknown_function(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A function that index arithmetic does not have."""
    names = ", ".join(known)
    return Diagnostic(
        "unknown-function",
        f"there is no function `{name}`",
        span,
        "not known",
        f"there are {names}",
    )


def not_a_number(span: Span, found: str) -> Diagnostic:
    """A text or name where a number is due."""
    return Diagnostic("not-a-number", f"a number is due here, not {found}", span, "not a number")


def not_whole(span: Span, found: float) -> Diagnostic:
    """A fraction where a whole number is due."""
    return Diagnostic("not-whole", f"a whole number is due here, not {found:g}", span, "not whole")


def not_a_domain(span: Span, found: str) -> Diagnostic:
    """A ``for`` over something that has no members."""
    return Diagnostic(
        "not-a-domain",
        f"`for` cannot run over {found}",
        span,
        "not a range, string, list or family",
        'write `0..9`, `"abc"`, `[a, b]` or the name of a family',
    )


def arithmetic(span: Span, why: str) -> Diagnostic:
    """A computation without a usable result."""
    return Diagnostic("arithmetic", "this cannot be computed", span, why)


def too_many_terms(span: Span, limit: int) -> Diagnostic:
    """Loops that expand past the limit."""
    return Diagnostic(
        "too-many-terms",
        f"the program expands to more than {limit:,} terms",
        span,
        "this goes past the limit",
        "a smaller range, or a guard such as `if q < p`",
    )


def uneven_families(span: Span, left: int, right: int) -> Diagnostic:
    """Two families of unlike sizes side by side."""
    return Diagnostic(
        "uneven-families",
        f"{left} semes cannot be paired with {right}",
        span,
        "both sides must have as many members, or one side just one",
    )


def many_where_one(span: Span, name: str, count: int) -> Diagnostic:
    """A whole family where one name is due."""
    return Diagnostic(
        "family-where-seme",
        f"`{name}` stands for {count} semes, one is due here",
        span,
        "give an index",
    )


def empty_range(span: Span, low: float, high: float) -> Diagnostic:
    """A seme whose values leave no choice."""
    return Diagnostic(
        "empty-range",
        f"a seme cannot have the values {low:g}..{high:g}",
        span,
        "the low end must lie below the high end",
    )


def bad_step(span: Span, low: float, high: float, step: float) -> Diagnostic:
    """A step that does not lead from the low end of a range to its high end."""
    return Diagnostic(
        "bad-step",
        f"steps of {step:g} do not lead from {low:g} to {high:g}",
        span,
        "the high end must be a whole number of steps away from the low one",
    )


# ------------------------------------------------------------------ files and circuits


def use_refused(span: Span, path: str, why: str, hint: str = "") -> Diagnostic:
    """A used file that may not or cannot be read."""
    return Diagnostic("use", f"cannot use `{path}`", span, why, hint)


def unknown_circuit(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A ``use`` of a circuit that is not defined."""
    return Diagnostic(
        "unknown-circuit",
        f"no circuit is called `{name}`",
        span,
        "not defined",
        nearest(name, known),
    )


def circuit_arguments(span: Span, name: str, wanted: tuple[str, ...], given: int) -> Diagnostic:
    """A circuit with too many or too few arguments."""
    wants = ", ".join(wanted) or "nothing"
    return Diagnostic(
        "circuit-arguments",
        f"`{name}` takes {counted(len(wanted), 'argument')}, not {given}",
        span,
        f"it takes {wants}",
    )


def circuit_cycle(span: Span, name: str) -> Diagnostic:
    """A circuit that uses itself."""
    return Diagnostic("circuit-cycle", f"circuit `{name}` uses itself", span, "used inside itself")


def not_in_used_file(span: Span, keyword: str) -> Diagnostic:
    """A section that only a main program may have."""
    return Diagnostic(
        "not-in-used-file",
        f"a used file cannot have `{keyword}:`",
        span,
        "only the program itself has this",
        "a used file has semes, a lexicon, layers, outputs and examples",
    )


def raw_behind_when(span: Span, name: str) -> Diagnostic:
    """Raw weights of a file with ``when`` that write a name which is not the file's own."""
    return Diagnostic(
        "raw-behind-when",
        f"`when` cannot hold back what raw weights write to `{name}`",
        span,
        "written whether the condition holds or not",
        "write a name of this file's own, and copy it with a rule",
    )


def twice(code: str, span: Span, what: str, first: Span) -> Diagnostic:
    """Something that is declared a second time."""
    return Diagnostic(
        code, f"{what} is declared twice", span, "again here", "", (Note(first, "declared here"),)
    )


def table_column(span: Span, column: str, known: Iterable[str]) -> Diagnostic:
    """A column that the lexicon's table does not have."""
    known = tuple(known)
    return Diagnostic(
        "unknown-column",
        f"the table has no column `{column}`",
        span,
        "not a column",
        nearest(column, known) or f"its columns are {', '.join(known)}",
    )


def no_table(span: Span, column: str) -> Diagnostic:
    """A line about a column in a lexicon that reads no table."""
    return Diagnostic(
        "no-table",
        f"there is no column `{column}`, because this lexicon has no table",
        span,
        "a column of which table?",
        'name it where the lexicon begins: `lexicon from "words.tsv":`',
    )


def table_line(span: Span, why: str, due: str, lexicon: Span) -> Diagnostic:
    """A line of a table that cannot be used."""
    notes = (Note(lexicon, "the lexicon is read from this table"),)
    return Diagnostic("table", why, span, due, notes=notes)


def learned_number(span: Span) -> Diagnostic:
    """A number at an entry that begins at random."""
    return Diagnostic(
        "learned-number",
        "an entry marked `?` is trained from a random number, so no number can be written",
        span,
        "marked `?`, with a number",
        "write `~` in place of `?` to begin at this number",
    )
