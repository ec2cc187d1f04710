"""A program that answers texts by its meaning: its sections, and what it says.

What stands in the flat program is all that it knows, but for the interface, by which texts become
tokens and answers words.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from progtf.notation import flat as f
from progtf.notation.spell import UNFINISHED
from progtf.program.answering import Answering, Input, tried
from progtf.program.answers import Answer, Readout, Speaker
from progtf.program.interface import Interface
from progtf.program.model import BOS, EOS
from progtf.program.outcome import Outcome, Proof
from progtf.program.spelling import Token
from progtf.program.tokens import InputError, Reader
from progtf.reference.layers import Maker, Stack, Stream, added
from progtf.reference.sums import (
    FLAG,
    HALF,
    HAND,
    Broken,
    Log,
    Map,
    Names,
    Number,
    Sum,
    Values,
    Vector,
    common_step,
    fields_of,
    hand,
    hands,
    number,
)

_BY_MEANING = Proof.of(Outcome("by meaning", "fractions"))


class RefusedError(ValueError):
    """What this does not compute, though a network does."""


# ------------------------------------------------------------------ `model:`


@dataclass(frozen=True)
class Sections:
    """The sections of a flat program; the file that is run says what ``model:`` is."""

    flat: f.Flat

    def blocks(self, *keywords: str) -> list[f.Block]:
        """The sections with one of these keywords."""
        blocks = (each for each in self.flat.statements if isinstance(each, f.Block))
        return [each for each in blocks if each.keyword in keywords]

    def children(self, keyword: str) -> list[f.Statement]:
        """What stands in sections of one keyword."""
        return [child for block in self.blocks(keyword) for child in block.children]

    def model(self, key: str, otherwise: Any) -> Any:
        """What ``model:`` says."""
        own = (block.children for block in self.blocks("model") if not block.origin)
        return fields_of(child for children in own for child in children).get(key, otherwise)

    @property
    def lengths(self) -> tuple[int, int]:
        """The longest input and the longest output."""
        values = self.model("length", f.Numbers((64,))).values
        return int(values[0]), int(values[-1])

    @property
    def longest(self) -> int:
        """The longest text; a decoder alone writes on behind its input."""
        return sum(self.lengths) if self.model("kind", "") == "decoder" else max(self.lengths)


def check(flat: f.Flat) -> None:
    """Refuses what only a network computes.

    Raises:
        RefusedError: by name.
    """
    for each in f.walk(flat.statements):
        match each:
            case f.Block(keyword="learn"):
                what = "`learn:`"
            case f.Field(key="norm", value="layer"):
                what = "`norm: layer`"
            case f.Field(key="activation", value="tanh"):
                what = "`activation: tanh`"
            case _ if any(entry.mark for entry in _entries(each)):
                what = "what is trained"
            case _:
                continue
        raise RefusedError(f"{what} is the network's only")


def _entries(statement: f.Statement) -> f.Entries:
    match statement:
        case f.Field(value=tuple() as entries) | f.LexiconEntry(value=entries):
            return entries
        case f.NamedValue(value=entries) | f.SpellingMark(gives=entries):
            return entries
        case _:
            return ()


# ------------------------------------------------------------------ `semes:`, `clocks:`


def names_of(sections: Sections) -> Names:
    """What names mean: semes, distances, clocks, aliases and named values."""
    statements = f.walk(sections.flat.statements)
    fields = [each for each in statements if isinstance(each, f.Field)]
    keys = {each.key for each in fields}
    said = next((each.value for each in fields if each.key == "clocks"), None)
    positions = keys & {"at", "querypos", "keypos", "distance"}
    clocks: tuple[Number, ...] = ()
    if isinstance(said, f.Numbers):
        clocks = tuple(map(number, said.values))
    elif positions or any(isinstance(each, f.Phrase) for each in statements):
        clocks = tuple(_ladder(sections.longest))
    ramp = 1 << (6 * sections.longest - 1).bit_length() if "nearest" in keys else 0
    ranges: dict[str, Values] = {}
    distances: dict[str, tuple[tuple[Number, str, str], ...]] = {}
    for each in sections.flat.statements:
        match each:
            case f.Seme():
                ranges[each.name] = Values(number(each.low), number(each.high), number(each.step))
            case f.Distance(name=name):
                distances[name] = tuple((p, *(f"{name}.{h}" for h in hands(p))) for p in clocks)  # type: ignore[misc]
                ranges |= dict.fromkeys((h for _, *two in distances[name] for h in two), HAND)
            case _:
                pass
    groups: dict[str, list[str]] = {}
    for name in ranges:
        stem, dot, _ = name.partition(".")
        if dot and "[" not in stem and stem not in ranges and stem not in distances:
            groups.setdefault(stem, []).append(name)
    for period in {*clocks, *([ramp] if ramp else [])}:
        ranges |= dict.fromkeys(hands(period), HAND)
    return Names(
        ranges, distances, frozenset(_both_sides(statements)),
        {stem: tuple(members) for stem, members in groups.items()},
        {each.name: each.value for each in statements if isinstance(each, f.Alias)},
        {each.name: each.value for each in statements if isinstance(each, f.NamedValue)},
        clocks, ramp, sections.longest,
    )  # fmt: skip


def _ladder(length: int) -> Iterator[int]:
    """Periods 8, 64, 512 ..., as far as the length needs them."""
    period = 8
    yield period
    while period < 2 * length:
        period *= 8
        yield period


def _both_sides(statements: Iterable[f.Statement]) -> Iterator[str]:
    for each in statements:
        if isinstance(each, f.Block) and each.keyword == "head":
            fields = fields_of(each.children)
            if "distance" in fields and fields.get("look") not in ("before", "upto", "after"):
                yield fields["distance"]


def widened(names: Names, vectors: Iterable[Vector]) -> Names:
    """A flag to which a token gives another number is no flag: it is what tokens give it."""
    given: dict[str, set[Number]] = {}
    for vector in vectors:
        for name, value in vector.items():
            if value not in (0, 1) and names.ranges[name] == FLAG:
                given.setdefault(name, {0, 1}).add(value)
    wider = {n: Values(min(v), max(v), common_step(map(abs, v - {0}))) for n, v in given.items()}
    return replace(names, ranges={**names.ranges, **wider})


# ------------------------------------------------------------------ `lexicon:`


@dataclass(frozen=True)
class Lexicon:
    """A vector for each token, by each file that says something of tokens.

    ``files``: token -> vector, of each; that of all other tokens under None.
    """

    files: tuple[Mapping[str | None, Vector], ...]

    @staticmethod
    def of_sections(sections: Sections, names: Names) -> "Lexicon":
        """The entries of each file; several of one token give all that they give."""
        files: dict[str, dict[str | None, Vector]] = {}
        for block in sections.blocks("lexicon"):
            entries = files.setdefault(block.origin, {})
            for each in block.children:
                if isinstance(each, f.LexiconEntry):
                    given = names.vector(each.value)
                    entries[each.token] = {**entries.get(each.token, {}), **given}
        return Lexicon(tuple(files.values()))

    def of(self, token: str) -> Vector:
        """What files say of a token, or else of unknown ones, added up.

        Of `<bos>` and `<eos>` a file that does not name them says nothing, where another one does.
        """
        ends = token in (BOS, EOS) and any(token in file for file in self.files)
        otherwise = token if ends else None
        given = (file.get(token, file.get(otherwise, {})) for file in self.files)
        return added({}, given)

    @property
    def tokens(self) -> list[str]:
        """Those with a line of their own, in order."""
        every = (token for file in self.files for token in file)
        return [*dict.fromkeys(token for token in every if token is not None)]

    @property
    def own(self) -> dict[str, str]:
        """For each token a seme that no other token has, and that is 1 there."""
        owners: dict[str, list[str]] = {}
        for token in self.tokens:
            for name, value in self.of(token).items():
                if value:
                    owners.setdefault(name, []).append(token)
        alone = {name: tokens[0] for name, tokens in owners.items() if len(tokens) == 1}
        return {token: name for name, token in alone.items() if self.of(token)[name] == 1}


# ------------------------------------------------------------------ `cell:`


@dataclass(frozen=True)
class Cell:
    """``cell:``: state = activation(x·input + state·recurrent + bias)."""

    inward: Map | None
    bias: Vector
    recurrent: Map
    activation: str

    def states(self, stream: Stream) -> Stream:
        """The state after each token; the first one is 0."""
        found: Stream = []
        state: Vector = {}
        for vector in stream:
            given = self.inward.of(vector) if self.inward else vector
            whole = added(given, (self.bias, self.recurrent.of(state)))
            state = {name: self._activated(value) for name, value in whole.items()}
            found.append(state)
        return found

    def _activated(self, value: Number) -> Number:
        match self.activation:
            case "relu":
                return max(value, 0)
            case "clip":
                return min(max(value, -1), 1)
            case _:
                return value


def cell_of(sections: Sections, names: Names) -> Cell | None:
    """The cell of a recurrent network."""
    if not sections.blocks("cell"):
        return None
    fields = fields_of(sections.children("cell"))
    inward = names.map(fields["input"]) if "input" in fields else None
    bias, recurrent = names.vector(fields.get("bias", ())), names.map(fields.get("recurrent", ()))
    return Cell(inward, bias, recurrent, fields.get("activation", "relu"))


# ------------------------------------------------------------------ `output:`, `classify:`


def outputs_of(sections: Sections, names: Names, lexicon: Lexicon) -> dict[str, Sum]:
    """The score of each token; several lines of one token add up."""
    entries = [e for e in sections.children("output") if isinstance(e, f.OutputEntry)]
    if not entries and sections.model("kind", "encoder") in ("seq2seq", "decoder"):
        tokens = (token for token in lexicon.tokens if token != BOS)
        return {token: Sum(tuple(lexicon.of(token).items())) for token in tokens}
    in_cells = {entry.token for entry in entries if not isinstance(entry.score, f.Truth)}
    sums: dict[str, list[f.Term]] = {}
    cells: dict[str, list[frozenset[str]]] = {}
    for entry in entries:
        if entry.token in in_cells:
            cells.setdefault(entry.token, []).extend(_cells(entry.score, names))
        elif isinstance(entry.score, f.Truth):
            sums.setdefault(entry.token, []).extend(entry.score.form)
    found = {token: names.sum(terms) for token, terms in sums.items()}
    return found | {token: _spelled(each) for token, each in cells.items()}


def _cells(condition: f.Condition, names: Names) -> Iterator[frozenset[str]]:
    """The sets of flags of which one must be up as a whole."""
    match condition:
        case f.AnyOf(parts=parts):
            for part in parts:
                yield from _cells(part, names)
        case f.AllOf(parts=parts):
            for chosen in product(*(tuple(_cells(part, names)) for part in parts)):
                yield frozenset[str]().union(*chosen)
        case f.Truth(form=form):
            yield from (frozenset((name,)) for name, _ in names.sum(form).terms)
        case _:
            raise AssertionError(condition)


def _spelled(cells: Sequence[frozenset[str]]) -> Sum:
    """A complete cell scores 1, half a cell 1/2; a flag of several cells counts once."""
    weights: dict[str, Number] = {}
    for cell in cells:
        for name in cell:
            weights[name] = max(weights.get(name, 0), Fraction(1) / len(cell))
    return Sum(tuple(weights.items()))


def classes_of(sections: Sections, names: Names) -> tuple[str, dict[str, Sum]] | None:
    """How a text is pooled, and the score of each class, or the one score."""
    keyword = next((each for each in ("classify", "score") if sections.blocks(each)), None)
    if keyword is None:
        return None
    entries = [e for e in sections.children(keyword) if isinstance(e, f.ClassEntry)]
    found: dict[str, Sum] = {}
    for entry in sorted(entries, key=lambda entry: entry.when is None):  # `otherwise` is the last
        if entry.when is None:
            found[entry.label] = Sum((), HALF)
        elif isinstance(entry.when, f.Truth):
            found[entry.label] = names.sum(entry.when.form)
    return str(fields_of(sections.children(keyword)).get("pool", "max")), found


def pooled(stream: Stream, how: str) -> Vector:
    """One vector for a text."""
    if how in ("first", "last"):
        return stream[0] if how == "first" else stream[-1]
    every = {name for vector in stream for name in vector}
    columns = {name: [vector.get(name, 0) for vector in stream] for name in every}
    if how == "max":
        return {name: max(column) for name, column in columns.items()}
    share = Fraction(1) / len(stream) if how == "mean" else 1
    return {name: sum(column) * share for name, column in columns.items()}


# ------------------------------------------------------------------ answers


@dataclass(frozen=True)
class Said:
    """What becomes of a text: its answer, or why there is none, and the promises it breaks."""

    answer: Answer | InputError
    promises: tuple[Broken, ...]


class Reference(Answering):
    """A program that answers texts in fractions.

    Args:
        flat: the program.
        interface: of the same program: texts to tokens, answers to words.

    Raises:
        RefusedError: for what only a network computes.
    """

    def __init__(self, flat: f.Flat, interface: Interface) -> None:
        check(flat)
        self.reader, self.speaker = Reader.of(interface), Speaker(interface)
        sections = Sections(flat)
        declared = names_of(sections)
        self._lexicon = lexicon = Lexicon.of_sections(sections, declared)
        names = widened(declared, (v for file in lexicon.files for v in file.values()))
        self._clocks = (*names.clocks, *([names.ramp] if names.ramp else []))
        kept = (n for n in names.ranges if n.startswith(("cos[", "sin[")) or n.endswith(UNFINISHED))
        self._kept = frozenset(kept)
        marks = (m for m in sections.children("spelling") if isinstance(m, f.SpellingMark))
        self._marks = [names.vector(mark.gives) for mark in marks]
        self._kind, self._length = sections.model("kind", "encoder"), sections.lengths[1]
        self._rounded = sections.model("norm", "none") == "round"
        self._cell, self._classes = cell_of(sections, names), classes_of(sections, names)
        outputs = outputs_of(sections, names, lexicon)
        self._outputs = [outputs[token] for token in interface.outputs]
        auto = sections.model("layers", "explicit") == "auto"
        maker = Maker(names, sections.model("tokens", "words"), lexicon.own, auto)
        self._encoder, self._decoder = (maker.stack(blocks) for blocks in _stacks(sections))

    def ask(self, text: str) -> Said:
        """What becomes of a text."""
        given, log = tried(self._read, text), Log()
        if isinstance(given, InputError):
            return Said(given, ())
        readout = self._readout(given, log)
        return Said(tried(self.speaker.answer, readout, _BY_MEANING), _once(log))

    def answer(self, text: str) -> Answer:
        """The answer to a text.

        Raises:
            InputError: why there is none.
        """
        (found,) = self.answers([text])
        return found

    @property
    def proof(self) -> Proof:
        """Its answers are what others are held against."""
        return _BY_MEANING

    def readouts(self, inputs: list[Input]) -> Iterator[Readout]:
        """What is computed for some inputs, in their order."""
        for given in inputs:
            log = Log()
            readout = self._readout(given, log)
            yield replace(readout, broken=tuple(each.told for each in _once(log)))

    # -------------------------------------------------------------- what goes in

    def _readout(self, given: Sequence[Any], log: Log) -> Readout:
        if self.speaker.interface.takes_vectors:
            tokens = ("",) * len(given)
            stream = [{name: number(x) for name, x in vector.items()} for vector in given]
        else:
            tokens, stream = tuple(given), self._embedded(given)
        if self._kind == "decoder":
            return self._written(tokens, [*given], [], log)
        if self._cell is not None:
            stream = self._cell.states(stream)
        stream = self._stack(log).run(stream)
        loop = self._unfinished(stream)
        if self._kind == "seq2seq":
            written = self._written(tokens, [BOS], stream, log)
            return replace(written, unfinished=loop or written.unfinished)
        names = self.speaker.interface.names
        shown = np.array([[_float(v.get(name, 0)) for name in names] for v in stream])
        scores = self._scores(tokens, stream, log)
        return Readout(tokens, shown, scores=scores, unfinished=loop)

    def _embedded(self, tokens: Sequence[str], first: int = 0) -> Stream:
        """What tokens from a place on have by lexicon and spelling, and the hands of all clocks."""
        found: Stream = []
        for place, token in enumerate(tokens[first:], first):
            marks = zip(token.marks if isinstance(token, Token) else (), self._marks, strict=False)
            given = [{name: count * x for name, x in mark.items()} for count, mark in marks]
            clocks = [zip(hands(p), hand(p, place), strict=True) for p in self._clocks]
            found.append(added({}, (self._lexicon.of(token), *given, *map(dict, clocks))))
        return found

    def _stack(self, log: Log, memory: Stream | None = None) -> Stack:
        """The encoder; with what it has found the decoder."""
        runs = self._encoder if memory is None else self._decoder
        return Stack(runs, self._kept, self._rounded, memory is not None, log, memory or [])

    def _unfinished(self, stream: Stream) -> Any:
        """The first loop that should have come to its end, and has not."""
        ends = ((loop, f"{loop.name}{UNFINISHED}") for loop in self.speaker.interface.loops)
        return next((loop for loop, end in ends if any(v.get(end, 0) for v in stream)), None)

    # -------------------------------------------------------------- what comes out

    def _written(
        self, tokens: tuple[str, ...], read: list[str], memory: Stream, log: Log
    ) -> Readout:
        """Token by token the one with the greatest score, until the end or while there is room."""
        stack, written, gap, first = self._stack(log, memory), list[str](), float("inf"), 0
        stream: Stream = []
        while len(written) <= self._length and EOS not in written:
            text = [*read, *written]
            stream = stack.run(self._embedded(text, first), first)
            first, log.position = 0 if stack.again else len(text), len(text) - 1
            scores = [form.of(stream[-1]) for form in self._outputs]
            best, second = _two_best(scores, log)
            gap = min(gap, _float(scores[best] - second))
            written.append(self.speaker.interface.outputs[best])
        unfinished = self._unfinished(stream) if stack.again else None
        said = tuple(written[: self._length + (written[-1] == EOS)])
        return Readout(tokens, written=said, gap=gap, unfinished=unfinished)

    def _scores(self, tokens: Sequence[str], stream: Stream, log: Log) -> Any:
        """Of classes, or of all outputs at each token; the greatest is the greatest fraction."""
        if self._classes is not None:
            how, classes = self._classes
            log.position = 0  # of the whole text
            return _row(classes.values(), pooled(stream, how), log)
        rows: list[Any] = []
        for log.position, (token, vector) in enumerate(zip(tokens, stream, strict=True)):
            rows.append(_row(self._outputs, vector, Log() if token in (BOS, EOS) else log))
        return np.array(rows) if self._outputs else None


def _once(log: Log) -> tuple[Broken, ...]:
    """Each promise once: a decoder may break one again and again."""
    return tuple(dict.fromkeys(log))


def _stacks(sections: Sections) -> Iterator[list[f.Block]]:
    """The layers of encoder and decoder; those outside of both belong to the only or first one."""
    above = sections.blocks("layer", "dense")
    for stack in ("encoder", "decoder"):
        first = (stack == "decoder") == (sections.model("kind", "encoder") == "decoder")
        inside = [each for each in sections.children(stack) if isinstance(each, f.Block)]
        yield [*above, *inside] if first else inside


def _two_best(scores: Sequence[Number], log: Log) -> tuple[int, Number]:
    """The first of the best, and the second-best score."""
    best = max(range(len(scores)), key=scores.__getitem__)
    second = max((*scores[:best], *scores[best + 1 :]), default=scores[best] - 1)
    if second == scores[best]:
        log.note("tie", "", second)
    return best, second


def _row(forms: Collection[Sum], vector: Vector, log: Log) -> Any:
    """Scores as floats, of which the best is the best one of the fractions."""
    if not forms:
        return []
    scores = [form.of(vector) for form in forms]
    best, found = _two_best(scores, log)[0], np.array([*map(_float, scores)])
    if int(found.argmax()) != best:
        found[best] = np.nextafter(found.max(), np.inf)
    return found


def _float(value: Number) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else -float("inf")
