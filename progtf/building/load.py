"""Text to program: the passes in order, and the examples that a program cannot read."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent

from progtf.building.asked import kinds_of
from progtf.building.build import build
from progtf.building.edits import PLAIN, Steps
from progtf.building.problems.order import unread_example, unread_expected
from progtf.collector import collector_paused
from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Diagnostic, Message, Source, Span, errors
from progtf.notation.examples import Example
from progtf.notation.expand import expand
from progtf.notation.files import gather, read_text
from progtf.notation.parse_errors import doubtful_sections
from progtf.notation.parser import parse_all
from progtf.notation.render import SemeError
from progtf.notation.terms import MOST_TERMS
from progtf.program.expected import check_expected
from progtf.program.interface import interface_of
from progtf.program.model import Program
from progtf.program.tokens import InputError, Reader
from progtf.program.vectors import read_vectors

MOST_TRAINED = 1_000_000  # terms, where a run has lines of its own: each is a weight


def analyse(
    text: str,
    name: str,
    folder: Path | None,
    learn: str = "",
    lexicon: str = "",
    kept: Steps = PLAIN,
) -> tuple[Program | None, tuple[Diagnostic, ...]]:
    """The program of a text, or None, with everything that is wrong or doubtful in it.

    Args:
        text: the program.
        name: what messages call it.
        folder: where files that it uses are looked up; None: library files only.
        learn: the lines of a ``learn:`` block in place of the text's own.
        lexicon: lines of a ``lexicon:`` block, in place of what the program says of these tokens.
        kept: how lines, statements and parts are read; that of an edited text (``Edits``) reads
            what has not changed no second time.
    """
    source = kept.source(name, text)
    try:
        with collector_paused():
            return _analyse(source, folder, learn, lexicon, kept)
    except RecursionError:
        return None, (messages.too_deep(Span(source, 1, 0, 0)),)


def flat_program(text: str, name: str, folder: Path | None) -> f.Flat:
    """What a text without mistakes says, files that it uses included, with every name whole.

    Args:
        text: the program.
        name: what it is called.
        folder: where files that it uses are looked up; None: library files only.
    """
    file, _ = parse_all(Source(name, text))
    files, _ = gather(file, folder)
    return _values_alone(expand(file, files)[0])


def _analyse(
    source: Source, folder: Path | None, learn: str, lexicon: str, kept: Steps
) -> tuple[Program | None, tuple[Diagnostic, ...]]:
    file, unreadable = parse_all(source, kept.line)
    if learn:
        other, wrong = _block("learn", learn)
        file, unreadable = _with_learn(file, other), (*unreadable, *wrong)
    if lexicon:
        other, wrong = _block("lexicon", lexicon)
        file = replace(file, statements=(*file.statements, *other.statements))
        unreadable = *unreadable, *wrong
    files, unusable = gather(file, folder)
    flat, unexpanded = expand(file, files, MOST_TRAINED if lexicon else MOST_TERMS, kept.statement)
    flat = _replaced(flat, "lexicon") if lexicon else _values_alone(flat)
    found = (*unreadable, *unusable, *unexpanded)
    whole = not errors(found)
    suspected = doubtful_sections(file, read=not errors(unreadable))
    if not whole and (errors(unusable) or not flat.complete):
        return None, (*suspected, *found)
    program, wrong = build(flat, source.name, whole=whole, parts=kept.parts)
    found = (*found, *wrong)
    if program is not None:
        program = replace(program, sought=files.sought, answers=kinds_of(file, files))
    return program if whole else None, (*suspected, *found) if errors(found) else found


def _values_alone(flat: f.Flat) -> f.Flat:
    """A text of nothing but named vectors and matrices: their semes, and no layer between.

    Vectors come out as they went in, so that each can be looked at.
    """
    values = [each for each in flat.statements if isinstance(each, f.NamedValue)]
    entries = [entry for value in values for entry in value.value]
    listed = all(entry.kind in ("vector", "map") for entry in entries)
    if not entries or not listed or len(values) < len(flat.statements):
        return flat
    terms = {term.name: term.span for entry in entries for term in entry.terms if term.name}
    for value in values:
        terms.pop(value.name, None)
    semes = (f.Seme(name, 0.0, 1.0, 1.0, span) for name, span in terms.items())
    kind = f.Block("model", "", (f.Field("kind", "dense", flat.span),), flat.span)
    return replace(flat, statements=(kind, *semes, *values))


def _block(keyword: str, lines: str) -> tuple[s.File, tuple[Diagnostic, ...]]:
    """The block of some lines, which messages call by its keyword; or blocks, as they are."""
    text = dedent(lines)
    if not re.search(f"^{keyword} from", text, re.MULTILINE):
        text = f"{keyword}:\n" + indent(text, "  ")
    return parse_all(Source(keyword, text))


def _replaced(flat: f.Flat, name: str) -> f.Flat:
    """A program in which the entries of the lines called so stand where those of its own stood."""
    entries = [each for each in f.walk(flat.statements) if isinstance(each, f.LexiconEntry)]
    new = (each for each in entries if each.span.source.name == name)
    mine = {each.token: each for each in new if each.value}  # of some rows nothing is said
    own = {each.token for each in entries if each.span.source.name != name}

    def settled(part: f.Statement) -> Iterator[f.Statement]:
        if not isinstance(part, f.LexiconEntry):
            yield part
        elif part.span.source.name != name:
            yield mine.get(part.token, part)
        elif part.token not in own:
            yield part

    def block(part: f.Statement) -> f.Statement:
        if not (isinstance(part, f.Block) and part.keyword == "lexicon"):
            return part
        return replace(part, children=tuple(n for each in part.children for n in settled(each)))

    return replace(flat, statements=tuple(map(block, flat.statements)))


def _with_learn(file: s.File, other: s.File) -> s.File:
    kept = (
        part
        for part in file.statements
        if not (isinstance(part, s.Block) and part.keyword == "learn")
    )
    return replace(file, statements=(*kept, *other.statements))


def parse_program(
    text: str, name: str = "<text>", folder: Path | None = None, learn: str = "", lexicon: str = ""
) -> Program:
    """The program of a text; ``learn``, ``lexicon``: lines in place of its own, as in ``analyse``.

    Raises:
        SemeError: with all errors of the text.
    """
    program, found = analyse(text, name, folder, learn, lexicon)
    if program is None:
        raise SemeError(errors(found))
    return program


def load(path: str | Path, learn: str = "", lexicon: str = "") -> Program:
    """The program in a ``.seme`` file; ``learn``, ``lexicon``: as in ``parse_program``.

    Raises:
        SemeError: with all errors of the file.
        OSError: if it cannot be read.
    """
    path = Path(path)
    return parse_program(read_text(path), str(path), path.parent, learn, lexicon)


def unread_examples(program: Program) -> Iterator[Diagnostic]:
    """A mistake for every example with an input that the program does not take, and for every one
    that expects what no answer can be.
    """
    interface = interface_of(program)
    reader = Reader.of(interface)
    for example in program.examples:
        try:
            if interface.takes_vectors:
                read_vectors(example.input, interface.names[: interface.semes], interface.vectors)
            else:
                reader.read(example.input)
        except InputError as error:
            yield _told(unread_example, example, error, 0)
        try:
            check_expected(example.output, interface)
        except InputError as error:
            yield _told(unread_expected, example, error, 1)


def _told(message: Message, example: Example, error: InputError, side: int) -> Diagnostic:
    """What is wrong with the input (side 0) or the answer (1) of an example, where it is wrong."""
    said, hint = str(error), ""
    if "; did you mean" in said:
        said, _, hint = said.rpartition("; ")
    return message(_part(example, error.about, side), said, hint=hint)


def _part(example: Example, text: str, side: int) -> Span:
    """Where a text first stands by itself on one side of an example; else all of the example."""
    span = example.span
    line = span.source.lines[span.line - 1]
    start, end = span.start, span.end
    cut = line.find(example.raw[1], start + len(example.raw[0]))
    start, end = (start, cut) if side == 0 else (cut, end)
    alone = re.compile(rf"(?<![\w.]){re.escape(text)}(?![\w.\[])")
    found = alone.search(line, start, end) if text and cut >= 0 else None
    return span if found is None else replace(span, start=found.start(), end=found.end())
