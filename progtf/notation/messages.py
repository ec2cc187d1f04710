"""One message per code: what is said about each mistake. ``docs/errors.md`` lists the codes."""

import re

from progtf.notation.diagnostics import Diagnostic, Message, Mistake, Note, Span

MARKED = "marks stand in the lexicon, query, key, value, role, out, mat1 to bias2, dense and cell"
_EXPONENT = re.compile(r"[eE]\d[\w.]*")


def unsigned_exponent(line: str, column: int) -> str:
    """What is due where the ``e`` of ``1e3`` stands at ``column``: it reads as a name there."""
    exponent, before = _EXPONENT.match(line, column), line[:column]
    number = before[len(before.rstrip("0123456789.")) :].rpartition("..")[2]
    if exponent is None or not number[-1:].isdigit():
        return ""
    return f"the exponent of a number needs a sign: `{number}e+{exponent.group()[1:]}`"


glued_name = Message("syntax", "unexpected `{0}`", "part of a number?", "{1}")

invisible_character = Message(
    "invisible-character",
    "an invisible character stands here: U+{0:04X}",
    "{1}",
    "retype this part of the line",
)

misspelt_section = Message(
    "misspelt-section", "`{0}:` is read as a named vector", "no section", "{1}"
)

empty_section = Message(
    "empty-section",
    "nothing stands in `{0}:`",
    help="what belongs to it stands below, further in: `{1}`",
)

tab = Message("tab", "a tab is used for indentation", "the first one", "indent with spaces")

indentation = Message(
    "indentation",
    "this line is in no block",
    "begins in column {0}, the lines before it in column {1}",
    "lines of one block begin in the same column",
)

encoding = Message(
    "encoding",
    "this file is not written in UTF-8",
    "the first character that is not",
    "save the file anew with the encoding UTF-8",
)

too_deep = Message("too-deep", "this is nested too deeply", "too many levels")

too_long = Message(
    "too-long",
    "this line has more than {0:,} characters",
    help="a list can go on over several lines below its key",
)

text_too_long = Message(
    "too-long",
    "a text has more than {0:,} characters when its constants are put in",
    "this becomes too long",
)

unexpected_block = Message(
    "unexpected-block",
    "this line is indented below a line that opens no block",
    "indented",
    "remove the indentation",
    "this takes no lines below it",
)

# ------------------------------------------------------------------ numbers, loops, families

unknown_constant = Message(
    "unknown-constant",
    "nothing here is called `{0}`",
    "not a loop variable, a parameter or a `let`",
)

unknown_function = Message(
    "unknown-function", "there is no function `{0}`", "not known", "there are {1}"
)

not_a_number = Message("not-a-number", "a number is due here, not {0}", "not a number")

not_whole = Message("not-whole", "a whole number is due here, not {0:r}", "not whole")

not_a_domain = Message(
    "not-a-domain",
    "`for` cannot run over {0}",
    "not a range, string, list or family",
    'write `0..9`, `"abc"`, `[a, b]` or the name of a family',
)

arithmetic = Message("arithmetic", "this cannot be computed", "{0}")


def check_whole(number: int, span: Span) -> None:
    """Raises Mistake for a whole number that float64 does not have, as 2**53 + 1."""
    if number != float(number):
        why = f"float64 has no number {number}; the nearest is {int(float(number))}"
        raise Mistake(arithmetic(span, why))


too_many_terms = Message(
    "too-many-terms",
    "the program expands to more than {0:,} terms",
    "this goes past the limit",
    "a smaller range, or a guard such as `if q < p`",
)

uneven_families = Message(
    "uneven-families",
    "{0} semes cannot be paired with {1}",
    "both sides must have as many members, or one side just one",
)

many_where_one = Message(
    "family-where-seme", "`{0}` stands for {1} semes, one is due here", "give an index"
)

empty_range = Message(
    "empty-range",
    "a seme cannot have the values {0:r}..{1:r}",
    "the low end must lie below the high end",
)

bad_step = Message(
    "bad-step",
    "steps of {2:r} do not lead from {0:r} to {1:r}",
    "the high end must be a whole number of steps away from the low one",
)

# ------------------------------------------------------------------ files and circuits

use_refused = Message("use", "cannot use `{0}`", "{1}")

unknown_circuit = Message("unknown-circuit", "no circuit is called `{0}`", "not defined")

library_circuit = Message(
    "unknown-circuit",
    "no circuit is called `{0}`",
    "not defined",
    'the library has it: write `use "{1}"` at the top of the file',
)

flag_behind_range = Message(
    "flag-behind-range",
    "`{0}` is a seme of its own here, a flag",
    "no part of the range before it",
    "a range has no unit; a flag stands before the semes with ranges, or on another line",
    severity="warning",
)

circuit_arguments = Message("circuit-arguments", "`{0}` takes {1}, not {2}", "it takes {3}")

circuit_cycle = Message("circuit-cycle", "circuit `{0}` uses itself", "used inside itself")

not_in_used_file = Message(
    "not-in-used-file",
    "a used file cannot have `{0}:`",
    "only the program itself has this",
    "a used file has semes, a lexicon, layers, outputs and examples",
)

lent_under_prefix = Message(
    "not-in-used-file",
    "a file that is used `as` something cannot have `{0}:`",
    "the program has this, or a file that it uses without `as`",
    "put it into `demo:`, and it counts where the file is run by itself",
)

lent_twice = Message(
    "not-in-used-file",
    "two used files have `{0}:`",
    "the program takes over one",
    "say in the program itself which counts: `{0}:`",
)

not_in_for = Message(
    "not-here",
    "`{0}:` cannot stand in a `for`",
    "stands there once for every number",
    "{1}",
)

phrase_in_loop = Message(
    "not-here",
    "`phrase` cannot stand in a loop",
    "a text has the same phrases in every round",
    "find it in a layer before the loop",
)

loop_behind_condition = Message(
    "not-here",
    "a loop cannot wait for this condition of `use ... when`",
    "runs in texts of which some token has a flag",
    "write a flag where the condition holds, and use the file `when` that is up",
)

empty_loop = Message("missing", "the layers of the loop are missing", "expected here")

raw_behind_when = Message(
    "raw-behind-when",
    "`when` cannot hold back what raw weights write to `{0}`",
    "written whether the condition holds or not",
    "write a name of this file's own, and copy it with a rule",
)


def twice(
    code: str,
    span: Span,
    what: str,
    first: Span | None = None,
    hint: str = "",
    how: str = "declared",
) -> Diagnostic:
    """Something that is declared, or given, a second time."""
    notes = () if first is None else (Note(first, f"{how} here"),)
    return Diagnostic(code, f"{what} is {how} twice", span, "again here", hint, notes)


table_column = Message("unknown-column", "the table has no column `{0}`", "not a column")

table_form = Message(
    "unknown-column",
    "the table has a column of its own that is called `form`",
    "behind `forms`, `form` is the column that a word stands in",
    "call that column of the table something else",
)

no_table = Message(
    "no-table",
    "there is no column `{0}`, because this lexicon has no table",
    "a column of which table?",
    'name it where the lexicon begins: `lexicon from "words.tsv":`',
)

table_line = Message("table", "{0}", "{1}", note="the lexicon is read from this table")

no_ending = Message(
    "unknown-words",
    "`{0}` is no ending and no beginning of words",
    "where does it stand in a word?",
    "write `-ed` for words that end so, `un-` for words that begin so",
)

choice_of_semes = Message(
    "choice",
    "`one of` chooses among semes",
    "no seme",
    "write the semes behind it, as `one of twice thrice` or `one of does[acts]`",
)

choice_number = Message(
    "choice",
    "what is to be chosen from has no numbers",
    "with a number",
    "leave it out: what is chosen counts 1, the rest 0",
)

choice_twice = Message(
    "choice",
    "a token has one choice",
    "the second one",
    "put all that is to be chosen from behind one `one of`",
)

learned_number = Message(
    "learned-number",
    "an entry marked `?` is trained from a random number, so no number can be written",
    "marked `?`, with a number",
    "write `~` in place of `?` to begin at this number",
)
