"""How often layers run, and until when."""

from collections.abc import Iterable

from progtf.building import problems
from progtf.building.names import Names
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake
from progtf.numbers import refused
from progtf.program.forms import FLAG
from progtf.program.model import Loop

MOST_ROUNDS = 1000


def repeats(parts: Iterable[f.Statement]) -> int:
    """How often a layer of these parts runs.

    Raises:
        Mistake: if that is no number of times.
    """
    for part in parts:
        if isinstance(part, f.Field) and part.key == "repeat":
            assert isinstance(part.value, (int, float))
            if part.value in range(1, MOST_ROUNDS + 1):
                return int(part.value)
            due = f"a whole number from 1 to {MOST_ROUNDS}"
            raise Mistake(problems.order.bad_setting(part.span, "repeat", refused(part.value), due))
    return 1


def loop_of(loop: f.Loop, asked: tuple[str, ...], names: Names) -> Loop:
    """A loop that can run.

    Args:
        loop: as it was written.
        asked: the flags without which it does not run.
        names: as they are read behind it.

    Raises:
        Mistake: if its number is none of rounds, or its end is no flag.
    """
    most = loop.most.coefficient
    if most not in range(1, MOST_ROUNDS + 1):
        due = f"a whole number from 1 to {MOST_ROUNDS}"
        raise Mistake(problems.order.bad_setting(loop.most.span, "up to", refused(most), due))
    flag = read_flag(loop.until, names)
    inside = {name for reset in loop.resets for name in names.hands_of(reset)}
    resets = tuple(filter(inside.__contains__, names.space.names))
    falls = names.form(loop.falls) if loop.falls else None
    return Loop(loop.name, int(most), flag, loop.none, resets, asked, falls)


def read_flag(term: f.Term, names: Names) -> str:
    """The name of a flag that is read.

    Raises:
        Mistake: if it is none.
    """
    flag = names.seme(term)
    names.read(flag, term.span)
    if (values := names.space.ranges[flag]) != FLAG:
        raise Mistake(problems.rules.not_a_flag(term.span, flag, values))
    return flag
