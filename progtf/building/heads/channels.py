"""What a head retrieves and binds: one channel for every target of its maps (Eq. 4 and 6)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from progtf.building import maps, problems
from progtf.building.fields import Fields
from progtf.building.heads.setting import Setting
from progtf.building.rules.conditions import logic
from progtf.building.rules.logic import All, Flag, Negation
from progtf.notation.diagnostics import Mistake
from progtf.notation.using import HELD
from progtf.program.clocks import cos_name, sin_name
from progtf.program.forms import Form, add_to, one
from progtf.program.model import Channel

ONE = Form({}, 1.0)


def build_channels(fields: Fields, setting: Setting) -> Iterator[Channel]:
    """The channels of ``value`` and ``role``, then of ``bind``, then of ``distance``.

    Where a head is held back, or has `when` and no null key, what it retrieves is bound to the flag
    that must hold: times 0 nothing passes.

    Raises:
        Mistake: if a head without a null key has `when` with more than a flag, or a role beside it.
    """
    divided = shares_out(fields)
    flag = _one_flag("when" if divided else HELD, fields, setting)
    for channel in _channels(fields, setting):
        bound = channel if flag is None or channel.role != ONE else replace(channel, role=flag)
        if divided and "when" in fields and bound.role != flag:
            raise Mistake(problems.heads.when_of_queries(fields.span("when")))
        yield bound


def refuse_leaks(
    fields: Fields, channels: Sequence[Channel], fillers: Sequence[float], setting: Setting
) -> None:
    """A head that is held back writes nothing where it is, not even what it writes of nothing.

    Args:
        fields: of the head.
        channels: what it retrieves.
        fillers: what its null key fills into these.
        setting: of the head.

    Raises:
        Mistake: if it would.
    """
    if HELD not in fields:
        return
    flag, (_, bias) = _one_flag(HELD, fields, setting), output_map(fields, setting)
    if any(bias.values()):
        raise Mistake(problems.heads.held_bias(fields.span("out")))
    if any(
        filler and channel.role != flag for filler, channel in zip(fillers, channels, strict=True)
    ):
        raise Mistake(problems.heads.held_else(fields.span("else")))


def shares_out(fields: Fields) -> bool:
    """Whether each key is shared out among its readers: such a head has no null key."""
    return fields.word("normalize", "keys") == "queries"


def _one_flag(key: str, fields: Fields, setting: Setting) -> Form | None:
    """What is 1 where a condition holds and else 0, if a role can be that: a flag, or its absence.

    Without binding there are no roles.
    """
    if key not in fields or setting.settings.binding == "none":
        return None
    match logic(fields.condition(key), setting.names, setting.length):
        case Flag(name=name) | All(parts=(Flag(name=name),)):
            return one(name)
        case Negation(part=Flag(name=name)) | All(parts=(Negation(part=Flag(name=name)),)):
            return Form({name: -1.0}, 1.0)
        case _:
            return None


def _channels(fields: Fields, setting: Setting) -> Iterator[Channel]:
    for key in ("role", "bind", "distance"):
        if key in fields and setting.settings.binding == "none":
            raise Mistake(problems.heads.role_forbidden(fields.span(key)))
    yield from _outer(fields, setting) if has_products(fields) else _retrieved(fields, setting)
    yield from _products(fields, setting)
    if "distance" in fields:
        yield from _distance(fields, setting)


def _retrieved(fields: Fields, setting: Setting) -> Iterator[Channel]:
    """One channel a target; with ``out`` the targets are features of the head, mapped on by it."""
    free = "out" in fields
    role = maps.affine(fields.entries("role"), setting.names, features=free)
    value = maps.affine(fields.entries("value"), setting.source_names, features=free)
    for target in role:
        if target not in value:
            named = (e.terms[-1] for e in fields.entries("role") if e.terms[-1].name == target)
            span = next((term.span for term in named), fields.span("role"))
            raise Mistake(problems.heads.role_without_value(span, target, known=value))
    rows, _ = output_map(fields, setting)
    for unread in rows.keys() - value.keys():
        words = unread, "out", "value", problems.heads.CARRIES
        raise Mistake(problems.heads.unmatched_feature(fields.span("out"), *words, known=value))
    for target, filler in value.items():
        writes = rows.get(target, {}) if free else {target: 1.0}
        yield Channel(target, filler, role.get(target, ONE), writes)


def output_map(
    fields: Fields, setting: Setting
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """The output map of a head (Eq. 6): what each feature of the filler writes, and the bias."""
    rows: dict[str, dict[str, float]] = {}
    bias: dict[str, float] = {}
    for entry in maps.of_kind(fields.entries("out"), setting.names, "map", "vector", "product"):
        if entry.kind == "product":
            continue
        *source, target = entry.terms
        seme = setting.names.target(target)
        if not source:
            add_to(bias, seme, target.coefficient)
            continue
        into = rows.setdefault(str(source[0].name), {})
        add_to(into, seme, source[0].coefficient * target.coefficient)
    return rows, bias


def has_products(fields: Fields) -> bool:
    """Whether the output map names products: ``out: filler*role > seme``."""
    return any(entry.kind == "product" for entry in fields.entries("out"))


def _outer(fields: Fields, setting: Setting) -> Iterator[Channel]:
    """Every filler times every role (appendix A), written as the output map says.

    All pairs are channels, in the order of the fields, so that fillers and roles keep theirs.
    """
    fillers = maps.affine(fields.entries("value"), setting.source_names, features=True)
    roles = maps.affine(fields.entries("role"), setting.names, features=True)
    writes: dict[tuple[str, str], dict[str, float]] = {}
    for entry in maps.of_kind(fields.entries("out"), setting.names, "product", "vector"):
        if entry.kind == "vector":
            continue
        filler, role, target = entry.terms
        for part, known in ((filler, fillers), (role, roles)):
            if part.name not in known:
                words = part.name, "out", "head", problems.heads.CARRIES
                raise Mistake(problems.heads.unmatched_feature(part.span, *words, known=known))
        into = writes.setdefault((str(filler.name), str(role.name)), {})
        value = filler.coefficient * role.coefficient * target.coefficient
        add_to(into, setting.names.target(replace(target, coefficient=1.0)), value)
    for filler_name, there in fillers.items():
        for role_name, here in roles.items():
            yield Channel(filler_name, there, here, writes.get((filler_name, role_name), {}))


def _products(fields: Fields, setting: Setting) -> Iterator[Channel]:
    """``filler * role > target``, one channel each."""
    for entry in maps.of_kind(fields.entries("bind"), setting.names, "product"):
        filler, role, target = entry.terms
        seme = setting.names.target(replace(target, coefficient=1.0))
        there, here = setting.source_names.form((filler,)), setting.names.form((role,))
        yield Channel(seme, there, here, {seme: target.coefficient})


def _distance(fields: Fields, setting: Setting) -> Iterator[Channel]:
    """The hands of the clocks between here and there: cos and sin of a difference of angles.

    ``cos(j-i) = cos j cos i + sin j sin i`` and ``sin(j-i) = sin j cos i - cos j sin i``; before
    the own position the sign is turned, so that a distance is never negative.
    """
    name = fields.word("distance", "")
    if name not in setting.names.distances:
        known, place = setting.names.distances, setting.names.declared
        raise Mistake(problems.names.unknown_seme(fields.span("distance"), name, known, place))
    turn = -1.0 if fields.word("look", "all") in ("before", "upto") else 1.0
    for period, cos, sin in setting.names.distance(name):
        c, s = one(cos_name(period)), one(sin_name(period))
        yield Channel(cos, c, c, {cos: 1.0})
        yield Channel(cos, s, s, {cos: 1.0})
        yield Channel(sin, s, c, {sin: turn})
        yield Channel(sin, c, s, {sin: -turn})
