"""The program of which only what matters is left, and the names that it reads and writes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from progtf.program.forms import Form, Space
from progtf.program.model import FeedForward, Head, Layer, Loop, Program
from progtf.program.narrow.back import Back
from progtf.program.narrow.places import (
    BIAS,
    GROUPS,
    NONE,
    STACKS,
    Key,
    Names,
    Placed,
    Stack,
    placed,
)


@dataclass(frozen=True, eq=False)
class Part:
    """A program for the texts of which some semes are 0 at every token.

    Attributes:
        program: without what adds nothing to the answers to these texts.
        loops: those that must come to their end, of the whole program's.
        settled: the semes that are behind the encoder what they are in the whole program.
    """

    program: Program
    loops: tuple[Loop, ...]
    settled: Names


def cut(back: Back, wanted: Names) -> Part:
    """What is left of a program; of its scores nothing, if something else is wanted."""
    program = back.program
    layers = {stack: tuple(_layers(back, stack)) for stack in STACKS}
    outputs = dict[str, Form]() if wanted else program.outputs
    named = wanted.union(loop.unfinished for loop in back.ends)
    named = named.union(*(form.coefficients for form in outputs.values()))
    named = named.union(*(_named(layer) for some in layers.values() for layer in some))
    semes = [name for name in program.space.names[: program.semes] if name in named]
    space = [*semes, *program.space.names[program.semes :]]
    stays, gone = frozenset(semes), {*program.space.names} - {*space}
    left = replace(
        program, outputs=outputs, semes=len(semes), width=len(space),
        space=Space.of({name: program.space.ranges[name] for name in space}),
        encoder=tuple(_with_resets(layer, stays) for layer in layers["encoder"]),
        decoder=tuple(_with_resets(layer, stays) for layer in layers["decoder"]),
        lexicon={token: _only(vector, stays) for token, vector in program.lexicon.items()},
        unknown=None if program.unknown is None else _only(program.unknown, stays),
        spelled=tuple(_only(vector, stays) for vector in program.spelled),
        places={name: place for name, place in program.places.items() if name not in gone},
    )  # fmt: skip
    return Part(left, back.ends, stays - _unsettled(back))


def _unsettled(back: Back) -> set[str]:
    """The names that something would write in the encoder which is left out."""
    found = set[str]()
    for place, adding in back.ahead.adding.items():
        if place[0] == "encoder":
            kept = back.kept[place]
            found.update(*(names - kept.get(key, NONE) for key, names in adding.items()))
    loops = {layer.loop for layer in back.program.encoder if layer.loop is not None}
    return found.union(*(each.resets for each in loops if each.name not in back.loops))


def _layers(back: Back, stack: Stack) -> Iterator[Layer]:
    """The layers in which something is left, and those of the loops that matter."""
    for each in placed(back.program, stack):
        layer, kept = each.layer, back.kept[each.place]
        if layer.loop is not None and layer.loop.name not in back.loops:
            continue
        own, cross = (
            tuple(left for key, head in each.heads(group) for left in _head(head, key, kept))
            for group in GROUPS
        )
        block = None if layer.feedforward is None else _block(layer.feedforward, each, back)
        if own or cross or block is not None or layer.loop is not None:
            yield replace(layer, heads=own, cross=cross, feedforward=block)


def _head(head: Head, key: Key, kept: Mapping[Key, Names]) -> Iterator[Head]:
    """A head with the channels that matter, if any do, or what it adds everywhere."""
    writes = {number: kept.get((*key, number), NONE) for number in range(len(head.channels))}
    bias = kept.get((*key, BIAS), NONE)
    chosen = [number for number, names in writes.items() if names]
    if not chosen and not bias:
        return
    chosen = chosen or [*writes][:1]
    channels = [(head.channels[number], writes[number]) for number in chosen]
    null = head.null
    yield replace(
        head, bias=_only(head.bias, bias),
        channels=tuple(replace(c, writes=_only(c.writes, names)) for c, names in channels),
        null=null and replace(null, filler=tuple(null.filler[number] for number in chosen)),
    )  # fmt: skip


def _block(block: FeedForward, placed: Placed, back: Back) -> FeedForward | None:
    """A block with the rules and units that matter, and the comparisons of their lines."""
    kept, place = back.kept[placed.place], placed.place
    rules, units = (
        tuple(
            replace(part, writes=_only(part.writes, kept[kind, number]))
            for number, part in enumerate(parts)
            if (kind, number) in kept
        )
        for kind, parts in (("rules", block.rules), ("units", block.units))
    )
    compared = [c for number, c in enumerate(block.compared) if (place, number) in back.compared]
    bias = _only(block.bias or {}, kept.get((BIAS,), NONE)) or None
    if not (rules or units or bias or compared):
        return None
    return replace(block, rules=rules, units=units, bias=bias, compared=tuple(compared))


def _only(given: Mapping[str, float], names: Names) -> Mapping[str, float]:
    """The entries of some names."""
    if given.keys() <= names:
        return given
    return {name: value for name, value in given.items() if name in names}


def _with_resets(layer: Layer, semes: Names) -> Layer:
    """A layer whose loop knows of no seme that is gone."""
    loop = layer.loop
    if loop is None:
        return layer
    resets = tuple(name for name in loop.resets if name in semes)
    return replace(layer, loop=replace(loop, resets=resets, falls=None))


def _named(layer: Layer) -> set[str]:
    """All names that stand in a layer."""
    block, loop, found = layer.feedforward, layer.loop, set[str]()
    forms = list[Form]()
    for head in (*layer.heads, *layer.cross):
        found |= head.targets
        forms += [form for f in head.features for form in (f.query, f.key)]
        forms += [form for c in head.channels for form in (c.filler, c.role)]
    if block is not None:
        found |= block.targets
        for each in (*block.rules, *block.compared):
            found |= each.gate.positive | each.gate.negative
        forms += [rule.curve.form for rule in block.rules if rule.curve is not None]
        forms += [each.form for each in block.compared]
        forms += [unit.reads for unit in block.units]
    if loop is not None:
        found.update((loop.until, loop.unfinished, *loop.asked))
    return found.union(*(form.coefficients for form in forms))
