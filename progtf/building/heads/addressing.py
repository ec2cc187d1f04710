"""The ways in which a head finds what it reads, as features and the scores they can reach."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from progtf.building import maps, problems
from progtf.building.heads.setting import Setting
from progtf.building.names import Reader
from progtf.building.rules.conditions import gate, one_of, told_apart
from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation.diagnostics import Mistake, Span
from progtf.program.clocks import cos_name, ramp_gap, rotated, sin_name
from progtf.program.forms import FLAG, Form, add_to, one, power_of_two_above
from progtf.program.model import Feature, Gate, Look, Part

ONE = Form({}, 1.0)


def address(
    querypos: float, keypos: float, clocks: tuple[float, ...], length: int, span: Span
) -> Part:
    """``q_i = R(querypos) clock_i``, ``k_j = R(keypos) clock_j``: equal where the hands agree."""
    if not clocks:
        raise Mistake(problems.heads.no_clocks(span, "a position"))
    shift = querypos - keypos
    if not shift.is_integer():
        raise Mistake(messages.not_whole(span, shift))
    if abs(shift) >= length:
        raise Mistake(problems.heads.beyond_input(span, abs(shift), length))
    features: list[Feature] = []
    for period in clocks:
        mine, theirs = rotated(period, querypos), rotated(period, keypos)
        features.append(Feature(f"at.{cos_name(period)}", mine[0], theirs[0]))
        features.append(Feature(f"at.{sin_name(period)}", mine[1], theirs[1]))
    part = _pointing(features, clocks, length, int(abs(shift)), span)
    return replace(part, offset=int(shift))


def _pointing(
    features: list[Feature], clocks: tuple[float, ...], length: int, away: int, span: Span
) -> Part:
    """Features that are the hands of clocks."""
    top, gap = float(len(clocks)), told_apart(clocks, length + away, span)
    return Part("address", tuple(features), top, top, top - gap, gap, periods=clocks, shift=away)


def matched(
    entries: f.Entries, names: Reader, keys: Reader, length: int, span: Span
) -> Iterator[Part]:
    """What ``match`` compares: families, one part together, and distances, one part each."""
    relations = tuple(maps.of_kind(entries, names, "relation"))
    ends = ({entry.terms[0].name, entry.terms[-1].name} for entry in relations)
    measured = [e for e, two in zip(relations, ends, strict=True) if two & names.distances]
    for entry in measured:
        yield _same_distance(entry, names, keys, length)
    if not measured or len(measured) < len(relations):
        others = tuple(entry for entry in relations if entry not in measured)
        yield _same_member(others, names, keys, span)


def _same_distance(entry: f.Entry[f.Term], names: Reader, keys: Reader, length: int) -> Part:
    """``far ~ near``: as many tokens lie behind mine as behind theirs where all hands agree."""
    mine, *relation, theirs = entry.terms
    for term in (mine, theirs):
        if relation or term.name not in names.distances or term.coefficient != 1:
            raise Mistake(
                problems.heads.matched_distance(term.span, ", ".join(sorted(names.distances)))
            )
    features: list[Feature] = []
    pairs = zip(names.distance(str(mine.name)), keys.distance(str(theirs.name)), strict=True)
    for (_, *own), (_, *other) in pairs:
        for query, key in zip(own, other, strict=True):
            names.reads.append((query, mine.span))
            keys.reads.append((key, theirs.span))
            features.append(Feature(f"match.{query}", one(query), one(key)))
    away = length if {mine.name, theirs.name} & names.signed else 0
    return _pointing(features, names.clocks, length, away, entry.span)


def _same_member(entries: f.Entries, names: Reader, keys: Reader, span: Span) -> Part:
    """``a ~ b`` (mine ~ theirs) and ``a ~ relation ~ b``; the left side is one-hot."""
    queries: dict[str, Form] = {}
    answers: dict[str, dict[str, float]] = {}
    for mine, theirs, weight in _pairs(entries, names):
        for side in (mine, theirs):
            if side.name is None:
                raise Mistake(problems.heads.matched_constant(side.span))
        name = f"match.{mine.name}"
        queries[name] = names.form((mine,))
        values = names.space.ranges.get(str(mine.name), FLAG)
        if not 0 <= values.low <= values.high <= 1:
            raise Mistake(problems.heads.matched_number(mine.span, str(mine.name), values))
        into = answers.setdefault(name, {})
        for seme, factor in keys.form((theirs,)).coefficients.items():
            add_to(into, seme, weight * factor)
    features = tuple(Feature(name, query, Form(answers[name])) for name, query in queries.items())
    if not features:
        raise Mistake(problems.order.missing(span, "what `match` compares"))
    weights = sorted({round(w, 9) for answer in answers.values() for w in answer.values() if w > 0})
    if not weights:
        raise Mistake(problems.order.missing(span, "a positive weight in `match`"))
    gap = min([weights[0], *(b - a for a, b in itertools.pairwise(weights))])
    high = max(map(_most_of, answers.values()))
    return Part("match", features, weights[0], high, 0.0, gap)


def _most_of(weights: Mapping[str, float]) -> float:
    """The most that a key scores that has one member of each family that is looked for."""
    best: dict[str, float] = {}
    for seme, weight in weights.items():
        family = seme.partition("[")[0]
        best[family] = max(best.get(family, 0.0), weight)
    return sum(best.values())


def _pairs(entries: f.Entries, names: Reader) -> Iterator[tuple[f.Term, f.Term, float]]:
    """What a query seme compares with what key seme, each taken once, and how much that counts."""
    related: dict[str, dict[str | None, list[f.Entry[f.Term]]]] = {}
    for entry in maps.of_kind(entries, names, "relation"):
        own, *relation, other = entry.terms
        weight = own.coefficient * other.coefficient
        mine, theirs = f.Term(1.0, own.name, own.span), f.Term(1.0, other.name, other.span)
        if not relation:
            yield mine, theirs, weight
            continue
        name = relation[0].name or ""
        if name not in related:
            related[name] = _by_source(name, relation[0].span, names)
        factor = weight * relation[0].coefficient
        for pair in related[name].get(mine.name, ()):
            left, right = pair.terms[:2]
            target = f.Term(1.0, right.name, theirs.span)
            yield mine, target, factor * left.coefficient * right.coefficient


def _by_source(name: str, span: Span, names: Reader) -> dict[str | None, list[f.Entry[f.Term]]]:
    """The entries of a named relation, by what stands on their left."""
    if name not in names.values:
        raise names.unknown(name, span)
    found: dict[str | None, list[f.Entry[f.Term]]] = {}
    for entry in maps.of_kind(names.values[name].value, names, "relation"):
        found.setdefault(entry.terms[0].name, []).append(entry)
    return found


def nearest(condition: f.Condition, look: Look, setting: Setting, span: Span) -> Part:
    """The nearest key that fulfils a condition: a bonus of 2 for a match, a slow sine for nearness.

    Bonus and sine are features of their own: their sum would lose the sine in bfloat16.
    """
    keys, length = setting.source_names, setting.length
    flags = one_of(condition, keys, length)
    if flags is None:
        chosen = _open(gate(condition, keys, length, span, "nearest"))
    else:
        setting.apart.append((flags, span))
        chosen = Form(dict.fromkeys(flags, 1.0))
    sign = -1.0 if look == "after" else 1.0
    features = (
        Feature("nearest.is", Form({}, 2.0), chosen),
        Feature("nearest.ramp", ONE, one(sin_name(setting.ramp), sign)),
    )
    base = 1.0 if look == "after" else 2.0
    gap = ramp_gap(setting.ramp, length)
    periods = (setting.ramp,)
    return Part("nearest", features, base, base + 1.0, base - 1.0, gap, periods=periods)


def _open(opened: Gate) -> Form:
    """1 where a gate is open, 0 or less elsewhere."""
    return opened.violations().scaled(-1.0) + ONE


def extreme(
    key: str, said: f.Extreme[f.Term, f.Condition], keys: Reader, length: int, span: Span
) -> Part:
    """The key with the highest (lowest) value, among those that fulfil a condition."""
    ranked = keys.form(said.form).scaled(1.0 if key == "highest" else -1.0)
    values = keys.space.values(ranked)
    if values.grain == 0:
        raise Mistake(problems.rules.no_grain(span))
    features = [Feature(f"{key}.value", ONE, ranked)]
    bonus, miss = 0.0, values.low
    if said.where is not None:
        bonus, miss = power_of_two_above(2 * (values.high - values.low) + 1), values.high
        opened = _open(gate(said.where, keys, length, span, key))
        features.append(Feature(f"{key}.where", Form({}, bonus), opened))
    ends = bonus + values.low, bonus + values.high, miss
    return Part("extreme", tuple(features), *ends, values.grain, selective=said.where is not None)


def conditioned(opened: Gate, key: str, penalty: float) -> Part:
    """A penalty for every flag of a gate that is not as it must be: of ``where`` or of ``when``."""
    sides = Form({}, -penalty), opened.violations()
    feature = Feature(f"only.{key}", *(sides if key == "where" else reversed(sides)))
    return Part("condition", (feature,), 0.0, 0.0, -penalty, penalty)
