"""Rules, layers and loops: what becomes of the vectors of a text, layer by layer."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

from progtf.notation import flat as f
from progtf.notation.spell import UNFINISHED
from progtf.program.tokens import InputError, split
from progtf.reference.heads import Head, head_of
from progtf.reference.sums import (
    HALF,
    Log,
    Map,
    Names,
    Vector,
    fields_of,
    is_up,
    number,
    only,
)

MOST_BITS = 4096
Stream = list[Vector]
"""The vectors of a text, one a token."""


def added(vector: Vector, updates: Iterable[Vector]) -> Vector:
    """A vector with all that is added to it.

    Raises:
        InputError: for a number that is too long.
    """
    found = dict(vector)
    for update in updates:
        for name, value in update.items():
            if value:
                new = found[name] = found.get(name, 0) + value
                if max(abs(new.numerator), new.denominator).bit_length() > MOST_BITS:
                    raise InputError(f"no answer: `{name}` has more than {MOST_BITS:,} bits")
    return found


# ------------------------------------------------------------------ feed-forward blocks


@dataclass(frozen=True)
class Line:
    """A line of a layer that reads a token and adds to it.

    Attributes:
        adds: what it adds to a place of a text; None where its condition does not hold.
        reads, writes: semes.
        sets: the seme that becomes what it says, by ``set``; "" if it adds.
        needs: a flag without which it adds nothing, if there is one: so it need not be looked at.
    """

    adds: Callable[[Stream, int, Log], Vector | None]
    reads: frozenset[str]
    writes: frozenset[str]
    sets: str = ""
    needs: str = ""


def rule_of(rule: f.Rule, names: Names) -> Line:
    """``total: val when noun``; a reading and a sequence are such rules already."""
    names = replace(names, reads=set[str]())
    said, value = rule.when, rule.value
    if not rule.sets and (test := names.tests(value)) is not None:
        said, value = test if said is None else f.AllOf((test, said)), None
    vector, when, amount = names.vector(rule.targets), only(said, names), names.amount(value)
    sets = next(iter(vector)) if rule.sets else ""

    def adds(stream: Stream, place: int, log: Log) -> Vector | None:
        here = stream[place]
        if not when(here, log):
            return None
        given = amount(here, log)
        if sets:
            return {sets: given - here.get(sets, 0)}
        return {name: given * factor for name, factor in vector.items()} if given else {}

    needs = names.needed(rule.when if rule.when is not None or sets else rule.value)
    return Line(adds, frozenset(names.reads), frozenset(vector), sets, needs)


def units_of(children: Iterable[f.Statement], names: Names) -> Iterator[Line]:
    """``mat1`` to ``bias2`` of one file, if they are there: relu(x·mat1 + bias1)·mat2 + bias2."""
    fields, names = fields_of(children), replace(names, reads=set[str]())
    inward = names.map(fields.get("mat1", ()) + fields.get("bias1", ()))
    outward = names.map(fields.get("mat2", ()) + fields.get("bias2", ()), hidden=True)

    def adds(stream: Stream, place: int, _log: Log) -> Vector:
        return outward.of({name: max(x, 0) for name, x in inward.of(stream[place]).items()})

    if fields:
        yield Line(adds, frozenset(names.reads), frozenset(outward.sums))


def phrases_of(said: f.Phrase[str], own: dict[str, str], tokens: str) -> Line:
    """``phrase "take away", "minus" > subtracts``: a flag where each token has its own seme.

    A phrase that begins with another one of the line says nothing more.
    """
    spelled = [tuple(split(text, tokens)) for text in dict.fromkeys(said.phrases)]
    begun = [words for words in spelled if any(words[:n] in spelled for n in range(len(words)))]
    phrases = [[own[word] for word in words] for words in spelled if words not in begun]

    def adds(stream: Stream, place: int, _log: Log) -> Vector:
        here = [(semes, stream[place : place + len(semes)]) for semes in phrases]
        whole = [
            [*zip(semes, some, strict=True)] for semes, some in here if len(some) == len(semes)
        ]
        return {said.target: sum(all(v.get(n, 0) > HALF for n, v in each) for each in whole)}

    return Line(adds, frozenset(), frozenset((said.target,)))


# ------------------------------------------------------------------ layers


@dataclass(frozen=True)
class Layer:
    """Heads, then heads on the encoder, then lines side by side."""

    heads: tuple[Head, ...] = ()
    crossing: tuple[Head, ...] = ()
    lines: tuple[Line, ...] = ()
    repeat: int = 1

    @property
    def parts(self) -> tuple[Head | Line, ...]:
        """All that reads or writes."""
        return (*self.heads, *self.crossing, *self.lines)

    @cached_property
    def _by_flag(self) -> dict[str, list[Line]]:
        found: dict[str, list[Line]] = {}
        for line in self.lines:
            found.setdefault(line.needs, []).append(line)
        return found

    def adds(self, stream: Stream, place: int, log: Log) -> Iterator[Vector]:
        """What lines add at a place; all of them read what is there before."""
        was_set = set[str]()
        for flag in ("", *(self._by_flag.keys() & stream[place].keys())):
            for line in self._by_flag.get(flag, ()):
                update = line.adds(stream, place, log)
                if update is not None:
                    if line.sets in was_set:
                        log.note("set", line.sets, update[line.sets])
                    was_set |= {line.sets} - {""}
                    yield update


@dataclass(frozen=True)
class Dense:
    """``dense:`` replaces the semes by x·weights + bias, or by the relu of that."""

    weights: Map
    relu: bool
    reads: frozenset[str]
    writes = frozenset[str]()

    @property
    def parts(self) -> tuple["Dense"]:
        """Itself: it reads, and for what it writes nobody waits."""
        return (self,)

    def of(self, vector: Vector, kept: frozenset[str]) -> Vector:
        """The new vector; clocks, and whether loops before it ended, are kept."""
        found = {n: max(x, 0) if self.relu else x for n, x in self.weights.of(vector).items()}
        return found | {name: vector[name] for name in kept & vector.keys()}


Stage = Layer | Dense


@dataclass(frozen=True)
class Run:
    """Layers that keep together: one, or those of a loop; or heads and rules without a place.

    ``origin``: the file whose layers keep their order; None: they have no place of their own.
    """

    stages: tuple[Stage, ...]
    loop: f.Loop | None
    origin: str | None

    @property
    def reads(self) -> frozenset[str]:
        """What it reads of its own stack."""
        asked = (str(flag.name) for flag in (self.loop.asked if self.loop else ()))
        return frozenset(asked).union(*(p.reads for s in self.stages for p in s.parts))

    @property
    def writes(self) -> frozenset[str]:
        """What it writes."""
        end = (f"{self.loop.name}{UNFINISHED}",) if self.loop else ()
        return frozenset(end).union(*(p.writes for s in self.stages for p in s.parts))


# ------------------------------------------------------------------ from text, and in which order


@dataclass(frozen=True)
class Maker:
    """Makes layers of blocks.

    Attributes:
        names: what names mean.
        tokens: what tokens are, for phrases.
        own: token -> the seme that no other token has.
        auto: whether the layers of the program find their places themselves, too.
    """

    names: Names
    tokens: str
    own: dict[str, str]
    auto: bool

    def stack(self, blocks: Iterable[f.Block]) -> tuple[Run, ...]:
        """The layers of a stack in the order in which they run."""
        runs: list[Run] = []
        for _, group in groupby(enumerate(blocks), key=_together):
            together = [block for _, block in group]
            first = together[0]
            stages = tuple(map(self._stage, together))
            if self._is_free(first):
                runs += (Run((part,), None, None) for part in _loose(stages[0]))
            else:
                runs.append(Run(stages, first.loop and self._loop(first.loop), first.origin))
        return tuple(_in_order(runs))

    def _is_free(self, block: f.Block) -> bool:
        placed = block.keyword == "layer" and block.loop is None
        return placed and (self.auto or block.origin != "")

    def _loop(self, loop: f.Loop) -> f.Loop:
        """A loop that knows the hands of the distances of a round."""
        hands = (h for name in loop.resets for _, *h in self.names.distances.get(name, ()))
        return replace(loop, resets=(*loop.resets, *(hand for two in hands for hand in two)))

    def _stage(self, block: f.Block) -> Stage:
        fields = fields_of(block.children)
        if block.keyword == "dense":
            names = replace(self.names, reads=set[str]())
            weights = names.map(fields.get("weights", ()) + fields.get("bias", ()))
            return Dense(weights, fields.get("relu") in ("yes", "true"), frozenset(names.reads))
        inside = [child for child in block.children if isinstance(child, f.Block)]
        heads = [head_of(each, self.names) for each in inside if each.keyword == "head"]
        files: dict[str, list[f.Statement]] = {}
        for each in inside:
            if each.keyword == "feedforward":
                files.setdefault(each.origin, []).extend(each.children)
        rules = (line for some in files.values() for line in some if isinstance(line, f.Rule))
        phrases = (each for each in block.children if isinstance(each, f.Phrase))
        return Layer(
            tuple(head for head in heads if not head.crossing),
            tuple(head for head in heads if head.crossing),
            (
                *(rule_of(rule, self.names) for rule in rules),
                *(units for some in files.values() for units in units_of(some, self.names)),
                *(phrases_of(each, self.own, self.tokens) for each in phrases),
            ),
            int(fields.get("repeat", 1)),
        )


def _together(numbered: tuple[int, f.Block]) -> object:
    """Layers of one loop are one; any other is one by itself."""
    number, block = numbered
    return number if block.loop is None else block.loop.name


def _loose(layer: Stage) -> Iterator[Layer]:
    """The parts of a layer, one by one."""
    assert isinstance(layer, Layer)
    yield from (Layer(heads=(head,)) for head in layer.heads)
    yield from (Layer(crossing=(head,)) for head in layer.crossing)
    yield from (Layer(lines=(line,)) for line in layer.lines)


def _in_order(runs: Sequence[Run]) -> Iterator[Run]:
    """Round by round what waits for nothing any more: for what writes what it reads, and of the
    layers of a file each for the one before it.
    """
    writers: dict[str, set[int]] = {}
    for place, run in enumerate(runs):
        for name in run.writes:
            writers.setdefault(name, set()).add(place)
    waits: list[set[int]] = []
    last: dict[str, int] = {}
    for place, run in enumerate(runs):
        awaited = {other for name in run.reads for other in writers.get(name, ())}
        if run.origin is not None:
            awaited -= {other for other in awaited if runs[other].origin == run.origin}
            awaited |= {last[run.origin]} if run.origin in last else set()
            last[run.origin] = place
        waits.append(awaited - {place})
    left = dict.fromkeys(range(len(runs)))
    while left:
        ready = [place for place in left if not left.keys() & waits[place]]
        assert ready, "parts wait for each other in a circle"
        yield from (runs[place] for place in ready if runs[place].origin is not None)
        loose = [runs[place].stages[0] for place in ready if runs[place].origin is None]
        if loose:
            yield Run((_one(loose),), None, None)
        for place in ready:
            del left[place]


def _one(loose: Sequence[Stage]) -> Layer:
    """Parts that do not wait for each other, as one layer."""
    layers = [layer for layer in loose if isinstance(layer, Layer)]
    return Layer(
        tuple(head for layer in layers for head in layer.heads),
        tuple(head for layer in layers for head in layer.crossing),
        tuple(line for layer in layers for line in layer.lines),
    )


# ------------------------------------------------------------------ running them


@dataclass
class Stack:
    """An encoder or a decoder at work on one text.

    Attributes:
        runs: its layers.
        kept: what dense layers keep.
        rounded: layers read what is rounded to whole numbers.
        decodes: it reads nothing that stands behind.
        memory: what the encoder has found.
        past: what each layer has read of the text so far, while a decoder writes it.
    """

    runs: tuple[Run, ...]
    kept: frozenset[str]
    rounded: bool
    decodes: bool
    log: Log
    memory: Stream = field(default_factory=Stream)
    past: dict[tuple[int, int], Stream] = field(default_factory=dict[tuple[int, int], Stream])

    @property
    def again(self) -> bool:
        """Whether all is computed anew with each token that is written: what has been read of
        loops, and what divides itself among readers, changes with more tokens.
        """
        layers = [s for run in self.runs for s in run.stages if isinstance(s, Layer)]
        heads = [head for layer in layers for head in (*layer.heads, *layer.crossing)]
        return any(run.loop for run in self.runs) or any(head.divided for head in heads)

    def run(self, stream: Stream, first: int = 0) -> Stream:
        """All layers, one after another, for the tokens from ``first`` on."""
        if not first:
            self.past.clear()
        for run in self.runs:
            if run.loop is None:
                stream = self._once(run.stages, stream, first)
            else:
                stream = self._loop(run.stages, run.loop, stream)
        return stream

    def _once(self, stages: Iterable[Stage], stream: Stream, first: int) -> Stream:
        for stage in stages:
            if isinstance(stage, Dense):
                stream = [stage.of(vector, self.kept) for vector in stream]
            else:
                for turn in range(stage.repeat):
                    stream = self._layer(stage, stream, first, turn)
        return stream

    def _layer(self, layer: Layer, stream: Stream, first: int, turn: int) -> Stream:
        if layer.heads:
            readers = self._read(stream)
            keys = self.past[id(layer), turn] = (
                self.past.get((id(layer), turn), [])[:first] + readers
            )
            stream = self._heads(layer.heads, readers, keys, stream, first)
        if layer.crossing:
            readers = self._read(stream)
            stream = self._heads(layer.crossing, readers, self.memory, stream, first)
        if layer.lines:
            readers, new = self._read(stream), Stream()
            for self.log.position, vector in enumerate(stream, first):
                adds = layer.adds(readers, self.log.position - first, self.log)
                new.append(added(vector, adds))
            stream = new
        return stream

    def _heads(
        self, heads: Iterable[Head], readers: Stream, keys: Stream, stream: Stream, first: int
    ) -> Stream:
        """What heads add: all of them read what was there before."""
        found = [
            head.updates(readers, keys, first, self.log, ahead=head.crossing or not self.decodes)
            for head in heads
        ]
        return [added(v, some) for v, some in zip(stream, zip(*found, strict=True), strict=True)]

    def _read(self, stream: Stream) -> Stream:
        """What layers read: with ``norm: round`` whole numbers, and clocks as they are."""
        if not self.rounded:
            return stream
        return [{n: x if n in self.kept else round(x) for n, x in v.items()} for v in stream]

    # -------------------------------------------------------------- loops

    def _loop(self, stages: Sequence[Stage], loop: f.Loop, stream: Stream) -> Stream:
        """Rounds until all have stopped: the text, or each place of a decoder."""
        going = [True] * len(stream)
        for flag in loop.asked:
            going = _both(going, self._heard(stream, str(flag.name)))
        until, end = str(loop.until.name), f"{loop.name}{UNFINISHED}"
        for _ in range(int(loop.most.coefficient)):
            if not any(going):
                break
            stream = [
                _without(v, loop.resets) if goes else v
                for v, goes in zip(stream, going, strict=True)
            ]
            for stage in stages:
                new = self._once((stage,), stream, 0)
                stream = [n if goes else v for n, v, goes in zip(new, stream, going, strict=True)]
            up = self._heard(stream, until)
            going = _both(going, [each == loop.none for each in up])
        for place, goes in enumerate(going):
            if goes:
                self.log.position = place
                self.log.note("loop", loop.name, number(loop.most.coefficient))
        return [v | {end: 1} if goes else v for v, goes in zip(stream, going, strict=True)]

    def _heard(self, stream: Stream, flag: str) -> list[bool]:
        """Where a flag is up: in a decoder at the place, elsewhere somewhere in the text."""
        test, up = is_up(flag), list[bool]()
        for self.log.position, vector in enumerate(stream):
            up.append(test(vector, self.log))
        return up if self.decodes else [any(up)] * len(up)


def _both(one: Sequence[bool], other: Sequence[bool]) -> list[bool]:
    return [a and b for a, b in zip(one, other, strict=True)]


def _without(vector: Vector, names: Iterable[str]) -> Vector:
    gone = set(names)
    return {name: value for name, value in vector.items() if name not in gone}
