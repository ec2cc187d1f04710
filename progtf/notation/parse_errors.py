"""What a person is told about lines that cannot be read, and about what they probably meant."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

from lark import Lark, UnexpectedInput
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.blocks import KINDS, SECTIONS
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.notation.did_you_mean import nearest
from progtf.notation.outline import Line

# What terminals are called that the grammar spells by no plain word or mark.
_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a quoted string",
    "SIGN": "a sign",
    "COMPARE": "a comparison",
    "ARROW": "`->`",
    "WORD": "a word",
    "SPECIAL": "`<bos>`, `<eos>`, `<again>` or `<ask>`",
    "NOT": "`!`",
    "NEVER": "`never`",
    "_AFTER": "`after`",
    "_BELOW": "`below`",
    "LOOK": "all, before, upto, after, self or notself",
    "FURTHER": "a word",
    "CASE": "lower or fold",
    "SPELLING_TEST": "contains or count",
    "FOLDS": "typography, blanks or opening",
    "GUESSED": "capital or digits",
    "WHERE": "inside, between numbers or between terms",
    "POOL": "max, mean, first, last or sum",
    "YES_NO": "yes or no",
    "NORMALIZE": "keys or queries",
    "ACTIVATION": "relu, tanh, clip or none",
    "EXAMPLE_OUTPUT": "the expected output",
    "EXAMPLE_INPUT": "an input, `->` and the expected output",
    "$END": "the end of the line",
    "TIMES": "`*`, `/`, `%`",
    "TO": "`>`",
    "ROW_TEST": "`=`, `!=`, has, starts with or ends with",
    "EACH": "`each`",
    "NONE": "`no`",
    "SET": "`set`",
    "VECTOR": "a vector",
    "_ONE": "`one of`",
}
# The blocks whose lines are misplaced most often.
_HOMES = ("layer_line", "head_line", "feedforward_line")
# The blocks whose lines give a token or a class a vector.
_GIVES_VECTORS = ("lexicon_line", "output_line", "classify_line")
_BETWEEN_NAMES = re.compile(r"([\w.\[\]]+)\s*->\s*([\w.\[\]]+)")
_UNSEEN = ("Zs", "Zl", "Zp", "Cc", "Cf", "Cs")
# Left out of a long list of what may follow.
_MINOR = {"`one of`", "`[`", "`{`", "`*`", "`~`", "`mod`", "`,`", "`..`", "a number", "`step`"}
MOST_EXPECTED = 4
HIDDEN = {
    "OPEN",
    "CLOSE",
    "CALL_NAME",
    "COLUMN",
    "CELL",
    "QUANTIFIER",
    "FUNCTION",
    "FOLDED",
    "FOR",
    "COLUMN_OF",
}


def unreadable(error: UnexpectedInput, line: Line, rule: str, lark: Lark) -> Diagnostic:
    """A line that the grammar does not know."""
    start = _column(error, line)
    arrow = _arrow_at(line.content, start)
    if arrow is not None and rule != "examples_line":
        return _arrow(line, arrow, rule)
    found = _found(error, line, start)
    hidden = _invisible(line, start + len(found))
    if hidden is not None:
        return hidden
    if (
        _alone(line, rule, lark)
        or start == 0
        and _misspelt(line, rule, lark)
        or _elsewhere(line, start, rule, lark)
    ):
        return unknown_key(line, rule, lark)
    span = Span(line.source, line.row, line.indent + start, line.indent + start + len(found))
    headline = f"unexpected `{found}`" if found else "the line ends too early"
    label = _expecting(sorted(_expected(error)), lark)
    hint = _hint(line, found, start, rule) or _meant(line, rule, lark)
    return Diagnostic("syntax", headline, span, label, hint)


def _arrow_at(content: str, start: int) -> int | None:
    """Where the arrow begins at whose first or second character reading ended."""
    return next((at for at in (start, start - 1) if at > 0 and content[at : at + 2] == "->"), None)


def _arrow(line: Line, start: int, rule: str) -> Diagnostic:
    """An arrow where none can stand, and what is written in its place."""
    span = Span(line.source, line.row, line.indent + start, line.indent + start + 2)
    sides = _BETWEEN_NAMES.fullmatch(line.content)
    if rule in _GIVES_VECTORS:
        hint = "did you mean `:`?"
    elif sides is None:
        hint = "did you mean `>`?"
    else:
        read, written = sides.groups()
        hint = f"a rule in `feedforward:` is written `{written}: {read}`"
        hint += "" if rule == "feedforward_line" else f", what a head copies `{read}>{written}`"
    label = "an arrow joins an example's input to its answer"
    return Diagnostic("syntax", "unexpected `->`", span, label, hint)


def unknown_key(line: Line, rule: str, lark: Lark) -> Diagnostic:
    """A line that begins with a word that means nothing there."""
    first = _first_word(line)
    span = Span(line.source, line.row, line.indent, line.indent + len(first))
    headline = f"`{first}` is not something {KINDS[rule].place} can say"
    others = f"here one writes {', '.join(keywords_of(rule, lark))}"
    hint = _meant(line, rule, lark) or others
    return Diagnostic("unknown-key", headline, span, "not known here", hint)


def _meant(line: Line, rule: str, lark: Lark) -> str:
    return _near_keyword(line, rule, lark) or belongs(line, rule, lark)


def belongs(line: Line, rule: str, lark: Lark) -> str:
    """Where the first word of a line has its place, if that is in another block."""
    first = _first_word(line)
    if first in keywords_of(rule, lark):
        return ""
    if first == "loop":
        return "a loop stands where layers do, and within no other loop"
    for other in _HOMES:
        if other != rule and first in keywords_of(other, lark):
            return f"`{first}:` belongs in {KINDS[other].place}, indented below it"
    return ""


def _first_word(line: Line) -> str:
    return re.split(r"[\s:(]", line.content, maxsplit=1)[0]


def _alone(line: Line, rule: str, lark: Lark) -> bool:
    """Whether a line of a file is one word that begins nothing."""
    first = _first_word(line)
    alone = rule == "file_line" and first == line.content
    return alone and first.isidentifier() and first not in keywords_of(rule, lark)


def _misspelt(line: Line, rule: str, lark: Lark) -> bool:
    first, words = _first_word(line), keywords_of(rule, lark)
    return first.isidentifier() and ":" in line.content and bool(words) and first not in words


def _elsewhere(line: Line, start: int, rule: str, lark: Lark) -> bool:
    """Whether a line begins with a word that was taken for a name, and opens a block elsewhere."""
    first = _first_word(line)
    behind = start in (len(first), len(first) + 1)
    return behind and ":=" not in line.content and bool(belongs(line, rule, lark))


def _near_keyword(line: Line, rule: str, lark: Lark) -> str:
    """What the first word was perhaps meant to be."""
    first, words = _first_word(line), keywords_of(rule, lark)
    if (meant := _BLOCKS_ELSEWHERE.get(first.lower())) in words:
        return f"that is called `{meant}` here"
    if first in words or len(first) < 3:
        return ""
    return nearest(first, (w for w in words if first != line.content or w[0] == first[0]))


def _invisible(line: Line, end: int) -> Diagnostic | None:
    """A character up to column ``end`` that no one can see: a no-break space and its like."""
    for column, character in enumerate(line.content[:end], start=line.indent):
        if character not in " \t" and unicodedata.category(character) in _UNSEEN:
            span = Span(line.source, line.row, column, column + 1)
            name = unicodedata.name(character, "a control character").lower()
            return messages.invisible_character(span, ord(character), name)
    return None


@cache
def keywords_of(rule: str, lark: Lark) -> list[str]:
    """The words that may begin a line of this kind."""
    words = [_spelling(name, lark) for name in first(rule, lark)]
    return sorted({word for group in words for word in group if word.isidentifier()})


def first(rule: str, lark: Lark) -> set[str]:
    """The terminals that may begin a line of this kind."""
    state: Any = lark.parse_interactive("", start=rule)  # pyright: ignore[reportUnknownMemberType]
    return state.accepts()


def _spelling(terminal: str, lark: Lark) -> list[str]:
    pattern = next((t.pattern for t in lark.terminals if t.name == terminal), None)
    if pattern is None:
        return []
    if pattern.type == "str":
        return [str(pattern.value)]
    body = str(pattern.value)
    if body.startswith("(?:") and ")" in body and terminal not in HIDDEN:
        return body[3 : body.index(")")].split("|")
    return []


def _expected(error: UnexpectedInput) -> set[str]:
    match error:
        case UnexpectedCharacters():
            return set(error.allowed or ())
        case UnexpectedToken():
            return set(error.accepts or error.expected or ())
        case _:
            return set()


def _column(error: UnexpectedInput, line: Line) -> int:
    position: Any = getattr(error, "pos_in_stream", None)
    token = getattr(error, "token", None)
    if isinstance(error, UnexpectedEOF) or token is not None and token.type == "$END":
        return len(line.content)
    return min(len(line.content), max(0, position or 0))


def _found(error: UnexpectedInput, line: Line, start: int) -> str:
    token = getattr(error, "token", None)
    if token is not None and token.type != "$END":
        return str(token) if token[:1] in {"'", '"'} else str(token).split()[0]
    return line.content[start : start + 1]


def _expecting(expected: list[str], lark: Lark) -> str:
    shown: list[str] = []
    for terminal in expected:
        if terminal in HIDDEN:
            continue
        shown.append(called(terminal, lark))
    unique = sorted(set(shown), key=lambda word: (word.startswith("`"), word))
    if len(unique) > MOST_EXPECTED:
        unique = [word for word in unique if word not in _MINOR]
    if not unique:
        return "not understood"
    *first, last = unique
    return f"expected {', '.join(first)} or {last}" if first else f"expected {last}"


def called(terminal: str, lark: Lark) -> str:
    """What a person calls a terminal: never the name that the grammar has for it."""
    return _WORDS.get(terminal) or f"`{_spelling(terminal, lark)[0]}`"


# How others spell what this notation spells otherwise, by what stands at the mistake or before it.
_ELSEWHERE = {"or": "|", "||": "|", "and": "&", "&&": "&", "not": "!", "<>": "!="}

# What a rule is meant to say, by what stands at the mistake or before it.
_RULES_ELSEWHERE = {
    "max": "the larger one takes two rules: `m: a when a >= b` and `m: b when a < b`",
    "min": "the smaller one takes two rules: `m: a when a <= b` and `m: b when a > b`",
    "if": "a condition stands behind `when`: `total: val when noun`",
    "else": "what holds otherwise is a rule of its own, `when` the opposite holds",
    "*": "what depends on a condition is written `val when noun`; a head multiplies, by `bind:`",
    **dict.fromkeys(("<", "<=", ">", ">="), "comparisons are joined: `0 < a & a < b`"),
}

_BLOCKS_ELSEWHERE = {
    **dict.fromkeys(("attention", "attn", "attend", "self_attention"), "head"),
    **dict.fromkeys(("mlp", "ffn", "ff", "feed_forward", "rules"), "feedforward"),
    **dict.fromkeys(("vocab", "vocabulary", "embedding", "embeddings", "words"), "lexicon"),
    **dict.fromkeys(("features", "dimensions", "flags"), "semes"),
    **dict.fromkeys(("block", "stage"), "layer"),
    **dict.fromkeys(("tests", "test"), "examples"),
    **dict.fromkeys(("q", "queries"), "query"),
    **dict.fromkeys(("k", "keys"), "key"),
    **dict.fromkeys(("v", "values"), "value"),
}
_DIVIDED = re.compile(r"\b(?:mod|div)\s+[^\s+−-]")
_IN_INDEX = re.compile(r"\w\[[^\]]*$")


def _hint(line: Line, found: str, start: int, rule: str) -> str:
    if found[:1] in {"'", '"'} and not (len(found) > 1 and found.endswith(found[0])):
        return "a quoted string needs its closing quote"
    in_semes = rule == "semes_line" and not line.content.startswith("for ")
    if found == "," and (in_semes or line.content.startswith(("semes", "clocks"))):
        commas = "" if line.content.startswith("clocks") else ", or by one comma"
        return f"these are separated by blanks{commas}"
    if line.content.startswith("for ") and (hint := _in_loop(line.content[:start], found)):
        return hint
    if found[:1].isdigit() and line.content.startswith("clocks"):
        return "a clock is written with a slash before its period, as `/7 /40`"
    if rule == "feedforward_line" and (hint := _in_rule(line.content[:start], found)):
        return hint
    return _inside(line, found, start) if found and start > 0 else ""


def _in_loop(before: str, found: str) -> str:
    """How the line of a loop is written."""
    if before.rstrip().endswith(":"):
        return "what a loop repeats stands below it, in lines that begin further in"
    return "a loop is written `for k in 1..3:`" if found == "=" else ""


def _in_rule(before: str, found: str) -> str:
    """What a part of a rule may have been meant as."""
    if _DIVIDED.search(before):
        return "behind `mod` and `div` stands one number, and then `when` at most"
    last = before.rstrip()
    word = last.split()[-1] if found[:1] == "(" and last else found
    return "" if last.endswith(("<", ">", "=")) else _RULES_ELSEWHERE.get(word, "")


def _inside(line: Line, found: str, start: int) -> str:
    """What a part of a line may have been meant as."""
    if found[0] in "?~":
        return messages.MARKED
    if found[0] in "{." and _IN_INDEX.search(line.content[:start]):
        return "an index stands without braces: `place[2]`, `place[k + 1]`, `place[0..3]`"
    before = line.content[:start].split()[-1:]
    around = (found, *before, line.content[max(0, start - 1) : start + 1])
    meant = next((_ELSEWHERE[word] for word in around if word in _ELSEWHERE), "")
    unsigned = messages.unsigned_exponent(line.content, start)
    return f"that is written `{meant}` here" if meant else unsigned


def doubtful_sections(file: s.File, *, read: bool) -> Iterator[Diagnostic]:
    """Sections that are misspelt or stand empty, which may be behind the mistakes of a file.

    A word with a colon at the top of a file names a vector or a matrix, whatever the word: only a
    mistake elsewhere tells that it was meant as a section.

    Args:
        file: as far as it could be read.
        read: whether all its lines could.
    """
    present = {part.keyword for part in file.statements if isinstance(part, s.Block)}
    for part in file.statements:
        match part:
            case s.NamedValue(name=s.Name(base=name, indices=())):
                meant = nearest(name, SECTIONS - present)
                if meant:
                    yield messages.misspelt_section(part.span, name, meant)
            case s.Block(keyword="semes", arguments=(), children=()) if read:
                yield messages.empty_section(part.span, part.keyword, "noun verb")
            case _:
                pass
