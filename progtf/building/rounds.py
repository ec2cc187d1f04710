"""How often layers run, and until when."""

from collections.abc import Iterable

from progtf.building import problems
from progtf.building.names import Reader
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake
from progtf.numbers import refused
from progtf.program.forms import FLAG
from progtf.program.model import Loop

MOST_ROUNDS = 1000
_ROUNDS = range(1, MOST_ROUNDS + 1)


def repeats(parts: Iterable[f.Statement]) -> int:
    """How often a layer of these parts runs; once where it says no number of times."""
    for part in parts:
        if isinstance(part, f.Field) and part.key == "repeat":
            return int(part.value) if part.value in _ROUNDS else 1  # type: ignore[arg-type]
    return 1


def check_repeats(parts: Iterable[f.Statement]) -> None:
    """Refuses a layer that says something else than how often it runs.

    Raises:
        Mistake: if what it says is no number of times.
    """
    if wrong := wrong_repeat(parts):
        assert isinstance(wrong.value, (int, float))
        due = f"a whole number from 1 to {MOST_ROUNDS}"
        raise Mistake(problems.order.bad_setting(wrong.span, "repeat", refused(wrong.value), due))


def wrong_repeat(parts: Iterable[f.Statement]) -> f.Field[f.FieldValue] | None:
    """What a layer says of how often it runs, if that is no number of times."""
    fields = (part for part in parts if isinstance(part, f.Field) and part.key == "repeat")
    return next((field for field in fields if field.value not in _ROUNDS), None)


def loop_of(loop: f.Loop, asked: tuple[str, ...], names: Reader) -> Loop:
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


def read_flag(term: f.Term, names: Reader) -> str:
    """The name of a flag that is read.

    Raises:
        Mistake: if it is none.
    """
    flag = names.seme(term)
    names.reads.append((flag, term.span))
    if (values := names.space.ranges[flag]) != FLAG:
        raise Mistake(problems.rules.not_a_flag(term.span, flag, values))
    return flag
