"""What an editor shows beside a text: mistakes, what they could be mended to, names, keywords."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from progtf.building.edits import PLAIN, Steps
from progtf.building.load import analyse, unread_examples
from progtf.building.problems.order import not_here
from progtf.notation import flat as f
from progtf.notation import spell
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.notation.expand import expand
from progtf.notation.files import gather
from progtf.notation.mending import declaration, meant, undeclared
from progtf.notation.outline import meaning
from progtf.notation.parser import parse_all
from progtf.notation.render import render
from progtf.program.model import Program
from progtf.views.program import describe

Data = dict[str, Any]
MOST_NAMES = 2000
MOST_PROBLEMS = 50
SAID = ("severity", "code", "headline", "label", "help")


def examine(
    text: str,
    name: str,
    folder: Path | None,
    inputs: Iterable[str] = (),
    kept: Steps = PLAIN,
) -> Data:
    """Everything that an editor and its pictures need of a text, ready for JSON.

    Args:
        text: the program as it stands, right or wrong.
        name: what messages call it.
        folder: where files that it uses are looked up; None: library files only.
        inputs: texts whose words are wanted even from a very large lexicon.
        kept: as of ``analyse``.

    Returns:
        ``program`` (see ``describe``; None while the text has errors), ``problems`` with lines from
        1 and columns in UTF-16 units, and ``names`` with what each one is and where it is declared.
    """
    program, found = analyse(text, name, folder, kept=kept)
    if program is not None:
        found = (*found, *unread_examples(program))
    if program is not None and program.again:
        found = (*found, _one_step(program.places["again:"]))
        program = None
    return {
        "program": None if program is None else describe(program, tuple(inputs)),
        "problems": [problem(d, name) for d in found[:MOST_PROBLEMS]],
        "names": list(names(text, name, folder, kept) if program is None else declared(program)),
    }


def _one_step(span: Span) -> Diagnostic:
    """A page computes one step, which is no answer of a program that asks again."""
    why = "a page shows one step, and this program's answers take several"
    return not_here(span, "`again:`", why, hint="`progtf run --steps` shows every step")


def problem(diagnostic: Diagnostic, name: str) -> Data:
    """One diagnostic as an editor marks it; what lies in another file is marked on line 1."""
    span = diagnostic.span
    own = span.source.name == name
    return {
        **{key: getattr(diagnostic, key) for key in SAID},
        "line": span.line if own else 1,
        **(_columns(span) if own else {"start": 0, "end": 0}),
        "mend": meant(diagnostic) if own else None,
        "declare": _declaration(diagnostic) if own else None,
        "text": render(diagnostic),
    }


def _declaration(diagnostic: Diagnostic) -> Data | None:
    """What would declare the name that is not declared: where, and the text to put there."""
    name = undeclared(diagnostic)
    if name is None:
        return None
    put = declaration(diagnostic.span.source, name)
    return {"name": name, "line": put.span.line, **_columns(put.span), "insert": put.text}


def _columns(span: Span) -> Data:
    """Where a span begins and ends in its line as it stands in the browser, in UTF-16 units."""
    source = span.source
    line = source.lines[span.line - 1] if span.line <= len(source.lines) else ""
    line = source.apart.get(span.line, line)
    ends = {"start": span.start, "end": span.end}
    return {name: _units(line[: source.written(span.line, at)]) for name, at in ends.items()}


def declared(program: Program) -> Iterator[Data]:
    """The semes of a program that is right."""
    for seme in program.space.names[: program.semes][:MOST_NAMES]:
        values, place = program.space.ranges[seme], program.places.get(seme)
        means = "" if place is None else meaning(place)
        line = 1 if place is None else place.line
        yield {**_seme(seme, values.low, values.high, values.grain, line), "meaning": means}


def names(text: str, name: str, folder: Path | None, kept: Steps = PLAIN) -> Iterator[Data]:
    """The names that a text declares, also where something else in it is wrong."""
    source = kept.source(name, text)
    file, _ = parse_all(source, kept.line)
    files, _ = gather(file, folder)
    expanded, _ = expand(file, files, step=kept.statement)
    for item in expanded.statements[:MOST_NAMES]:
        match item:
            case f.Seme(name=named, low=low, high=high, step=step, span=span):
                yield {**_seme(named, low, high, step, span.line), "meaning": meaning(span)}
            case f.Distance(name=named, span=span):
                yield _name(named, "seme", "distance, by clocks", span.line)
            case f.NamedValue(name=named, span=span):
                yield _name(named, "value", "named value", span.line)
            case _:
                pass


def _seme(name: str, low: float, high: float, step: float, line: int) -> Data:
    flag = (low, high, step) == (0, 1, 1)
    values = "a flag" if flag else f"{spell.number(low)}..{spell.number(high)}"
    return _name(name, "seme", f"seme: {values}", line)


def _name(name: str, kind: str, about: str, line: int) -> Data:
    return {"name": name, "kind": kind, "about": about, "line": line}


def _units(text: str) -> int:
    """How long a text is for a browser, which counts UTF-16 units."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2
