"""Logical forms that mean the same: equal sets of conjuncts, whatever their variables are called.

The semantic match of Wu et al. 2023 (ReCOGS): `x _ 1` may be `x _ 7`, and order does not count.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_VARIABLE = re.compile(r"x _ \d+")
_BETWEEN = re.compile(r" ;(?: |$)| AND ")
Colours = Mapping[str, int]


@dataclass(frozen=True)
class Conjunct:
    """A conjunct with its variables taken out."""

    said: str
    variables: tuple[str, ...]


def same_meaning(one: str, other: str) -> bool:
    """Returns whether a bijection of variables makes two logical forms equal sets of conjuncts."""
    if one == other:
        return True
    left, right = _conjuncts(one), _conjuncts(other)
    if sorted(c.said for c in left) != sorted(c.said for c in right):
        return False
    colours = _coloured(left, right)
    if sorted(colours[0].values()) != sorted(colours[1].values()):
        return False
    return _matched(sorted(left, key=lambda c: c.said), set(right), {}, colours)


def _conjuncts(form: str) -> set[Conjunct]:
    return {
        Conjunct(_VARIABLE.sub("x", part), tuple(_VARIABLE.findall(part)))
        for part in _BETWEEN.split(form.strip())
        if part
    }


def _coloured(*forms: set[Conjunct]) -> list[dict[str, int]]:
    """Variables of several forms by colour; those that a renaming can exchange have the same.

    Colours are refined by those of the variables beside them until no more are told apart.
    """
    found = [{v: 0 for each in form for v in each.variables} for form in forms]
    while True:
        signs = [_signs(form, colours) for form, colours in zip(forms, found, strict=True)]
        every = sorted({sign for each in signs for sign in each.values()})
        number = {sign: place for place, sign in enumerate(every)}
        refined = [{v: number[sign] for v, sign in each.items()} for each in signs]
        if len(every) == len({colour for colours in found for colour in colours.values()}):
            return refined
        found = refined


def _signs(form: set[Conjunct], colours: Colours) -> dict[str, str]:
    """What stands around each variable, as one text."""
    around: dict[str, list[str]] = {variable: [] for variable in colours}
    for each in form:
        beside = [colours[variable] for variable in each.variables]
        for place, variable in enumerate(each.variables):
            around[variable].append(f"{each.said} {place} {beside}")
    return {v: f"{colours[v]} {sorted(signs)}" for v, signs in around.items()}


def _matched(
    left: list[Conjunct],
    right: set[Conjunct],
    renamed: dict[str, str],
    colours: list[dict[str, int]],
) -> bool:
    """Whether the conjuncts that are left can be those of the other side, with what is renamed."""
    if not left:
        return True
    first = max(left, key=lambda each: sum(v in renamed for v in each.variables))
    rest = [each for each in left if each != first]
    for other in right:
        more = _renaming(first, other, renamed, colours)
        if more is not None and _matched(rest, right - {other}, more, colours):
            return True
    return False


def _renaming(
    one: Conjunct, other: Conjunct, renamed: dict[str, str], colours: list[dict[str, int]]
) -> dict[str, str] | None:
    """What is renamed if one conjunct is the other, or None if it cannot be."""
    if one.said != other.said:
        return None
    more = dict(renamed)
    for mine, theirs in zip(one.variables, other.variables, strict=True):
        if colours[0][mine] != colours[1][theirs] or more.get(mine, theirs) != theirs:
            return None
        more[mine] = theirs
    return more if len(set(more.values())) == len(more) else None
