"""What a program declares, as its symbol table: semes, distances, clocks, aliases, values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from progtf.building import problems
from progtf.building.definitions import build_definitions
from progtf.building.names import CLOCKED, HAND, Hands, Names, groups_of
from progtf.building.phrases import counters
from progtf.building.settings import Settings
from progtf.notation import flat as f
from progtf.notation.diagnostics import Report, Span
from progtf.notation.fields import DISTANCE, OFFSET, keys_of
from progtf.notation.spell import UNFINISHED, number
from progtf.program.clocks import cos_name, ladder, ramp_period, sin_name
from progtf.program.forms import FLAG, Space, Values

MOST_CLOCKS = 64
_NAMING = (f.Seme, f.Distance)
_ADDRESSES = set(keys_of(OFFSET, DISTANCE))


@dataclass(frozen=True, slots=True)
class Symbols:
    """The symbol table, and which clocks stand in the space.

    Attributes:
        names: what names mean.
        semes: how many names of the space are declared.
        periods: all clocks, the ramp of ``nearest`` included.
        ramp: the period of that ramp, 0 without one.
    """

    names: Names
    semes: int
    periods: tuple[float, ...]
    ramp: float

    def with_flags(self, flags: Sequence[str], loops: Sequence[f.Loop]) -> "Symbols":
        """These symbols, and flags after the semes that are declared; those of loops stand last.

        A loop has those of its rounds and then that of its end, and loops stand by their names, in
        whichever order they are found: so a program that is read off a network has the order of the
        first one.
        """
        ranges = list(self.names.space.ranges.items())
        declared = dict([*ranges[: self.semes], *((flag, FLAG) for flag in flags)])
        for loop in sorted(loops, key=lambda loop: loop.name):
            inside = {name for reset in loop.resets for name in self.names.hands_of(reset)}
            names = [*filter(inside.__contains__, declared), f"{loop.name}{UNFINISHED}"]
            declared |= {name: declared.pop(name) for name in names}
        space = Space.of(declared | dict(ranges[self.semes :]))
        return replace(self, names=replace(self.names, space=space), semes=len(declared))


def build_symbols(flat: f.Flat, settings: Settings, report: Report) -> Symbols:
    """The symbol table of a flat program; what is wrong with it is reported."""
    statements = tuple(f.walk(flat.statements))
    clocks = _clocks(statements, settings, report)
    declared, hands_of, first = _declared(flat, clocks, report)
    distances = frozenset(hands_of)
    places = {item.name: item.span for item in flat.statements if isinstance(item, _NAMING)}
    definitions = build_definitions(statements, places, report)
    phrases = [statement for statement in statements if isinstance(statement, f.Phrase)]
    declared |= counters(phrases, settings.tokens)
    ramp = ramp_period(settings.longest) if "nearest" in _keys(statements) else 0.0
    periods = (*clocks, ramp) if ramp and ramp not in clocks else clocks
    hands = {hand: HAND for p in periods for hand in (cos_name(p), sin_name(p))}
    names = Names(
        space=Space.of(declared | hands),
        distances=distances,
        signed=frozenset(_signed(statements)),
        families=flat.families,
        clocks=clocks,
        aliases=definitions.aliases,
        values=definitions.values,
        declared=first,
        groups=_groups(declared, distances),
        ends=frozenset(_ends(statements)),
        hands=hands_of,
    )
    return Symbols(names, len(declared), periods, ramp)


def _ends(statements: tuple[f.Statement, ...]) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, f.Block) and statement.loop is not None:
            yield f"{statement.loop.name}{UNFINISHED}"


def _keys(statements: tuple[f.Statement, ...]) -> set[str]:
    return {statement.key for statement in statements if isinstance(statement, f.Field)}


def _clocks(
    statements: tuple[f.Statement, ...], settings: Settings, report: Report
) -> tuple[float, ...]:
    """The declared clocks, or a ladder where positions are used without any."""
    for statement in statements:
        match statement:
            case f.Field(key="clocks", value=f.Numbers(values=periods)):
                return _checked(periods, statement.span, report)
            case _:
                pass
    phrased = any(isinstance(statement, f.Phrase) for statement in statements)
    if phrased or _keys(statements) & _ADDRESSES:
        return ladder(settings.longest)
    return ()


def _checked(periods: tuple[float, ...], span: Span, report: Report) -> tuple[float, ...]:
    for place, period in enumerate(periods):
        if period <= 1 or period in periods[:place]:
            shown = f"/{number(period)}"
            report(problems.order.bad_setting(span, "clocks", shown, "different periods above 1"))
    if len(periods) > MOST_CLOCKS:
        shown = f"{len(periods)} periods"
        report(problems.order.bad_setting(span, "clocks", shown, f"no more than {MOST_CLOCKS}"))
        return ()
    return tuple(float(period) for period in dict.fromkeys(periods) if period > 1)


# Behind `+2f["a"] +3`, say, these go on with the line: no seme of that name could stand there. A
# number must follow on `below`, so that `below[1]` is free.
WORDS = frozenset({"below", "keypos", "otherwise", "querypos", "when", "where"})


def _declared(
    flat: f.Flat, clocks: tuple[float, ...], report: Report
) -> tuple[dict[str, Values], dict[str, Hands], Span | None]:
    """The semes with their values, the distances, and where the first of them stands."""
    declared: dict[str, Values] = {}
    distances: dict[str, Hands] = {}
    faces = [(period, cos_name(period), sin_name(period)) for period in clocks]
    items = [item for item in flat.statements if isinstance(item, _NAMING)]
    for item in items:
        if item.name.startswith(CLOCKED):
            report(problems.names.reserved_name(item.span, item.name))
        if item.name in WORDS or item.name.partition("[")[0] in WORDS - {"below"}:
            report(problems.names.word_of_the_language(item.span, item.name))
        if isinstance(item, f.Seme):
            values = Values(item.low, item.high, item.step)
            declared[item.name] = FLAG if values == FLAG else values
            continue
        hands = tuple((period, f"{item.name}.{c}", f"{item.name}.{s}") for period, c, s in faces)
        distances[item.name] = hands
        declared |= {hand: HAND for _, *two in hands for hand in two}
    return declared, distances, items[0].span if items else None


def _signed(statements: tuple[f.Statement, ...]) -> Iterator[str]:
    """The distances that some head takes to both sides."""
    for block in statements:
        if isinstance(block, f.Block) and block.keyword == "head":
            fields = {item.key: item.value for item in block.children if isinstance(item, f.Field)}
            name = fields.get("distance")
            if isinstance(name, str) and fields.get("look") not in ("before", "upto", "after"):
                yield name


def _groups(
    declared: Mapping[str, Values], distances: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """What stands before the first dot of several names, if it is no name itself."""
    groups = groups_of(tuple(n for n in declared if n.partition(".")[0] not in distances))
    return {stem: members for stem, members in groups.items() if stem not in declared}
