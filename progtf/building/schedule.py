"""Which layer the heads and rules of used files stand in: the earliest after all that they read.

A layer has up to three steps: heads, heads on the encoder, rules. A part may stand in a step if
everything that writes what it reads stands in an earlier one. The layers of the program itself keep
their order and what stands in them; with ``layers: auto`` they are placed part by part as well.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from progtf.building import problems
from progtf.building.context import Context
from progtf.building.heads.head import is_crossing
from progtf.building.order import family_of
from progtf.building.rounds import repeats
from progtf.building.rules.feedforward import build_feedforward
from progtf.building.settings import Settings
from progtf.frozen import quick
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.notation.spell import UNFINISHED
from progtf.program.loops import by_loop

HEADS, CROSSING, RULES = range(3)


@quick
@dataclass(frozen=True, slots=True)
class Part:
    """A head, a rule, phrases or raw weights: what can be placed.

    Attributes:
        statement: what it is; raw weights and phrases are a block.
        step: in which step of a layer it stands.
        reads, writes: names of semes of its own stack.
        sets: those of them that get a value in the place of what was there, so that the others
            that write them come before it.
    """

    statement: f.Statement
    step: int
    reads: frozenset[str]
    writes: frozenset[str]
    sets: frozenset[str] = frozenset()


@quick
@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """What is placed together: one part, or all parts of a layer that the program orders."""

    parts: tuple[Part, ...]
    layers: tuple[f.Block, ...] = ()  # one, or those of a loop; none: a part by itself
    after: "Unit | None" = None  # the layer before it in its file
    origin: str = ""  # where it comes from

    @property
    def span(self) -> Span:
        """Where it stands in the text."""
        return self.layers[0].span if self.layers else self.parts[0].statement.span


def scheduled(blocks: Iterable[f.Block], context: Context, stack: str) -> tuple[f.Block, ...]:
    """The layers of a stack, with all that had no place of its own in one of them.

    Raises:
        Mistake: if parts wait for each other in a circle.
    """
    blocks = tuple(blocks)
    free = [block for block in blocks if is_free(block, context.settings)]
    if not free and not any(block.origin for block in blocks):
        return blocks
    units = _fixed((b for b in blocks if not is_free(b, context.settings)), context)
    for block in free:
        units += _loose(block, context)
    levels = _Levels(_writers(units), frozenset(context.written.semes[stack]))
    found = [levels.of(unit) for unit in units]
    rows: list[list[Unit]] = [[] for _ in range(1 + max(found, default=-1))]
    for unit, level in zip(units, found, strict=True):
        rows[level].append(unit)
    return tuple(layer for row in rows for layer in _layers(row))


def is_free(block: f.Block, settings: Settings) -> bool:
    """Whether a layer is placed part by part."""
    if block.keyword != "layer" or block.loop is not None:
        return False
    return settings.layers == "auto" or block.origin != ""


def _fixed(blocks: Iterable[f.Block], context: Context) -> list[Unit]:
    """What keeps its order, file by file: layers of the program, and loops."""
    units: list[Unit] = []
    last: dict[str, Unit] = {}
    for layers in by_loop(blocks):
        parts = [part for block in layers for part in _parts(block, context)]
        if (loop := layers[0].loop) is not None:
            asked = frozenset(flag.name for flag in loop.asked if flag.name is not None)
            end = frozenset((f"{loop.name}{UNFINISHED}",))
            parts.append(Part(layers[0], RULES, asked, end))
        origin = layers[0].origin
        units.append(Unit(tuple(parts), layers, last.get(origin), origin))
        last[origin] = units[-1]
    return units


def _layers(row: Sequence[Unit]) -> Iterator[f.Block]:
    """One layer of all that stands in it, with the name that the program gave it, then loops.

    What is repeated is no place for anything else: that stands in a layer before it.
    """
    fixed = [unit.layers for unit in row if unit.layers]
    again = [layers for layers in fixed if any(map(_is_repeated, layers))]
    blocks = tuple(_gathered([unit for unit in row if not unit.layers]))
    own = next((layers[0] for layers in fixed if layers not in again), None)
    if own is not None:
        yield replace(own, children=(*own.children, *blocks))
    elif blocks:
        yield f.Block("layer", "", blocks, row[0].span)
    for layers in again:
        yield from layers


def _is_repeated(block: f.Block) -> bool:
    return block.loop is not None or repeats(block.children) > 1


def _gathered(units: Sequence[Unit]) -> Iterator[f.Statement]:
    """Heads, phrases and raw weights as they are, the rules of one origin as one block."""
    rules: dict[str, list[f.Rule]] = {}
    for unit in units:
        match unit.parts[0].statement:
            case f.Rule() as rule:
                rules.setdefault(unit.origin, []).append(rule)
            case other:
                yield other
    for origin, some in rules.items():
        yield f.Block("feedforward", "", tuple(some), some[0].span, origin)


# ------------------------------------------------------------------ how early a unit can stand

_Wait = tuple[Unit, int, int, str]
"""For which other, its step there, the step here, and for which seme."""
_Writers = Mapping[str, Sequence[tuple[Unit, int, bool]]]


def _writers(units: Iterable[Unit]) -> _Writers:
    """Name or family -> what writes it, in which step of a layer, and whether it sets it."""
    found: dict[str, list[tuple[Unit, int, bool]]] = defaultdict(list)
    for unit in units:
        for part in unit.parts:
            here = unit, part.step, bool(part.sets)
            for name in part.writes.union(map(family_of, part.writes)):
                found[name].append(here)
    return found


@dataclass
class _Levels:
    """The layer of every unit, counted from 0, computed once.

    Attributes:
        behind: step -> seme -> the first layer in which a part by itself may read it there.
    """

    writers: _Writers
    embedded: frozenset[str]
    known: dict[Unit, int] = field(default_factory=dict[Unit, int])
    behind: tuple[dict[str, int], ...] = field(default_factory=lambda: ({}, {}, {}))
    waiting: dict[Unit, str] = field(default_factory=dict[Unit, str])

    def of(self, unit: Unit) -> int:
        """The earliest layer after all that the unit waits for."""
        todo = [] if self._is_known(unit) else [self._begun(unit)]
        while todo:
            own, waits, rest = todo[-1]
            for other, _, _, name in rest:
                if not self._is_known(other):
                    self.waiting[own] = name
                    if other in self.waiting:
                        raise Mistake(self._circle(other))
                    todo.append(self._begun(other))
                    break
            else:
                todo.pop()
                self.waiting.pop(own, None)
                self.known[own] = self._level(own, waits)
        return self.known[unit]

    def _is_known(self, unit: Unit) -> bool:
        """Whether the layer of a unit is known, as it is where that of all that it reads is."""
        if unit in self.known:
            return True
        if unit.layers:
            return False
        (part,) = unit.parts
        behind = self.behind[part.step]
        if part.sets or not behind.keys() >= part.reads:
            return False
        self.known[unit] = max(map(behind.__getitem__, part.reads), default=0)
        return True

    def _begun(self, unit: Unit) -> tuple[Unit, Sequence[_Wait], Iterator[_Wait]]:
        waits = [*self._waits(unit)]
        return unit, waits, iter(waits)

    def _waits(self, unit: Unit) -> Iterator[_Wait]:
        """What a unit waits for."""
        if unit.after is not None:
            yield unit.after, RULES, HEADS, ""
        for part in unit.parts:
            for name in sorted(part.reads | part.sets):
                for other, step, sets in self.writers.get(name) or self._of_family(name):
                    ordered = other.layers and unit.layers and other.origin == unit.origin
                    if not ordered and (name in part.reads or not sets):
                        yield other, step, part.step, name

    def _level(self, unit: Unit, waits: Iterable[_Wait]) -> int:
        first = {name: 0 for part in unit.parts for name in part.reads}
        for other, there, here, name in waits:
            first[name] = max(first.get(name, 0), self.known[other] + (here <= there))
        if not unit.layers:
            (part,) = unit.parts
            self.behind[part.step].update((name, first[name]) for name in part.reads)
        return max(first.values(), default=0)

    def _of_family(self, name: str) -> Sequence[tuple[Unit, int, bool]]:
        """Of a seme that no part writes, who writes to its family."""
        family = family_of(name)
        known = name in self.embedded or family in self.embedded
        return () if known else self.writers.get(family, ())

    def _circle(self, start: Unit) -> Diagnostic:
        units = list(self.waiting)
        units = units[units.index(start) :]
        return problems.order.circular([(unit.span, self.waiting[unit]) for unit in units])


# ------------------------------------------------------------------ what parts read and write


def _loose(block: f.Block, context: Context) -> Iterator[Unit]:
    """The parts of a layer that is placed part by part."""
    for child in block.children:
        if isinstance(child, f.Field) and child.key == "repeat":
            why = "this layer is placed by what it reads"
            context.wrong.append(problems.order.not_here(child.span, "`repeat:`", why))
    origin = block.origin or f"layer {block.name}"
    for part in _parts(block, context):
        if isinstance(part.statement, f.Block):
            statement = context.parts.moved(part.statement, origin)
            yield Unit((replace(part, statement=statement),), origin=origin)
        else:
            yield Unit((part,), origin=origin)


def _parts(block: f.Block, context: Context) -> Iterator[Part]:
    """Everything in a layer that reads or writes; what is repeated has no steps to stand in."""
    repeated = _is_repeated(block)
    if block.keyword == "dense":
        names = frozenset(n for part in block.children for n in _sources(part))
        yield Part(block, RULES if repeated else HEADS, names, frozenset())
    for child in block.children:
        match child:
            case f.Block(keyword="head"):
                yield _head(child, context, repeated=repeated)
            case f.Block(keyword="feedforward"):
                yield from _rules(child, context)
            case f.Phrase():
                yield Part(child, RULES, frozenset(), frozenset((child.target,)))
            case _:
                pass


def _head(block: f.Block, context: Context, *, repeated: bool) -> Part:
    built = context.parts.head(block)
    step = RULES if repeated else CROSSING if is_crossing(block) else HEADS
    reads = frozenset(name for name, _ in built.reads)
    return Part(block, step, _semes(reads, context), built.writes)


def _rules(block: f.Block, context: Context) -> Iterator[Part]:
    raw = tuple(child for child in block.children if isinstance(child, f.Field))
    if raw:
        names = context.names.reader()
        writes = build_feedforward(raw, names, context.parts.rules).targets
        reads = _semes(frozenset(name for name, _ in names.reads), context)
        yield Part(replace(block, children=raw), RULES, reads, frozenset(writes))
    for child in block.children:
        if isinstance(child, f.Rule):
            built = context.parts.rules.of(child)
            anew = built.writes if child.sets else frozenset[str]()
            yield Part(child, RULES, _semes(built.read, context), built.writes, anew)


def _semes(names: frozenset[str], context: Context) -> frozenset[str]:
    """The semes that are read, those of a group each."""
    groups = [name for name in names if name[-1] == "."]
    members = map(context.names.members, groups)
    return names.union(*members).difference(groups) if groups else names


def _sources(part: f.Statement) -> Iterator[str]:
    if isinstance(part, f.Field) and isinstance(part.value, tuple):
        yield from (e.terms[0].name or "" for e in part.value if len(e.terms) > 1)
