"""Heads as written to heads as features: what a query asks, what a key answers, when nothing does.

Every way of addressing (raw maps, positions, ``match``, ``nearest``, ``highest``, ``where``,
``when``) contributes features and says which scores a match and a miss can reach. From these come
the null key's score, midway between the lowest match and the highest miss, and the sharpness,
such that the smallest difference that matters is worth ``NATS``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, Span
from progtf.program import maps, problems
from progtf.program.addressing import Part, address, conditioned, extreme, matched, nearest, raw
from progtf.program.clocks import cos_name, sin_name
from progtf.program.conditions import gate
from progtf.program.forms import Form, add_to, one, power_of_two_above
from progtf.program.model import Binding, Channel, Head, Look, Null
from progtf.program.names import Names

NATS = 30.0
SOFTEST, SHARPEST = 1.0, 2.0**24
ONE = Form({}, 1.0)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a head must know of the program around it."""

    names: Names
    source_names: Names
    length: int
    binding: Binding
    sharpness: float | None
    ramp: float


@dataclass(slots=True)
class _Fields:
    """The fields of one head by key, each given once."""

    block: f.Block
    by_key: dict[str, f.Field] = field(default_factory=dict[str, f.Field])

    def value(self, key: str, otherwise: Any = None) -> Any:
        return self.by_key[key].value if key in self.by_key else otherwise

    def span(self, key: str) -> Span:
        return self.by_key[key].span


def build_head(block: f.Block, setting: Setting) -> Head:
    """The head that a block describes.

    Raises:
        Mistake: at the first thing that is wrong with it.
    """
    fields = _Fields(block)
    for child in block.children:
        if isinstance(child, f.Field):
            if child.key in fields.by_key:
                raise Mistake(problems.twice("duplicate-field", child.span, f"`{child.key}`"))
            fields.by_key[child.key] = child
    look: Look = fields.value("look", "all")
    parts = tuple(_parts(fields, setting, look))
    channels = tuple(_channels(fields, setting))
    null, gap = _null(fields, parts, channels, setting)
    return Head(
        name=block.name,
        features=tuple(feature for part in parts for feature in part.features),
        channels=channels,
        look=look,
        bias=_out(fields, setting.names)[1],
        source="encoder" if "from" in fields.by_key else "self",
        sharpness=_sharpness(fields, setting, gap),
        null=null,
        normalize=fields.value("normalize", "keys"),
        span=block.span,
    )


def _parts(fields: _Fields, setting: Setting, look: Look) -> Iterator[Part]:
    """The ways in which this head addresses, conditions last."""
    names, keys, given = setting.names, setting.source_names, fields.by_key
    parts: list[Part] = []
    if "query" in given or "key" in given:
        parts.append(
            raw(fields.value("query", ()), fields.value("key", ()), names, keys, fields.block.span)
        )
    for key in ("at", "querypos", "keypos"):
        if key in given:
            positions = _positions(fields)
            parts.append(
                address(*positions, setting.names.clocks, setting.length, fields.span(key))
            )
            break
    if "match" in given:
        parts.append(matched(given["match"].value, names, keys, fields.span("match")))  # type: ignore[arg-type]
    if "nearest" in given:
        if look not in ("before", "upto", "after"):
            raise Mistake(problems.needs_look(fields.span("nearest")))
        parts.append(
            nearest(
                fields.value("nearest"),
                look,
                keys,
                setting.ramp,
                setting.length,
                fields.span("nearest"),
            )
        )
    for key in ("highest", "lowest"):
        if key in given:
            form, where = given[key].value  # type: ignore[misc]
            parts.append(extreme(key, form, where, keys, setting.length, fields.span(key)))
    yield from parts
    room = sum(part.high - part.match for part in parts) + 1.0
    for key, side in (("where", "key"), ("when", "query")):
        if key in given:
            resolve = keys if key == "where" else names
            opened = gate(given[key].value, resolve, setting.length, fields.span(key), key)  # type: ignore[arg-type]
            yield conditioned(opened, side, 2 * power_of_two_above(room), key)


def _positions(fields: _Fields) -> tuple[float, float]:
    """How far the hands of the query and of the key are moved: ``at: +3`` looks 3 tokens ahead."""
    if "at" in fields.by_key:
        other = next((key for key in ("querypos", "keypos") if key in fields.by_key), None)
        if other is not None:
            raise Mistake(problems.two_addresses(fields.span(other), "at", other))
        return fields.value("at"), 0.0
    return fields.value("querypos", 0.0), fields.value("keypos", 0.0)


# ------------------------------------------------------------------ channels


def _channels(fields: _Fields, setting: Setting) -> Iterator[Channel]:
    """One channel a target; with ``out`` the targets are features of the head, mapped on by it."""
    names, keys, free = setting.names, setting.source_names, "out" in fields.by_key
    role = maps.affine(fields.value("role", ()), names, features=free)
    if role and setting.binding == "none":
        raise Mistake(problems.role_forbidden(fields.span("role")))
    value = maps.affine(fields.value("value", ()), keys, features=free)
    for target in role:
        if target not in value:
            raise Mistake(problems.role_without_value(_span_of(fields, target), target, value))
    rows, _ = _out(fields, names)
    for unread in rows.keys() - value.keys():
        raise Mistake(problems.unmatched_feature(fields.span("out"), unread, "out", "value", value))
    for target, filler in value.items():
        writes = rows.get(target, {}) if free else {target: 1.0}
        yield Channel(target, filler, role.get(target, ONE), writes)
    if "bind" in fields.by_key:
        if setting.binding == "none":
            raise Mistake(problems.role_forbidden(fields.span("bind")))
        yield from _products(fields.value("bind"), setting)
    if "distance" in fields.by_key:
        yield from _distance(fields, setting)


def _out(fields: _Fields, names: Names) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """The output map of a head (Eq. 6): what each feature of the filler writes, and the bias."""
    rows: dict[str, dict[str, float]] = {}
    bias: dict[str, float] = {}
    for entry in maps.of_kind(fields.value("out", ()), names, "map", "vector"):
        *source, target = entry.terms
        seme = names.target(target)
        if not source:
            add_to(bias, seme, target.coefficient)
            continue
        into = rows.setdefault(str(source[0].name), {})
        add_to(into, seme, source[0].coefficient * target.coefficient)
    return rows, bias


def _span_of(fields: _Fields, target: str) -> Span:
    for entry in fields.value("role", ()):
        if entry.terms[-1].name == target:
            return entry.terms[-1].span
    return fields.span("role")


def _products(entries: f.Entries, setting: Setting) -> Iterator[Channel]:
    """``filler * role > target``, one channel each."""
    for entry in maps.of_kind(entries, setting.names, "product"):
        filler, role, target = entry.terms
        seme = setting.names.target(replace(target, coefficient=1.0))
        yield Channel(
            seme,
            setting.source_names.form((replace(filler, coefficient=filler.coefficient),)),
            setting.names.form((role,)),
            {seme: target.coefficient},
        )


def _distance(fields: _Fields, setting: Setting) -> Iterator[Channel]:
    """The hands of the clocks between here and there: cos and sin of a difference of angles.

    ``cos(j-i) = cos j cos i + sin j sin i`` and ``sin(j-i) = sin j cos i - cos j sin i``; before
    the own position the sign is turned, so that a distance is never negative.
    """
    name, span = fields.value("distance"), fields.span("distance")
    if name not in setting.names.distances:
        raise setting.names.unknown(name, span)
    if setting.binding == "none":
        raise Mistake(problems.role_forbidden(span))
    turn = -1.0 if fields.value("look", "all") in ("before", "upto") else 1.0
    for period, cos, sin in setting.names.distance(name):
        c, s = one(cos_name(period)), one(sin_name(period))
        yield Channel(cos, c, c, {cos: 1.0})
        yield Channel(cos, s, s, {cos: 1.0})
        yield Channel(sin, s, c, {sin: turn})
        yield Channel(sin, c, s, {sin: -turn})


# ------------------------------------------------------------------ null key and sharpness

_IDIOMS = ("at", "match", "nearest", "highest", "lowest", "where", "when")


def _null(
    fields: _Fields, parts: tuple[Part, ...], channels: tuple[Channel, ...], setting: Setting
) -> tuple[Null | None, float]:
    """The null key and the smallest difference of scores that matters."""
    gap = min((part.gap for part in parts), default=1.0)
    wanted = "else" in fields.by_key or any(
        key in fields.by_key for key in _IDIOMS if key not in ("highest", "lowest")
    )
    wanted = wanted or any(part.selective for part in parts if part.kind == "extreme")
    if not wanted:
        return None, gap
    entries, below = fields.value("else", ((), None))
    written = [channel.name for channel in channels]
    filler = _rest(entries, setting, free="out" in fields.by_key)
    for target in filler:
        if target not in written:
            raise Mistake(problems.role_without_value(fields.span("else"), target, written))
    vector = tuple(filler.get(name, 0.0) for name in written)
    if below is not None:
        return Null(float(below), vector), gap
    match, miss = _match_and_miss(parts)
    if match <= miss + 1e-9:
        span = fields.span("else") if "else" in fields.by_key else fields.block.span
        raise Mistake(problems.no_null(span, match, miss))
    return Null((match + miss) / 2, vector), min(gap, (match - miss) / 2)


def _rest(entries: f.Entries, setting: Setting, *, free: bool) -> dict[str, float]:
    """What the null key fills in, by target or by feature."""
    if not free:
        return maps.vector(entries, setting.names)
    forms = maps.affine(entries, setting.names, features=True)
    return {name: form.constant for name, form in forms.items()}


def _match_and_miss(parts: tuple[Part, ...]) -> tuple[float, float]:
    match = sum(part.match for part in parts)
    high = sum(part.high for part in parts)
    misses = [high - part.high + part.miss for part in parts if part.selective]
    return match, max(misses, default=float("inf"))


def _sharpness(fields: _Fields, setting: Setting, gap: float) -> float:
    given = fields.value("sharpness", setting.sharpness)
    if given is not None:
        return float(given)
    return min(SHARPEST, max(SOFTEST, power_of_two_above(NATS / max(gap, 1e-9))))
