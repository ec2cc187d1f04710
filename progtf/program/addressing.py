"""The ways in which a head finds what it reads, as features and the scores they can reach."""

import itertools
from dataclasses import dataclass
from typing import Literal

from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, Span
from progtf.program import maps, problems
from progtf.program.clocks import (
    address_gap,
    cos_name,
    ramp_gap,
    rotated,
    sin_name,
)
from progtf.program.conditions import exclusive_sum, gate
from progtf.program.forms import Form, Space, add_to, one, power_of_two_above
from progtf.program.model import Feature, Gate, Look
from progtf.program.names import Names

ONE = Form({}, 1.0)
MOST_LEVELS = 64


@dataclass(frozen=True, slots=True)
class Part:
    """Features and what their scores tell.

    Attributes:
        match: the lowest score of a match.
        high: the highest score of all.
        miss: the highest score without a match.
        gap: the smallest difference between two matches that must be told apart.
        selective: whether it can miss at all.
    """

    kind: Literal["raw", "address", "match", "nearest", "extreme", "condition"]
    features: tuple[Feature, ...]
    match: float
    high: float
    miss: float
    gap: float
    selective: bool = True


def raw(query: f.Entries, key: f.Entries, names: Names, keys: Names, span: Span) -> Part:
    """Written ``query`` and ``key``; the features of one family are one-hot."""
    queries = maps.affine(query, names, features=True)
    answers = maps.affine(key, keys, features=True)
    _same_features(query, key, queries, answers, span)
    features = tuple(Feature(name, queries[name], answers[name]) for name in queries)
    return _scored("raw", features, names.space, keys.space)


def _same_features(
    query: f.Entries, key: f.Entries, queries: dict[str, Form], answers: dict[str, Form], span: Span
) -> None:
    for mine, theirs, entries, side, other in (
        (queries, answers, query, "query", "key"),
        (answers, queries, key, "key", "query"),
    ):
        for name in mine:
            if name not in theirs:
                place = next((e.terms[-1].span for e in entries if e.terms[-1].name == name), span)
                raise Mistake(problems.unmatched_feature(place, name, side, other, theirs))


def _scored(
    kind: Literal["raw", "match"], features: tuple[Feature, ...], space: Space, keys: Space
) -> Part:
    """What independent features can score; members of a family count once, as one-hot."""
    groups: dict[str, list[list[float]]] = {}
    for feature in features:
        stem = feature.name.partition("[")[0]
        groups.setdefault(stem, []).append(_levels(feature, space, keys))
    match = high = 0.0
    gap, lowest = float("inf"), float("inf")
    for members in groups.values():
        levels = sorted({level for member in members for level in member})
        positive = [level for level in levels if level > 1e-9]
        least, most = (positive[0], positive[-1]) if positive else (0.0, 0.0)
        match, high = match + least, high + most
        lowest = min(lowest, most - max((x for x in levels if x <= 1e-9), default=0.0))
        gap = min([gap, *(b - a for a, b in itertools.pairwise(levels) if b - a > 1e-9)])
    miss = high - lowest if groups else 0.0
    return Part(kind, features, match, high, miss, gap if gap < float("inf") else 1.0, bool(groups))


def _levels(feature: Feature, space: Space, keys: Space) -> list[float]:
    """The products that a feature can contribute, or just the extremes where there are many."""
    query, key = _points(feature.query, space), _points(feature.key, keys)
    return sorted({round(a * b, 9) for a in query for b in key})


def _points(form: Form, space: Space) -> list[float]:
    values = space.values(form)
    if values.grain == 0 or values.count > MOST_LEVELS:
        return (
            [values.low, 0.0, values.high]
            if values.low < 0 < values.high
            else [values.low, values.high]
        )
    return [values.low + k * values.grain for k in range(int(values.count))]


def address(
    querypos: float, keypos: float, clocks: tuple[float, ...], length: int, span: Span
) -> Part:
    """``q_i = R(querypos) clock_i``, ``k_j = R(keypos) clock_j``: equal where the hands agree."""
    if not clocks:
        raise Mistake(problems.no_clocks(span, "a position"))
    features: list[Feature] = []
    for period in clocks:
        mine, theirs = rotated(period, querypos), rotated(period, keypos)
        features.append(Feature(f"at.{cos_name(period)}", mine[0], theirs[0]))
        features.append(Feature(f"at.{sin_name(period)}", mine[1], theirs[1]))
    reach = length + int(abs(querypos - keypos))
    top, gap = float(len(clocks)), address_gap(clocks, reach)
    return Part("address", tuple(features), top, top, top - gap, gap)


def matched(entries: f.Entries, names: Names, keys: Names, span: Span) -> Part:
    """``a ~ b`` (mine ~ theirs) and ``a ~ relation ~ b``; the left side is one-hot."""
    queries: dict[str, Form] = {}
    answers: dict[str, dict[str, float]] = {}
    for entry in maps.of_kind(entries, names, "relation"):
        for mine, theirs, weight in _pairs(entry, names):
            name = f"match.{mine.name}"
            queries[name] = names.form((f.Term(1.0, mine.name, mine.span),))
            for seme, factor in keys.form(
                (f.Term(1.0, theirs.name, theirs.span),)
            ).coefficients.items():
                add_to(answers.setdefault(name, {}), seme, weight * factor)
    features = tuple(Feature(name, query, Form(answers[name])) for name, query in queries.items())
    if not features:
        raise Mistake(problems.missing(span, "what `match` compares"))
    weights = sorted({round(w, 9) for answer in answers.values() for w in answer.values() if w > 0})
    if not weights:
        raise Mistake(problems.missing(span, "a positive weight in `match`"))
    gap = min([weights[0], *(b - a for a, b in itertools.pairwise(weights))])
    return Part("match", features, weights[0], weights[-1], 0.0, gap)


def _pairs(entry: f.Entry, names: Names) -> list[tuple[f.Term, f.Term, float]]:
    if len(entry.terms) == 2:
        mine, theirs = entry.terms
        return [(mine, theirs, mine.coefficient * theirs.coefficient)]
    mine, relation, theirs = entry.terms
    if relation.name is None or relation.name not in names.values:
        raise names.unknown(relation.name or "", relation.span)
    found = maps.of_kind(names.values[relation.name].value, names, "relation")
    return [
        (
            replace_span(e.terms[0], mine.span),
            replace_span(e.terms[1], theirs.span),
            e.terms[0].coefficient * e.terms[1].coefficient,
        )
        for e in found
        if e.terms[0].name == mine.name
    ]


def replace_span(term: f.Term, span: Span) -> f.Term:
    """The same term, blamed on another place."""
    return f.Term(term.coefficient, term.name, span)


def nearest(
    condition: f.Condition, look: Look, keys: Names, ramp: float, length: int, span: Span
) -> Part:
    """The nearest key that fulfils a condition: a bonus of 2 for a match, a slow sine for nearness.

    Bonus and sine are features of their own: their sum would lose the sine in bfloat16.
    """
    chosen = exclusive_sum(condition, keys)
    if chosen is None:
        chosen = _open(gate(condition, keys, length, span, "nearest"))
    sign = -1.0 if look == "after" else 1.0
    features = (
        Feature("nearest.is", Form({}, 2.0), chosen),
        Feature("nearest.ramp", ONE, one(sin_name(ramp), sign)),
    )
    base = 1.0 if look == "after" else 2.0
    return Part("nearest", features, base, base + 1.0, base - 1.0, ramp_gap(ramp, length))


def _open(opened: Gate) -> Form:
    """1 where a gate is open, 0 or less elsewhere."""
    return opened.violations().scaled(-1.0) + ONE


def extreme(
    key: str, form: f.Form, where: f.Condition | None, keys: Names, length: int, span: Span
) -> Part:
    """The key with the highest (lowest) value, among those that fulfil a condition."""
    ranked = keys.form(form).scaled(1.0 if key == "highest" else -1.0)
    values = keys.space.values(ranked)
    if values.grain == 0:
        raise Mistake(problems.no_grain(span))
    features = [Feature(f"{key}.value", ONE, ranked)]
    if where is None:
        return Part(
            "extreme",
            tuple(features),
            values.low,
            values.high,
            values.low,
            values.grain,
            selective=False,
        )
    bonus = power_of_two_above(2 * (values.high - values.low) + 1)
    opened = _open(gate(where, keys, length, span, key))
    features.append(Feature(f"{key}.where", Form({}, bonus), opened))
    return Part(
        "extreme",
        tuple(features),
        bonus + values.low,
        bonus + values.high,
        values.high,
        values.grain,
    )


def conditioned(opened: Gate, side: str, penalty: float, name: str) -> Part:
    """A penalty for every flag of a gate that is not as it must be, on the key or the query."""
    form = opened.violations()
    label = f"only.{name}"
    feature = (
        Feature(label, Form({}, -penalty), form)
        if side == "key"
        else Feature(label, form, Form({}, -penalty))
    )
    return Part("condition", (feature,), 0.0, 0.0, -penalty, penalty)
