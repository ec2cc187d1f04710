"""What Lark says about a line it cannot read, in words that a person can use."""

from typing import Any

from lark import Lark, UnexpectedInput
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

from progtf.notation.diagnostics import Diagnostic, Span
from progtf.notation.messages import nearest
from progtf.notation.outline import Line

_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a quoted string",
    "SIGN": "`+` or `-`",
    "TO": "`>`",
    "COMPARE": "a comparison",
    "COLON": "`:`",
    "COMMA": "`,`",
    "TILDE": "`~`",
    "STAR": "`*`",
    "VBAR": "`|`",
    "AMPERSAND": "`&`",
    "WHEN": "`when`",
    "ARROW": "`->`",
    "WORD": "a word",
    "SPECIAL": "`<bos>` or `<eos>`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "BANG": "`!`",
    "LOOK": "all, before, upto, after, self or notself",
    "POOL": "max, mean, first or last",
    "YES_NO": "yes or no",
    "NORMALIZE": "keys or queries",
    "ACTIVATION": "relu, tanh, clip or none",
    "ENCODER": "`encoder`",
    "EXAMPLE_OUTPUT": "the expected output",
    "EXAMPLE_INPUT": "an input, `->` and the expected output",
    "$END": "the end of the line",
    "SLASH": "`/`",
    "FOR": "`for`",
    "__RANGE": "`..`",
}
_HIDDEN = {"OPEN", "CLOSE", "CALL_NAME", "COLUMN", "CELL", "QUANTIFIER", "FUNCTION", "FOR"}


def unreadable(error: UnexpectedInput, line: Line, rule: str, lark: Lark) -> Diagnostic:
    """A line that the grammar does not know."""
    expected = sorted(_expected(error))
    start = _column(error, line)
    found = _found(error, line, start)
    span = Span(line.source, line.number, line.indent + start, line.indent + start + len(found))
    if start == 0 or not found:
        unknown = _unknown_keyword(line, rule, lark)
        if unknown is not None:
            return unknown
    headline = f"unexpected `{found}`" if found else "the line ends too early"
    return Diagnostic(
        "syntax", headline, span, _expecting(expected, lark), _hint(line, found, start)
    )


def _unknown_keyword(line: Line, rule: str, lark: Lark) -> Diagnostic | None:
    words = keywords_of(rule, lark)
    first = line.content.split(":")[0].split()[0] if ":" in line.content else ""
    if not first.isidentifier() or first in words or not words:
        return None
    span = Span(line.source, line.number, line.indent, line.indent + len(first))
    place = {"file_line": "a file"}.get(rule, f"a {rule.removesuffix('_line')} block")
    return Diagnostic(
        "unknown-key",
        f"`{first}` is not something {place} can say",
        span,
        "not known here",
        nearest(first, words) or f"here one writes {', '.join(words)}",
    )


def keywords_of(rule: str, lark: Lark) -> list[str]:
    """The words that may begin a line of this kind."""
    state: Any = lark.parse_interactive("", start=rule)  # pyright: ignore[reportUnknownMemberType]
    words = [_spelling(name, lark) for name in state.accepts()]
    return sorted({word for group in words for word in group if word.isidentifier()})


def _spelling(terminal: str, lark: Lark) -> list[str]:
    pattern = next((t.pattern for t in lark.terminals if t.name == terminal), None)
    if pattern is None:
        return []
    if pattern.type == "str":
        return [str(pattern.value)]
    body = str(pattern.value)
    if body.startswith("(?:") and ")" in body and terminal not in _HIDDEN:
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
        return str(token)
    return line.content[start : start + 1]


def _expecting(expected: list[str], lark: Lark) -> str:
    shown: list[str] = []
    for terminal in expected:
        if terminal in _HIDDEN:
            continue
        plain = _spelling(terminal, lark)
        shown.append(_WORDS.get(terminal) or (f"`{plain[0]}`" if plain else terminal.lower()))
    unique = sorted(set(shown), key=lambda word: (word.startswith("`"), word))
    if not unique:
        return "not understood"
    return "expected " + (" or ".join(unique) if len(unique) < 3 else ", ".join(unique))


# How others spell what this notation spells otherwise, by what stands at the mistake or before it.
_ELSEWHERE = {"or": "|", "||": "|", "and": "&", "&&": "&", "not": "!", "<>": "!=", "->": ">"}


def _hint(line: Line, found: str, start: int) -> str:
    if line.content.startswith(('"', "'")) and not found:
        return "is a closing quote missing?"
    if found in {"'", '"'}:
        return "a quoted string needs its closing quote"
    if not found:
        return ""
    before = line.content[:start].split()[-1:]
    around = (found, *before, line.content[max(0, start - 1) : start + 1])
    meant = next((_ELSEWHERE[word] for word in around if word in _ELSEWHERE), "")
    return meant and f"that is written `{meant}` here"
