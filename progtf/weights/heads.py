"""Heads to maps: features to queries and keys, channels to values, roles and what is written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from progtf.program import model as m
from progtf.program.forms import Form, add_to, is_nothing
from progtf.weights.maps import BIAS, CONSTANT, MARKS, Key, Map, Path, Place
from progtf.weights.weights import EXACT

MarkName = tuple[str, str, str]


@dataclass(frozen=True)
class Filled:
    """Makes maps between the residual and something else.

    Attributes:
        index: seme -> column of the residual.
        names: of all columns of the residual.
    """

    index: Mapping[str, int]
    names: tuple[str, ...]

    def columns(
        self, key: Key, forms: Mapping[str, Form],
        marks: m.Marks | None = None, targets: tuple[str, ...] | None = None,
    ) -> Map:  # fmt: skip
        """A map that reads the residual: each form gives one target."""
        targets = tuple(forms) if targets is None else targets
        column = {name: number for number, name in enumerate(targets)}
        entries: dict[Place, float] = {}
        for name, form in forms.items():
            for seme, value in form.coefficients.items():
                entries[self.index[seme], column[name]] = value
            if not is_nothing(form.constant):
                entries[BIAS, column[name]] = form.constant
        return _marked(key, self.names, targets, entries, marks)

    def rows(self, key: Key, written: Mapping[str, Mapping[str, float]], marks: m.Marks) -> Map:
        """A map that writes to the residual: each source adds a vector."""
        entries = {
            (row, self.index[seme]): value
            for row, vector in enumerate(written.values())
            for seme, value in vector.items()
        }
        return _marked(key, tuple(written), self.names, entries, marks)

    def bias(
        self, key: Key, given: Mapping[str, float], targets: tuple[str, ...], marks: m.Marks
    ) -> Map:
        """A bias: there is no source."""
        of_residual = targets == self.names
        column = self.index if of_residual else {name: n for n, name in enumerate(targets)}
        kept = {(BIAS, column[n]): v for n, v in given.items() if not is_nothing(v)}
        return _marked(key, (), targets, kept, marks)


def _marked(
    key: Key, sources: tuple[str, ...], targets: tuple[str, ...],
    entries: dict[Place, float], marks: m.Marks | None,
) -> Map:  # fmt: skip
    """The map with those marks that are of its field."""
    mine = {(s, t): mark for (field, s, t), mark in (marks or {}).items() if field == key[1]}
    if not mine:
        return Map.of(key, sources, targets, entries)
    row = {CONSTANT: BIAS, **{name: number for number, name in reversed([*enumerate(sources)])}}
    column = {name: number for number, name in reversed([*enumerate(targets)])}
    codes = {(row[s], column[t]): MARKS.index(mark) for (s, t), mark in mine.items()}
    return Map.of(key, sources, targets, entries, codes)


def head_maps(
    paths: Sequence[Path], heads: Sequence[m.Head], binding: m.Binding, fill: Filled
) -> Iterator[Map]:
    """The maps of all heads of a sublayer; what they add everywhere is one sum, of the first."""
    bias, marks = _bias(heads)
    for path, head in zip(paths, heads, strict=True):
        features = list(unique(feature.name for feature in head.features))
        for field in ("query", "key"):
            if field not in head.learned:
                forms = [getattr(feature, field) for feature in head.features]
                yield fill.columns(
                    (path, field), dict(zip(features, forms, strict=True)), head.marks
                )
        if not head.learned:
            own = dict(head.marks)
            for key in [key for key in own if key[:2] == ("out", CONSTANT)]:
                del own[key]
            yield from _retrieved(path, head, binding, fill, bias, own | marks)
            bias, marks = {}, {}
        yield _exact(path, head, binding)


def _bias(heads: Sequence[m.Head]) -> tuple[dict[str, float], dict[MarkName, m.Mark]]:
    """What written heads add everywhere, and which of that is trained."""
    total: dict[str, float] = {}
    marks: dict[MarkName, m.Mark] = {}
    for head in heads:
        if not head.learned:
            for seme, value in head.bias.items():
                add_to(total, seme, value)
            marks |= {k: mark for k, mark in head.marks.items() if k[:2] == ("out", CONSTANT)}
    return total, marks


def _retrieved(
    path: Path, head: m.Head, binding: m.Binding, fill: Filled,
    bias: Mapping[str, float], marks: m.Marks,
) -> Iterator[Map]:  # fmt: skip
    """Value, role and output map of a written head."""
    parts = _parts(head, binding)
    yield fill.columns((path, "value"), dict(zip(parts.fillers, parts.values, strict=True)), marks)
    if binding != "none":
        yield fill.columns((path, "role"), dict(zip(parts.roles, parts.bound, strict=True)), marks)
    entries: dict[Place, float] = {}
    for channel, row in zip(head.channels, parts.rows, strict=True):
        for seme, value in channel.writes.items():
            add_to(entries, (row, fill.index[seme]), value)
    entries |= {(BIAS, fill.index[s]): v for s, v in bias.items() if not is_nothing(v)}
    yield _marked((path, "out"), parts.products, fill.names, entries, marks)


@dataclass(frozen=True)
class _Parts:
    """What a head retrieves and binds it to; ``rows``: which product each channel is."""

    fillers: tuple[str, ...]
    values: tuple[Form, ...]
    roles: tuple[str, ...]
    bound: tuple[Form, ...]
    products: tuple[str, ...]
    rows: tuple[int, ...]
    nulls: tuple[float, ...]


def _parts(head: m.Head, binding: m.Binding) -> _Parts:
    """Channel by channel; of an outer product every filler and every role once."""
    channels = head.channels
    nulls = (0.0,) * len(channels) if head.null is None else head.null.filler
    if binding != "outer":
        names = tuple(unique(channel.name for channel in channels))
        values, roles = tuple(c.filler for c in channels), tuple(c.role for c in channels)
        return _Parts(names, values, names, roles, names, tuple(range(len(names))), nulls)
    given = [(c.filler, null) for c, null in zip(channels, nulls, strict=True)]
    distinct: list[tuple[Form, float]] = _once(given)
    bound: list[Form] = _once(channel.role for channel in channels)
    fillers = tuple(f"filler{i}" for i in range(len(distinct)))
    roles = tuple(f"role{i}" for i in range(len(bound)))
    products = tuple(f"{filler}*{role}" for filler in fillers for role in roles)
    rows = tuple(
        distinct.index(filler) * len(bound) + bound.index(channel.role)
        for filler, channel in zip(given, channels, strict=True)
    )
    values, fills = tuple(form for form, _ in distinct), tuple(null for _, null in distinct)
    return _Parts(fillers, values, roles, tuple(bound), products, rows, fills)


def _exact(path: Path, head: m.Head, binding: m.Binding) -> Map:
    """Sharpness, and the null key's score and filler."""
    names: tuple[str, ...] = () if head.learned else _parts(head, binding).fillers
    entries: dict[Place, float] = {(BIAS, 0): head.sharpness}
    if head.null is not None:
        entries[BIAS, 1] = head.null.score
        nulls = () if head.learned else _parts(head, binding).nulls
        entries |= {(0, 2 + place): null for place, null in enumerate(nulls) if null}
    return Map.of((path, EXACT), ("else",), ("sharpness", "below", *names), entries)


def _once(given: Iterable[Any]) -> list[Any]:
    """Each once, in the order of their first places; forms need not be hashable."""
    found: list[Any] = []
    for each in given:
        if each not in found:
            found.append(each)
    return found


def unique(names: Iterable[str]) -> Iterator[str]:
    """Names, each once: the second `f` is `f.x2`."""
    seen: dict[str, int] = {}
    for name in names:
        if name not in seen:
            seen[name] = 1
            yield name
            continue
        seen[name] += 1
        base, bracket, index = name.partition("[")
        yield f"{base}.x{seen[name]}{bracket}{index}"
