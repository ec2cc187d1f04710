"""What stands before the layers."""

from collections.abc import Iterator
from fractions import Fraction

from progtf.notation import spell
from progtf.program.forms import FLAG, Values
from progtf.program.interface import Dimension
from progtf.program.model import Loop
from progtf.program.spelling import Spelling
from progtf.weights.decompile.shown import (
    WIDTH,
    Found,
    marks_of,
    shortened,
    shown_entry,
    with_marks,
)
from progtf.weights.maps import CONSTANT
from progtf.weights.weights import Weights


def model_lines(weights: Weights) -> Iterator[str]:
    """The section ``model:``."""
    layout = weights.layout
    yield "model:"
    yield f"  kind: {layout.kind}"
    yield f"  tokens: {layout.tokens}"
    if layout.join:
        yield f"  join: {spell.quoted(layout.join)}"
    yield f"  length: {layout.lengths[0]} -> {layout.lengths[1]}"
    if layout.again:
        yield f"  again: up to {layout.again}"
    if layout.ask:
        yield f"  ask: {spell.quoted(layout.ask)}"
    yield f"  binding: {layout.binding}"
    yield f"  norm: {layout.norm}"
    if layout.width > len(layout.space):
        yield f"  width: {layout.width}"


def declarations(weights: Weights, found: Found, loop: Loop | None = None) -> list[str]:
    """Every seme with its range, widened where rounding or training left it.

    ``loop``: those of its rounds, and without one those of none.
    """
    given: dict[str, set[float]] = {}
    for (_, seme), value in shortened(found[("lexicon",), "vector"], weights).items():
        given.setdefault(seme, set()).add(value)
    layout = weights.layout
    inside = {name for loop in layout.all_loops() for name in (*loop.resets, loop.unfinished)}
    semes = [seme for seme in layout.space[: layout.semes] if seme.name not in inside]
    if loop is not None:
        semes = [seme for seme in layout.space if seme.name in loop.resets]
    return [_declared(seme, given.get(seme.name, set())) for seme in semes]


def _declared(seme: Dimension, given: set[float]) -> str:
    values = Values(seme.low, seme.high, seme.grain)
    if values == FLAG:
        return seme.name
    if not all(map(values.holds, given)):
        values = Values(min(seme.low, *given), max(seme.high, *given), 0.0)
    step = "" if values.grain == 1 else f" step {_number(values.grain)}"
    return f"{seme.name}: {_number(values.low)}..{_number(values.high)}{step}"


def _number(value: float) -> str:
    """A number of a range; one with very many digits as the fraction that it was, if there is one.

    A step of ``1/264`` is not what all digits of its float64 say.
    """
    text, part = spell.number(value), Fraction(value).limit_denominator(_FINEST)
    if len(text) <= _LONG or float(part) != value:
        return text
    return f"{part.numerator}/{part.denominator}"


_LONG, _FINEST = 12, 1 << 24


def wrapped(words: list[str], indent: str) -> Iterator[str]:
    """Words side by side, as many as fit; a declaration with a range stands alone."""
    line = ""
    for word in words:
        if line and (":" in word or ":" in line or len(indent + line + word) >= WIDTH):
            yield indent + line
            line = ""
        line = f"{line} {word}".strip()
    if line:
        yield indent + line


def spelling_lines(weights: Weights, found: Found) -> Iterator[str]:
    """The section ``spelling:``, if there is one."""
    spelling = weights.layout.spelling
    if spelling == Spelling():
        return
    yield from ("", "spelling:")
    lists = {
        "fold": spelling.fold,
        "keep": tuple(map(spell.quoted, spelling.keep)),
        "separate": _parted(spelling, "separate", spelling.separate),
        "drop": _parted(spelling, "drop", spelling.drop),
        "stops": tuple(map(spell.quoted, spelling.stops)),
        "thousands": ("lists",) * spelling.lists
        + (spell.quoted(spelling.thousands),) * bool(spelling.thousands),
    }
    yield from (f"  {key}: {' '.join(said)}" for key, said in lists.items() if any(said))
    for close in spelling.close:
        yield f"  close: {spell.close(close.mark, close.after)}"
    for said in spelling.read:
        yield f"  read {spell.read_as(said.text, said.meant, said.where)}"
    if spelling.leaving:
        yield f"  trim: punctuation leaving {spelling.leaving}"
    if spelling.case != "as written":
        yield f"  case: {spelling.case}"
    if spelling.join:
        yield "  join: phrases"
    given = shortened(found.get((("spelling",), "vector"), {}), weights)
    for mark in spelling.marks:
        label = str(mark)
        vector = spell.vector((seme, v) for (source, seme), v in given.items() if source == label)
        yield f"  {label} > {vector}"


def _parted(spelling: Spelling, how: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    kinds = (kind for kind in ("quotes", "dashes") if getattr(spelling, kind) == how)
    return (*kinds, *map(spell.quoted, texts))


def lexicon_lines(weights: Weights, found: Found) -> Iterator[str]:
    """The section ``lexicon:``."""
    rows: dict[str, dict[str, str]] = {}
    choices: dict[str, list[str]] = {}
    entries = found[("lexicon",), "vector"]
    marks = marks_of(entries)
    for (token, seme), value in shortened(entries, weights).items():
        mark = marks.get((token, seme), "")
        if mark == "one of":
            choices.setdefault(token, []).append(seme)
        else:
            rows.setdefault(token, {})[seme] = shown_entry(value, CONSTANT, seme, mark)
    tokens = [spell.token(token) for token in weights.layout.lexicon]
    tokens += ["unknown"] * weights.layout.unknown
    if tokens:
        yield "lexicon:"
        absent = {seme: f"+0{seme}" for seme in _never_written(weights, found)}
        last = absent | rows.get(tokens[-1], {})
        rows[tokens[-1]] = {seme: last[seme] for seme in weights.layout.columns if seme in last}
    for token in tokens:
        choice = [f"one of {' '.join(choices[token])}"] if token in choices else []
        terms = [*rows.get(token, {}).values(), *choice] or ["0"]
        marked = choice or set("~?") & set("".join(terms))
        yield f"  {token}: {(', ' if marked else ' ').join(terms)}"


def chosen_lines(weights: Weights) -> list[str]:
    """The lexicon lines of the tokens that choose (`one of`), with what they have chosen."""
    found = {key: with_marks(each) for key, each in weights.maps.items()}
    marked = weights.maps[("lexicon",), "vector"].marked.items()
    tokens = {token for (token, _), mark in marked if mark == "one of"}
    names = [spell.token(token) for token in weights.layout.lexicon] + ["unknown"]
    lines = [line.strip() for line in lexicon_lines(weights, found)][1:]
    return [line for name, line in zip(names, lines, strict=False) if name in tokens]


def _never_written(weights: Weights, found: Found) -> list[str]:
    """Semes that some part may read but none writes: a program must say that they are 0."""
    addresses = ("query", "key", "role")
    tables = (entries for (_, field), entries in found.items() if field not in addresses)
    written = {target for entries in tables for _, target in entries}
    written |= {loop.unfinished for loop in weights.layout.all_loops()}
    semes = weights.layout.space[: weights.layout.semes]
    return [seme.name for seme in semes if seme.name not in written and seme.low <= 0]
