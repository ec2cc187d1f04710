"""Changes to what is computed, by the names of a program: for interpreter and network alike."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, Literal, cast

import numpy as np

from progtf.notation.did_you_mean import nearest
from progtf.program.arrays import Array

EMBEDDING, CELL = "embedding", "cell"
How = Literal["set", "add", "scale", "swap", "ablate"]


@dataclass(frozen=True)
class Change:
    """What becomes of a seme behind a layer, or of a head or rules in it.

    Attributes:
        how: whether a value is put in its place, added, multiplied with it, or taken from another
            text, or whether the head or the rules write nothing.
        amount: the value.
        at: the places of tokens; None: everywhere.
        source: the other text.
    """

    how: How
    amount: float = 0.0
    at: tuple[int, ...] | None = None
    source: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError for an amount that is no number, or has no end."""
        if not isfinite(_number(self.amount)):
            raise ValueError(f"{self.amount} is given, and a number with an end is due")

    def factors(self, first: int, count: int, source: Array | None) -> tuple[Array, Array]:
        """What values are multiplied with, and what is added then, at places from ``first`` on.

        Args:
            first: the place of the first value.
            count: how many values there are.
            source: the values of the other text, from its first token on; what it does not have
                stays.
        """
        places = np.arange(first, first + count)
        chosen = np.ones(count, bool) if self.at is None else np.isin(places, self.at)
        amount = np.full(count, self.amount)
        if source is not None:
            chosen &= places < len(source)
            amount = source[np.minimum(places, len(source) - 1)]
        factor = {"add": 1.0, "scale": self.amount}.get(self.how, 0.0)
        added = np.where(chosen & (self.how != "scale"), amount, 0.0)
        return np.where(chosen, factor, 1.0), added


Patch = Mapping[str, Mapping[str, Change | Sequence[Change]]]
"""Layer, as ``encoder.read`` -> seme or head -> what becomes of it."""


def value_at(at: int | Sequence[int], value: float) -> Change:
    """A seme is ``value`` at some places.

    Raises:
        ValueError: for places that are none, and for a value that float64 does not have.
    """
    return Change("set", _number(value), _places(at, needed=True))


def set_to(value: float) -> Change:
    """A seme is ``value`` everywhere."""
    return Change("set", _number(value))


def added(value: float, at: int | Sequence[int] | None = None) -> Change:
    """A seme is more by ``value``, everywhere or at some places."""
    return Change("add", _number(value), _places(at))


def scaled(factor: float, at: int | Sequence[int] | None = None) -> Change:
    """A seme is multiplied, everywhere or at some places."""
    return Change("scale", _number(factor), _places(at))


def swapped(source: str, at: int | Sequence[int] | None = None) -> Change:
    """A seme is what it is in another text at the same places; where that has ended it stays.

    The other text is read with nothing changed.
    """
    if not isinstance(cast("object", source), str):
        raise ValueError(f"{source!r} is given, and another text is due")  # noqa: TRY004  as below
    return Change("swap", 0.0, _places(at), source)


def ablated() -> Change:
    """A head writes nothing; of a seme: no rule of the layer writes it."""
    return Change("ablate")


def _number(given: Any) -> float:
    """A number as float64 has it; a whole one must be that very number."""
    if getattr(given, "shape", None) == ():  # of one entry
        given = given.item()
    if not isinstance(given, Real | Decimal):
        raise ValueError(f"{given!r} is given, and a number is due")  # noqa: TRY004
    exact: Any = int(given) if isinstance(given, Integral) else given
    try:
        number = float(exact)
    except OverflowError:
        number = inf
    if number == inf and exact != inf:
        raise ValueError("a number is given that is larger than any of float64")
    if isfinite(number) and number.is_integer() and number != exact:
        near = f"; the nearest that it has is {int(number)}" if exact == int(exact) else ""
        raise ValueError(f"{given}: float64 has no such number{near}")
    return number


def _places(at: Any, *, needed: bool = False) -> tuple[int, ...] | None:
    """The places of tokens that are given, if any are."""
    if at is None and not needed:
        return None
    places: list[Any] = [at]
    if isinstance(at, Iterable) and not isinstance(at, str):
        places = [*cast("Iterable[Any]", at)]
    found: list[int] = []
    for place in places:
        if not isinstance(place, Integral) or place is True or place is False:
            due = "the place of a token is due, such as 0"
            raise ValueError(f"at: {place!r} is given, and {due}")
        if place < 0:
            raise ValueError(f"at: {place} is given, and places of tokens begin with 0")
        found.append(int(place))
    return tuple(found)


@dataclass(frozen=True)
class Named:
    """A change with its names: the layer, and what is changed there; ``head``: that is a head."""

    layer: str
    name: str
    change: Change
    head: bool

    @property
    def whole(self) -> str:
        """``encoder.read.hit``."""
        return f"{self.layer}.{self.name}"


def named(
    patch: Patch, semes: Sequence[str], heads: Mapping[str, Sequence[str]]
) -> tuple[Named, ...]:
    """The changes of a patch one by one, their names checked.

    Args:
        patch: by layer and name.
        semes: of the program, clocks with them.
        heads: layer -> the names of its heads; every layer is there.

    Raises:
        ValueError: for a name that is none, with the nearest; and for a program without layers.
    """
    if patch and not heads:
        raise ValueError("this program has no layers: what tokens give is what it answers")
    return tuple(_named(patch, set(semes), heads))


def _named(patch: Patch, semes: set[str], heads: Mapping[str, Sequence[str]]) -> Iterator[Named]:
    for layer, changes in patch.items():
        _check("layer", layer, heads)
        _check_change(layer, changes, Mapping)
        own = [name for called in heads[layer] for name in (called, f"head {called}")]
        for name, some in changes.items():
            for change in some if isinstance(some, Sequence) else (some,):
                _check_change(f"{layer}.{name}", change, Change)
                if change.how == "ablate":
                    _check_written(layer, name)
                    _check(f"seme or head of {layer}", name, [*semes, *own])
                    yield Named(layer, name.removeprefix("head "), change, name not in semes)
                else:
                    _check("seme", name, semes)
                    yield Named(layer, name, change, head=False)


def _check_change(whole: str, given: object, due: type) -> None:
    if not isinstance(given, due):
        what = "such as `set_to(1)`" if due is Change else "semes and changes, by name"
        raise ValueError(f"{whole}: {given!r} is given, and a change is due, {what}")  # noqa: TRY004


def _check_written(layer: str, name: str) -> None:
    """What is no layer has no head or rule that could write nothing."""
    if layer.partition(".")[2] in (EMBEDDING, CELL):
        raise ValueError(f"{layer}.{name}: no head and no rule writes it; `set_to(0)` makes it 0")


def _check(what: str, name: str, known: Sequence[str] | Mapping[str, object] | set[str]) -> None:
    if name not in known:
        hint = nearest(name, sorted(known))
        raise ValueError(f"no {what} is called `{name}`" + (hint and f"; {hint}"))


def layer_names(names: Sequence[str]) -> list[str]:
    """What layers of these names are called in a patch: one whose name stood before is numbered."""
    return [
        f"{place + 1} {name}" if name in (*names[:place], EMBEDDING, CELL) else name
        for place, name in enumerate(names)
    ]


def head_labels(names: Sequence[str]) -> list[str]:
    """The labels of heads: ``head`` and the name; those of one name are numbered."""
    seen: dict[str, int] = {}
    labels: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        labels.append(f"head {name}".strip() + (f" {seen[name]}" if seen[name] > 1 else ""))
    return labels


def called(label: str) -> str:
    """The label of a head as a name: ``end``, ``end 2``; ``head`` if it has none."""
    return label.removeprefix("head").strip() or label
