"""What a program declares, as its symbol table: semes, distances, clocks, aliases, values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.program import problems
from progtf.program.clocks import cos_name, ladder, ramp_period, sin_name
from progtf.program.definitions import build_definitions
from progtf.program.forms import Space, Values
from progtf.program.names import Names, distance_values, groups_of
from progtf.program.phrases import counters
from progtf.program.settings import Settings

_ADDRESSES = {"at", "querypos", "keypos", "distance"}


@dataclass(frozen=True, slots=True)
class Symbols:
    """The symbol table, and which clocks stand in the space.

    Attributes:
        names: what names mean; nobody follows its reads yet.
        semes: how many names of the space are declared.
        periods: all clocks, the ramp of ``nearest`` included.
        ramp: the period of that ramp, 0 without one.
    """

    names: Names
    semes: int
    periods: tuple[float, ...]
    ramp: float


def build_symbols(
    flat: f.Flat, settings: Settings, report: Callable[[Diagnostic], None]
) -> Symbols:
    """The symbol table of a flat program.

    Raises:
        Mistake: for clocks that cannot be.
    """
    statements = tuple(f.walk(flat.statements))
    clocks = _clocks(statements, settings)
    declared, distances, first = _declared(flat, clocks)
    definitions = build_definitions(statements, declared, report)
    phrases = [statement for statement in statements if isinstance(statement, f.Phrase)]
    declared |= counters(phrases, settings.tokens)
    ramp = ramp_period(max(settings.lengths) + 2) if "nearest" in _keys(statements) else 0.0
    periods = (*clocks, ramp) if ramp and ramp not in clocks else clocks
    hands = {hand: distance_values() for p in periods for hand in (cos_name(p), sin_name(p))}
    names = Names(
        space=Space.of(declared | hands),
        distances=distances,
        families=flat.families,
        clocks=clocks,
        aliases=definitions.aliases,
        values=definitions.values,
        declared=first,
        read=_unnoticed,
        report=report,
        groups=_groups(declared, distances),
    )
    return Symbols(names, len(declared), periods, ramp)


def _unnoticed(_name: str, _span: Span) -> None:
    """A read that needs no writer."""


def _keys(statements: tuple[f.Statement, ...]) -> set[str]:
    return {statement.key for statement in statements if isinstance(statement, f.Field)}


def _clocks(statements: tuple[f.Statement, ...], settings: Settings) -> tuple[float, ...]:
    """The declared clocks, or a ladder where positions are used without any."""
    for statement in statements:
        match statement:
            case f.Field(key="clocks", value=f.Numbers(values=periods)):
                return _checked(periods, statement.span)
            case _:
                pass
    phrased = any(isinstance(statement, f.Phrase) for statement in statements)
    if phrased or _keys(statements) & _ADDRESSES:
        return ladder(max(settings.lengths))
    return ()


def _checked(periods: tuple[float, ...], span: Span) -> tuple[float, ...]:
    if any(period <= 1 for period in periods) or len(set(periods)) < len(periods):
        allowed = ("different periods above 1",)
        raise Mistake(problems.bad_setting(span, "clocks", f"{min(periods):g}", allowed))
    return tuple(float(period) for period in periods)


def _declared(
    flat: f.Flat, clocks: tuple[float, ...]
) -> tuple[dict[str, Values], frozenset[str], Span | None]:
    """The semes with their values, the distances, and where the first of them stands."""
    declared: dict[str, Values] = {}
    distances: set[str] = set()
    items = [item for item in flat.statements if isinstance(item, (f.Seme, f.Distance))]
    for item in items:
        if isinstance(item, f.Seme):
            declared[item.name] = Values(item.low, item.high, item.step)
            continue
        distances.add(item.name)
        for period in clocks:
            declared[f"{item.name}.{cos_name(period)}"] = distance_values()
            declared[f"{item.name}.{sin_name(period)}"] = distance_values()
    return declared, frozenset(distances), items[0].span if items else None


def _groups(
    declared: Mapping[str, Values], distances: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """What stands before the first dot of several names, if it is no name itself."""
    groups = groups_of(tuple(n for n in declared if n.partition(".")[0] not in distances))
    return {stem: members for stem, members in groups.items() if stem not in declared}
