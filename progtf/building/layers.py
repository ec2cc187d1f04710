"""Encoder and decoder: layers in order, of heads on the own sequence and the encoder, and rules."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from progtf.building import problems
from progtf.building.carriers import Tokens
from progtf.building.context import Context, Place
from progtf.building.dense import build_dense
from progtf.building.heads.head import is_crossing, is_from
from progtf.building.heads.setting import BuiltHead
from progtf.building.phrases import phrase_blocks
from progtf.building.rounds import check_repeats, loop_of, read_flag, repeats
from progtf.building.rules.feedforward import build_feedforward
from progtf.building.rules.logic import All, Flag
from progtf.building.rules.setting import overlapping
from progtf.building.schedule import scheduled
from progtf.building.settings import Sections
from progtf.notation import flat as f
from progtf.notation.diagnostics import Span, reporting
from progtf.notation.fields import targets
from progtf.notation.spell import UNFINISHED
from progtf.program.forms import add_to
from progtf.program.loops import by_loop
from progtf.program.model import FeedForward, Head, Layer, Marks, Stage


def build_layer(block: f.Block, context: Context, place: Place) -> Layer:
    """A layer; what is wrong with its parts is reported."""
    parts = _parts(block, context)
    check_repeats(parts)
    repeat = repeats(parts)
    later = place.later or (_targets(parts, context) if repeat > 1 else None)
    if later is not None:
        context.written.add(later, place.label, block.span, place.stack, silent=True)
        context.carriers.write(later)
    heads = [part for part in parts if isinstance(part, f.Block) and part.keyword == "head"]
    crossing = [head for head in heads if is_crossing(head)]
    if crossing and place.stack == "encoder":
        why = "only a decoder's heads read the encoder"
        place_of_from = next(c.span for c in crossing[0].children if is_from(c))
        context.wrong.append(problems.order.not_here(place_of_from, "`from: encoder`", why))
    own = _heads([head for head in heads if not is_crossing(head)], context, place, place.stack)
    cross = _heads(crossing, context, place, "encoder") if place.stack == "decoder" else ()
    if place.stack == "decoder":
        _refuse_ahead(own, context)
        _refuse_in_crossing(cross, context)
    feedforward = _feedforward(parts, context, place)
    return Layer(place.label, own, cross, feedforward, repeat, block.span)


def _refuse_ahead(heads: Iterable[Head], context: Context) -> None:
    for head in heads:
        if head.look == "after":
            why, hint = "a decoder reads only what stands up to here", "a head with `from: encoder`"
            hint += " may look at all of the input"
            context.wrong.append(
                problems.order.not_here(head.span, "`look: after`", why, hint=hint)
            )


def _refuse_in_crossing(crossing: Iterable[Head], context: Context) -> None:
    """Of the input nothing stands before or after a reader, and no reader knows those to come."""
    for head in crossing:
        if head.look != "all":
            what, why = f"`look: {head.look}`", "a head with `from: encoder` reads another text"
            hint = "leave it out: such a head may look at all of the input"
            context.wrong.append(problems.order.not_here(head.span, what, why, hint=hint))
        if head.normalize == "queries":
            what, why = "`normalize: queries`", "the readers of the input are written one by one"
            hint = "leave it out, or share out in the encoder"
            context.wrong.append(problems.order.not_here(head.span, what, why, hint=hint))


def _parts(block: f.Block, context: Context) -> tuple[f.Statement, ...]:
    """What stands in a layer, its phrases as the heads and rules that they come to."""
    phrases = [part for part in block.children if isinstance(part, f.Phrase)]
    made: tuple[f.Block, ...] = ()
    with reporting(context.wrong.append):
        made = tuple(phrase_blocks(phrases, context.own, context.settings.tokens))
    return (*block.children, *made)


def _targets(parts: Iterable[f.Statement], context: Context) -> set[str]:
    """Everything that the parts of a repeated layer might write: later rounds may read it."""
    names = {name for statement in f.walk(parts) for name in targets(statement)}
    return names & context.names.space.index.keys()


def _heads(
    blocks: Iterable[f.Block], context: Context, place: Place, source: str
) -> tuple[Head, ...]:
    """Heads of one sub-layer: all read what was there before any of them."""
    built: list[Head] = []
    writers: list[tuple[set[str], str, Span, Tokens]] = []
    for block in blocks:
        part, head = context.parts.head(block), _stands(context.parts.head(block), context)
        context.written.read(part.reads, place.stack, f"in {place.label}")
        context.written.read(part.crossing, source)
        context.wrong.extend(part.wrong)
        if head is not None:
            built.append(head)
            writer = block.origin or f"head {head.name or '(unnamed)'} in {place.label}"
            writers.append((head.targets, writer, head.span, _readers(head, context)))
    for names, writer, span, tokens in writers:
        context.written.add(names, writer, span, place.stack, tokens=tokens)
        context.carriers.write(names, tokens)
    return tuple(built)


def _stands(built: BuiltHead, context: Context) -> Head | None:
    """The head, if what it needs of flags is known where it stands; otherwise that is told."""
    for flags, span in built.apart:
        if not context.carriers.apart(flags):
            context.wrong.append(problems.heads.overlapping(span, flags))
            return None
    return built.head


def _readers(head: Head, context: Context) -> Tokens:
    """The tokens at which a head may write anything."""
    anywhere = head.bias or head.null is None or any(head.null.filler)
    flags = tuple(Flag(name) for name in sorted(head.required))
    return None if anywhere else context.carriers.of(All(flags))


def _feedforward(
    parts: Iterable[f.Statement], context: Context, place: Place
) -> FeedForward | None:
    """The feed-forward block of a layer; several read as one."""
    by_origin: dict[str, list[f.Statement]] = {}
    for part in parts:
        if isinstance(part, f.Block) and part.keyword == "feedforward":
            by_origin.setdefault(part.origin, []).extend(part.children)
    names = context.reader()
    by_origin = {origin: children for origin, children in by_origin.items() if children}
    built = [build_feedforward(each, names, context.parts.rules) for each in by_origin.values()]
    written = f"the feed-forward block of {place.label}"
    context.written.read(names.reads, place.stack, written)
    every = [child for children in by_origin.values() for child in children]
    of_rules = [context.parts.rules.of(child) for child in every if isinstance(child, f.Rule)]
    if any(rule.source.sets for rule in of_rules):
        raw = {name: child.span for child in every for name in _raw_targets(child)}
        rules = [(rule.source, rule.resolved) for rule in of_rules]
        context.wrong.extend(overlapping(rules, raw))
    for (origin, children), block in zip(by_origin.items(), built, strict=True):
        writer = origin or written
        _note_writers(children, block, writer, context, place.stack)
    return _joined(built)


def _raw_targets(child: f.Statement) -> Iterator[str]:
    """What a raw weight or bias writes."""
    if isinstance(child, f.Field) and child.key in ("mat2", "bias2"):
        assert isinstance(child.value, tuple)
        yield from (entry.terms[-1].name or "" for entry in child.value)


def _joined(blocks: Sequence[FeedForward]) -> FeedForward | None:
    """Several blocks as one; the biases of all of them add up."""
    if len(blocks) < 2:
        return blocks[0] if blocks else None
    bias: dict[str, float] = {}
    for block in blocks:
        for name, value in (block.bias or {}).items():
            add_to(bias, name, value)
    rules = tuple(rule for block in blocks for rule in block.rules)
    marks: Marks = {entry: mark for block in blocks for entry, mark in block.marks.items()}
    units = tuple(unit for block in blocks for unit in block.units)
    compared = tuple(each for block in blocks for each in block.compared)
    return FeedForward(rules, units, bias, marks, compared)


def _note_writers(
    children: Sequence[f.Statement], built: FeedForward, writer: str, context: Context, stack: str
) -> None:
    rules = [child for child in children if isinstance(child, f.Rule)]
    spans = {entry.terms[-1].name: entry.span for rule in rules for entry in rule.targets}
    found = _tokens(rules, built, context)
    anew = {entry.terms[-1].name for rule in rules if rule.sets for entry in rule.targets}
    for name in sorted(built.targets):
        span, tokens, one = spans.get(name, children[0].span), found.get(name), (name,)
        context.written.add(one, writer, span, stack, tokens=tokens, silent=name in anew)
        context.carriers.write(one, None if name in anew else tokens)


def _tokens(
    rules: Iterable[f.Rule], built: FeedForward, context: Context
) -> dict[str, frozenset[str]]:
    """The tokens at which rules write semes, of those of which something is known."""
    somewhere: dict[str, list[Tokens]] = {}
    for rule in rules:
        tokens = context.carriers.of(context.parts.rules.of(rule).where)
        for entry in rule.targets:
            somewhere.setdefault(entry.terms[-1].name or "", []).append(tokens)
    raw = {name for unit in built.units for name in unit.writes} | {*(built.bias or ())}
    return {
        name: frozenset[str]().union(*known)
        for name, each in somewhere.items()
        if len(known := [tokens for tokens in each if tokens is not None]) == len(each)
        and name not in raw
    }


Stages = tuple[Stage, ...]


def layers_of(sections: Sections, kind: str) -> dict[str, list[f.Block]]:
    """The layers of each stack; those outside of both belong to the only or first one."""
    found = {
        stack: [s for s in sections.children(stack) if isinstance(s, f.Block)]
        for stack in ("encoder", "decoder")
    }
    first = "decoder" if kind == "decoder" else "encoder"
    found[first] = [*sections.blocks("layer", "dense"), *found[first]]
    return found


def build_stack(blocks: Iterable[f.Block], context: Context, stack: str) -> Stages:
    """The layers of encoder or decoder, in the order in which they run."""
    stages: list[Stage] = []
    with reporting(context.wrong.append):
        blocks = scheduled(blocks, context, stack)
    for together in by_loop(blocks):
        built, loop, asked, names = list[Stage](), together[0].loop, list[str](), context.reader()
        for flag in () if loop is None else loop.asked:
            with reporting(context.wrong.append):
                asked.append(read_flag(flag, names))
        context.written.read(names.reads, stack)
        rounds, later = tuple[f.Statement, ...](), None
        for number, block in enumerate(together, start=len(stages) + 1):
            if block.rounds is not rounds:
                rounds, later = block.rounds, _targets(block.rounds, context)
            label = block.name or f"{block.keyword} {number}"
            place = Place(label, stack, block.span, later if block.rounds else None)
            build = build_dense if block.keyword == "dense" else build_layer
            with reporting(context.wrong.append):
                built.append(build(block, context, place))
        stages += built if loop is None else _in_loop(built, loop, tuple(asked), context, stack)
    return tuple(stages)


def _in_loop(
    built: Sequence[Stage], loop: f.Loop, asked: tuple[str, ...], context: Context, stack: str
) -> Iterator[Layer]:
    """The layers of a loop, which writes whether it came to its end."""
    end = {f"{loop.name}{UNFINISHED}"}
    context.written.add(end, f"loop {loop.name}", loop.span, stack)
    context.carriers.write(end)
    with reporting(context.wrong.append):
        names = context.reader()
        runs = loop_of(loop, asked, names)
        context.written.read(names.reads, stack)
        yield from (replace(layer, loop=runs) for layer in built if isinstance(layer, Layer))
