"""What ``set`` puts in the place of what was there, and how far that lies off."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from progtf.exact.parts import Part
from progtf.exact.summed import Summed, largest
from progtf.exact.within import Within
from progtf.program.forms import Values


@dataclass(frozen=True, slots=True)
class Anew:
    """What ``set`` puts in the place of what was there.

    Attributes:
        values: what the lines say that it can be.
        error: how far it lies off, what there was left out; None: as far as both together.
        strict: whether it copies only what keeps to its steps wherever it stands.
    """

    values: list[Values]
    error: float | None
    strict: bool


def anew(within: Within, summed: Summed, parts: Mapping[str, Sequence[Part]]) -> dict[int, Anew]:
    """Column -> what lines set it to, where nothing else writes it.

    Args:
        within: what the rules of the block read.
        summed: how its columns are added up.
        parts: seme -> what each line adds to it.
    """
    block, space = within.block, within.space
    found: dict[int, list[Values]] = {}
    others = {name for _, unit in summed.loose for name in unit.writes}
    others |= set(block.rules.bias or {})
    for line, places in block.lines:
        if line.sets is None or not all(within.holds[place] for place in places):
            others |= set(line.writes)
        else:
            for seme in line.writes:
                found.setdefault(space.index[seme], []).append(line.sets)
    return {
        column: Anew(
            values,
            _error(within, summed, column, parts[name]),
            all(part.strict for part in parts[name]),
        )
        for column, values in found.items()
        if (name := space.names[column]) not in others
    }


def _error(within: Within, summed: Summed, column: int, parts: Sequence[Part]) -> float | None:
    """How far what is put in a column lies off: the difference takes off what was there.

    One line at most holds, and the units of the others are exactly 0. The error of what was
    there cancels against that of the difference to it, which is read of the same number.
    """
    taken = [_taken_off(within, summed, column, part) for part in parts if part.tame]
    if len(taken) < len(parts) or any(each is None for each in taken):
        return None
    stored = summed.stored(column)
    lines = [summed.line(part, stored) for part in parts]
    for line, each in zip(lines, taken, strict=True):
        line[-1] -= each
    return summed.together([largest(lines)], column)


def _taken_off(within: Within, summed: Summed, column: int, part: Part) -> float | None:
    """By how much the errors of a line's rules are those of what was there, if that is known.

    They are if a rule copies it without a bend, in all of its range and a little below, where
    nothing is rounded away; and if its unit is 0 with the gate closed, be that an error off. What
    a fold lies off is known of its rules together, with nothing of what was there in it.
    """
    if part.line.folds is not None:
        return 0.0 if id(part.line) in summed.folded else None
    block, units, sums = within.block, within.units, within.units.sums
    seme, error = within.space.names[column], float(within.stream.error[column])
    found: list[float] = []
    for weight, place in part.rules_of:
        curve = block.rules.rules[place].curve
        factor = 0.0 if curve is None else curve.form.coefficients.get(seme, 0.0)
        if curve is None or not factor or curve.knots:
            continue
        unit = block.hidden.of_rules[place][-1]
        off = float(sums.error[unit] + sums.lost[unit])
        least, room = within.ends[0][place], curve.reach - (curve.high - curve.low)
        passes = least - curve.low > off and room > off and not units.snapped[unit]
        if abs(weight * curve.slope * factor) != 1 or not passes:
            return None
        found.append(error)
    return sum(found) if found else None
