"""Heads as written to heads as features: what a query asks and what a key answers.

Every way of addressing (raw maps, positions, ``match``, ``nearest``, ``highest``, ``where``,
``when``) contributes features and says which scores a match and a miss can reach.
"""

from collections.abc import Iterator, Mapping
from typing import cast

from progtf.building import maps, problems
from progtf.building.fields import Fields
from progtf.building.heads.addressing import address, conditioned, extreme, matched, nearest
from progtf.building.heads.channels import (
    build_channels,
    has_products,
    output_map,
    refuse_leaks,
)
from progtf.building.heads.learned import learned_query, split_learned
from progtf.building.heads.nulls import build_null, sharpness
from progtf.building.heads.scores import balanced, raw
from progtf.building.heads.setting import BuiltHead, Setting
from progtf.building.names import Names
from progtf.building.rules.conditions import gate
from progtf.building.settings import Settings
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, reporting
from progtf.notation.fields import DISTANCE, OFFSET, WRITING_LIST, keys_of
from progtf.numbers import refused
from progtf.program.forms import power_of_two_above
from progtf.program.model import Head, Look, Marks, Normalize, Part
from progtf.rational import as_float

_POSITIONS = keys_of(OFFSET)
_WRITING = keys_of(WRITING_LIST, DISTANCE)


def build_head(block: f.Block, names: Names, settings: Settings, ramp: float) -> BuiltHead:
    """The head that a block describes, and what it reads.

    Args:
        block: as written.
        names: what its names mean.
        settings: of the program.
        ramp: the period of the slow clock that ``nearest`` uses.
    """
    reader = names.reader()
    source = names.reader(reader.wrong) if is_crossing(block) else reader
    setting, head = Setting(settings, reader, source, ramp, []), None
    with reporting(reader.wrong.append):
        head = _built(block, setting)
    crossing = () if source is reader else tuple(source.reads)
    apart, wrong = tuple(setting.apart), tuple(reader.wrong)
    return BuiltHead(block, head, tuple(reader.reads), crossing, apart, wrong)


def _built(block: f.Block, setting: Setting) -> Head:
    fields = Fields.of(block.children, block.span)
    learned, fields = split_learned(fields, setting)
    _refuse_marks(fields, setting)
    addressing = balanced(_addressing(fields, setting, learned))
    parts = (*addressing, *_conditions(fields, setting, addressing))
    channels = tuple(build_channels(fields, setting))
    if _lacks_arrow(fields.entries("value")):
        setting.names.wrong.append(problems.heads.no_arrow(fields.span("value")))
    null, gap = build_null(fields, parts, channels, setting)
    refuse_leaks(fields, channels, null.filler if null else (0.0,) * len(channels), setting)
    if not any(key in fields for key in _WRITING) and "value" not in learned:
        what, hint = "what this head writes", "add `value: seme>seme`"
        raise Mistake(problems.order.missing(block.span, what, hint=hint))
    given = _sharpness(fields, setting)
    return Head(
        name=block.name,
        parts=parts,
        channels=channels,
        look=_look(fields),
        bias=output_map(fields, setting)[1],
        source="encoder" if "from" in fields else "self",
        sharpness=sharpness(given, gap),
        hard=sharpness(None, gap),
        null=null,
        normalize=cast("Normalize", fields.word("normalize", "keys")),
        span=block.span,
        marks=_marks(fields, setting),
        learned=learned,
    )


def _lacks_arrow(entries: f.Entries) -> bool:
    """Whether there are just names, the second one without a sign or a comma before it."""
    if len(entries) < 2 or any(entry.kind != "vector" for entry in entries):
        return False
    first, second = entries[0].span, entries[1].span
    between = first.source.lines[first.line - 1][first.end : second.start]
    return first.line == second.line and first.end < second.start and not between.strip()


def is_crossing(block: f.Block) -> bool:
    """Whether a head reads the encoder."""
    return any(is_from(child) for child in block.children)


def is_from(statement: f.Statement) -> bool:
    """Whether this is the line ``from: encoder``."""
    return isinstance(statement, f.Field) and statement.key == "from"


def _refuse_marks(fields: Fields, setting: Setting) -> None:
    for key in ("match", "bind"):
        if key in fields:
            maps.refuse_marks(fields.entries(key), f"`{key}:`")
    for key in ("value", "role", "out"):
        if key in fields and setting.settings.binding == "outer":
            hint = "write `binding: hadamard`, which computes the same: here entries share weights"
            maps.refuse_marks(fields.entries(key), f"`{key}:` with `binding: outer`", hint)
        elif key in fields and has_products(fields):  # a filler stands once for each product
            maps.refuse_marks(fields.entries(key), f"`{key}:` beside products")
    if "else" in fields:
        maps.refuse_marks(fields.rest().filler, "`else:`")


def _marks(fields: Fields, setting: Setting) -> Marks:
    names, keys, free = setting.names, setting.source_names, "out" in fields
    return {
        **maps.marks("query", fields.entries("query"), names, features=True),
        **maps.marks("key", fields.entries("key"), keys, features=True),
        **maps.marks("value", fields.entries("value"), keys, features=free),
        **maps.marks("role", fields.entries("role"), names, features=free),
        **maps.marks("out", fields.entries("out"), names, hidden=True),
    }


def _sharpness(fields: Fields, setting: Setting) -> float | None:
    if "sharpness" not in fields:
        return setting.settings.sharpness
    given = fields.number("sharpness", 0.0)
    if given <= 0:
        due, span = "a number above 0", fields.span("sharpness")
        raise Mistake(problems.order.bad_setting(span, "sharpness", refused(given), due))
    return given


def _look(fields: Fields) -> Look:
    return cast("Look", fields.word("look", "all"))


def _addressing(fields: Fields, setting: Setting, learned: Mapping[str, int]) -> Iterator[Part]:
    names, keys = setting.names, setting.source_names
    if "key" in fields and "query" in learned:
        yield learned_query(fields.entries("key"), keys)
    elif "query" in fields or "key" in fields:
        yield raw(fields.entries("query"), fields.entries("key"), names, keys, fields.place)
    if any(key in fields for key in _POSITIONS):
        yield _address(fields, setting)
    length = setting.length
    if "match" in fields:
        yield from matched(fields.entries("match"), names, keys, length, fields.span("match"))
    if "nearest" in fields:
        yield _nearest(fields, setting)
    for key in ("highest", "lowest"):
        if key in fields:
            yield extreme(key, fields.extreme(key), keys, length, fields.span(key))


def _address(fields: Fields, setting: Setting) -> Part:
    """Hands of clocks, moved on the query's or the key's side: ``at: +3`` looks 3 tokens ahead."""
    key, *others = (key for key in _POSITIONS if key in fields)
    if key == "at" and others:
        raise Mistake(problems.heads.two_addresses(fields.span(others[0]), "at", others[0]))
    mine = fields.number("at", 0.0) + fields.number("querypos", 0.0)
    theirs = fields.number("keypos", 0.0)
    return address(mine, theirs, setting.names.clocks, setting.length, fields.span(key))


def _nearest(fields: Fields, setting: Setting) -> Part:
    look, span = _look(fields), fields.span("nearest")
    if look not in ("before", "upto", "after"):
        raise Mistake(problems.heads.needs_look(span))
    return nearest(fields.condition("nearest"), look, setting, span)


def _conditions(fields: Fields, setting: Setting, addressing: tuple[Part, ...]) -> Iterator[Part]:
    """Penalties for keys and queries that do not take part, larger than all else can make up.

    They fall below the lowest match, and below the null key where its score is given.
    """
    high, least = (sum(getattr(p, end) for p in addressing) for end in ("high", "match"))
    below = fields.rest().below
    room = max(high - least, 0.0 if below is None else high - as_float(below)) + 1.0
    length, sides = setting.length, {"where": setting.source_names, "when": setting.names}
    for key, names in sides.items():
        if key in fields:
            opened = gate(fields.condition(key), names, length, fields.span(key), key)
            yield conditioned(opened, key, 2 * power_of_two_above(room))
