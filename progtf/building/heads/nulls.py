"""The null key of a head and its sharpness, from the scores that a match and a miss can reach.

The null key scores midway between the lowest match and the highest miss. The smallest difference
that matters is worth ``NATS``: what is left of a softmax's leak is below 1e-26, so that it vanishes
beside the steps of numbers up to a million, summed over a text and multiplied again.
"""

import math
from collections.abc import Sequence

from progtf.building import maps, problems
from progtf.building.fields import Fields
from progtf.building.heads.channels import shares_out
from progtf.building.heads.setting import Setting
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake
from progtf.program.forms import power_of_two_above
from progtf.program.model import Channel, Null, Part
from progtf.rational import as_float

NATS = 60.0
SOFTEST, SHARPEST = 1.0, 2.0**24
# Heads that address in one of these ways rest where nothing matches, ``else`` or not.
_RESTING = ("at", "match", "nearest", "where", "when")


def build_null(
    fields: Fields, parts: Sequence[Part], channels: Sequence[Channel], setting: Setting
) -> tuple[Null | None, float]:
    """The null key, if there is one, and the smallest difference of scores that matters."""
    gap = min((part.gap for part in parts), default=1.0)
    if shares_out(fields):
        if "else" in fields:
            raise Mistake(problems.heads.null_of_queries(fields.span("else")))
        if "where" in fields:
            raise Mistake(problems.heads.where_of_queries(fields.span("where")))
        return None, gap
    choosy = any(part.selective for part in parts if part.kind == "extreme")
    if not (choosy or "else" in fields or any(key in fields for key in _RESTING)):
        return None, gap
    rest = fields.rest()
    filler = _filler(rest.filler, fields, channels, setting)
    if rest.below is not None:
        return Null(as_float(rest.below), filler), gap
    match, miss = match_and_miss(parts)
    if match <= miss + 1e-9:
        lost = problems.heads.never_misses if miss == math.inf else problems.heads.no_null
        raise Mistake(lost(fields.span("else"), match, miss))
    return Null((match + miss) / 2, filler), min(gap, (match - miss) / 2)


def _filler(
    entries: f.Entries, fields: Fields, channels: Sequence[Channel], setting: Setting
) -> tuple[float, ...]:
    """What the null key fills into each channel: by target, or with ``out`` by feature."""
    if "out" in fields:
        forms = maps.affine(entries, setting.names, features=True)
        given = {name: form.constant for name, form in forms.items()}
    else:
        given = maps.vector(entries, setting.names)
    written = [channel.name for channel in channels]
    for target in given:
        if target not in written:
            raise Mistake(
                problems.heads.else_without_value(fields.span("else"), target, known=written)
            )
    return tuple(given.get(name, 0.0) for name in written)


def match_and_miss(parts: Sequence[Part]) -> tuple[float, float]:
    """The lowest score of a key that matches in every part, and the highest of any other key."""
    match = sum(part.match for part in parts)
    high = sum(part.high for part in parts)
    misses = [high - part.high + part.miss for part in parts if part.selective]
    return match, max(misses, default=float("inf"))


def sharpness(given: float | None, gap: float) -> float:
    """The factor of all scores: as given, or so that ``gap`` is worth ``NATS``."""
    if given is not None:
        return given
    return min(SHARPEST, max(SOFTEST, power_of_two_above(NATS / max(gap, 1e-9))))
