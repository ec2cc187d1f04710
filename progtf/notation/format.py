"""One way to write everything: ``progtf fmt``. Comments stay, meaning stays, spacing is decided."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from progtf.notation.diagnostics import Source, errors
from progtf.notation.outline import Line, outline, strip_comment
from progtf.notation.parser import inside, parse_all, parse_line
from progtf.notation.render import SemeError, columns
from progtf.notation.syntax import (
    Block,
    Entry,
    Example,
    Field,
    ForBlock,
    LexiconEntry,
    Name,
    NamedValue,
    Statement,
    Term,
)
from progtf.notation.unparse_line import line_of

STEP = 2
WIDEST_KEY = 16
WIDEST_SPREAD = 12


@dataclass(frozen=True, slots=True)
class _Shown:
    """One line as it will be printed: depth, what it says, and what to align it by."""

    depth: int
    text: str
    split: int = 0
    kind: str = ""


def format_text(text: str, name: str = "<text>") -> str:
    """The text in its canonical spacing.

    Raises:
        SemeError: if it cannot be read; nothing is formatted then.
    """
    source = Source(name, text)
    file, found = parse_all(source)
    if errors(found):
        raise SemeError(found)
    lines, _ = outline(source)
    shown: dict[int, _Shown] = {}
    _show(lines, "file_line", 0, shown, frozenset(_named_values(file.statements)))
    return _assemble(source, _aligned(shown))


def _named_values(statements: Iterable[Statement]) -> Iterator[str]:
    for statement in statements:
        match statement:
            case NamedValue():
                yield statement.name.base
            case Block() | ForBlock():
                yield from _named_values(statement.children)
            case _:
                pass


def _phrased(node: Statement, named: frozenset[str]) -> str:
    """The line of a node; `weights: mat1` names a matrix, and no plus stands before it."""
    text = line_of(node)
    match node:
        case (
            LexiconEntry(value=(Entry(kind="vector", terms=(Term(name=Name(base=base)),)), *_))
            | NamedValue(value=(Entry(kind="vector", terms=(Term(name=Name(base=base)),)), *_))
            | Field(value=(Entry(kind="vector", terms=(Term(name=Name(base=base)),)), *_))
        ) if base in named:
            return text.replace(f": +{base}", f": {base}", 1)
        case _:
            return text


def _show(
    lines: tuple[Line, ...], rule: str, depth: int, shown: dict[int, _Shown], named: frozenset[str]
) -> None:
    for line in lines:
        node: Statement = parse_line(line, rule)
        text = _phrased(node, named)
        match node:
            case LexiconEntry():
                unquoted = text.rfind('"', 0, text.find(": ") + 2) + 1
                key = max(0, text.find(": ", unquoted))
                shown[line.number] = _Shown(depth, text, key + 2, "lexicon")
            case Example():
                shown[line.number] = _Shown(depth, text, len(node.raw[0]), "example")
            case _:
                shown[line.number] = _Shown(depth, text)
        below = inside(node, rule)
        if below is not None:
            _show(line.children, below, depth + 1, shown, named)


def _aligned(shown: dict[int, _Shown]) -> dict[int, _Shown]:
    """Runs of neighbouring lexicon entries, and of examples, get one column."""
    result = dict(shown)
    run: list[int] = []
    for number in [*sorted(shown), 0]:
        entry = shown.get(number)
        continues = (
            run and entry is not None and number == run[-1] + 1
            and (entry.kind, entry.depth) == (shown[run[0]].kind, shown[run[0]].depth)
        )  # fmt: skip
        if not continues:
            result |= _padded({n: shown[n] for n in run})
            run = []
        if entry is not None and entry.kind:
            run.append(number)
    return result


def _padded(run: dict[int, _Shown]) -> dict[int, _Shown]:
    if not run:
        return {}
    widths = [columns(entry.text[: entry.split]) for entry in run.values()]
    widest, lexicon = max(widths), next(iter(run.values())).kind == "lexicon"
    if (lexicon and widest > WIDEST_KEY) or widest - min(widths) > WIDEST_SPREAD:
        return {}
    return {
        number: _Shown(e.depth, e.text[: e.split] + " " * (widest - width) + e.text[e.split :])
        for (number, e), width in zip(run.items(), widths, strict=True)
    }


def _assemble(source: Source, shown: dict[int, _Shown]) -> str:
    """Content, comments and at most one empty line in a row."""
    printed: list[str] = []
    for number, raw in enumerate(source.lines, start=1):
        content, comment = strip_comment(raw)
        if content:
            line = " " * (STEP * shown[number].depth) + shown[number].text
            printed.append(_with_comment(line, comment, raw))
        elif comment:
            printed.append(" " * (STEP * _depth_below(source, number, shown)) + comment)
        elif printed and printed[-1]:
            printed.append("")
    while printed and not printed[-1]:
        printed.pop()
    return "\n".join(printed) + "\n" if printed else ""


def _with_comment(line: str, comment: str, raw: str) -> str:
    """A comment keeps its column where the line leaves room."""
    if not comment:
        return line
    width = columns(line)
    return f"{line}{' ' * (max(width + 2, columns(raw[: raw.rindex(comment)])) - width)}{comment}"


def _depth_below(source: Source, number: int, shown: dict[int, _Shown]) -> int:
    """A comment of its own belongs to the next line that says something."""
    following = (n for n in range(number + 1, len(source.lines) + 1) if n in shown)
    after = next(following, None)
    return 0 if after is None else shown[after].depth
