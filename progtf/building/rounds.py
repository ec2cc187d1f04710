"""How often a layer runs."""

from collections.abc import Iterable

from progtf.building import problems
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake

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
            raise Mistake(problems.order.bad_setting(part.span, "repeat", f"{part.value:g}", due))
    return 1
