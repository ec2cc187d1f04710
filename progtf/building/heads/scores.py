"""What the features of a head can score: the lowest match, the highest miss, the finest gap."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from progtf.building import maps, problems
from progtf.building.names import Reader
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.program.forms import Form, Space, Values, power_of_two_above
from progtf.program.model import Feature, Part

MOST_LEVELS = 64
_NOTHING = 1e-9


def balanced(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Parts that are combined: a member that differs costs more than the others can make up."""
    parts = tuple(parts)
    spread = sum(part.high - part.match for part in parts if part.kind != "match")
    factor = 2 * power_of_two_above(spread) if spread > 0 else 1.0
    return tuple(_weighted(part, factor) if part.kind == "match" else part for part in parts)


def _weighted(part: Part, factor: float) -> Part:
    features = tuple(
        replace(feature, query=feature.query.scaled(factor)) for feature in part.features
    )
    scores = {name: factor * getattr(part, name) for name in ("match", "high", "miss", "gap")}
    return replace(part, features=features, **scores)


def raw(query: f.Entries, key: f.Entries, names: Reader, keys: Reader, span: Span) -> Part:
    """Written ``query`` and ``key``; the features of one family are one-hot."""
    queries = maps.affine(query, names, features=True)
    answers = maps.affine(key, keys, features=True)
    wrong = [
        *_only_in(queries, answers, query, ("query", "key"), span),
        *_only_in(answers, queries, key, ("key", "query"), span),
    ]
    readable = all(entry.terms[-1].name is not None for entry in (*query, *key))
    for problem in wrong if readable else ():
        names.wrong.append(problem)
    if wrong and readable:
        raise Mistake(wrong[0])
    both = queries.keys() & answers.keys()
    features = tuple(
        Feature(name, queries[name], answers[name]) for name in queries if name in both
    )
    return scored("raw", features, names.space, keys.space)


def _only_in(
    mine: Mapping[str, Form],
    theirs: Mapping[str, Form],
    entries: f.Entries,
    sides: tuple[str, str],
    span: Span,
) -> Iterator[Diagnostic]:
    """What is wrong with features that only one side has."""
    for name in mine:
        if name not in theirs:
            place = next((e.terms[-1].span for e in entries if e.terms[-1].name == name), span)
            words = name, *sides, problems.heads.SCORES
            yield problems.heads.unmatched_feature(place, *words, known=theirs)


def scored(
    kind: Literal["raw", "match"], features: tuple[Feature, ...], space: Space, keys: Space
) -> Part:
    """What independent features can score; members of a family count once, as one-hot."""
    groups: dict[str, set[float]] = {}
    for feature in features:
        stem = feature.name.partition("[")[0]
        groups.setdefault(stem, set()).update(_levels(feature, space, keys))
    ladders = [sorted(levels) for levels in groups.values()]
    steps = [b - a for ladder in ladders for a, b in itertools.pairwise(ladder)]
    gap = min((step for step in steps if step > _NOTHING), default=1.0)
    hits = [[level for level in ladder if level > _NOTHING] or [0.0] for ladder in ladders]
    rests = [max((x for x in ladder if x <= _NOTHING), default=0.0) for ladder in ladders]
    smooth = any(_smooth(feature, space, keys) for feature in features)
    match = 0.0 if smooth else sum(hit[0] for hit in hits)
    high = sum(hit[-1] for hit in hits)
    lost = min((hit[-1] - rest for hit, rest in zip(hits, rests, strict=True)), default=0.0)
    return Part(kind, features, match, high, high - lost, gap, bool(groups))


def _smooth(feature: Feature, space: Space, keys: Space) -> bool:
    """Whether a feature can score as little as it likes."""
    both = space.values(feature.query), keys.values(feature.key)
    return any(values.grain == 0 and values.low < values.high for values in both)


def _levels(feature: Feature, space: Space, keys: Space) -> Iterator[float]:
    """The products that a feature can contribute, or those around 0 and at the ends."""
    query, key = space.values(feature.query), keys.values(feature.key)
    theirs = _points(key)
    for mine in _points(query):
        yield from (round(mine * other, 9) for other in theirs)


def _points(values: Values) -> list[float]:
    """The numbers that a form can take, or those around 0 and at its ends."""
    if values.low == values.high:
        return [values.low]
    if values.grain == 0:
        return [values.low, *([0.0] if values.low < 0 < values.high else []), values.high]
    if values.count <= MOST_LEVELS:
        return [values.at(number) for number in range(int(values.count))]
    last, zero = int(values.count) - 1, values.above(0.0)
    chosen = {0, 1, zero - 1, zero, zero + 1, last - 1, last}
    return [values.at(number) for number in sorted(chosen) if 0 <= number <= last]
