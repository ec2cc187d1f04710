"""A program that is made of what is kept of it when somebody looks at it.

Most of whom a program is given to ask for its parts alone, which are kept by themselves; a large
one takes a third of an import of torch.
"""

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from threading import RLock
from typing import Any

from progtf.notation.sought import Sought
from progtf.program.model import Program

KNOWN, MADE = ("name", "sought"), "made"
_WAKING = RLock()


class Asleep(Program):
    """A program, until somebody looks at it; from then on the same object is a `Program`.

    Args:
        name: as of a program; sought: as well.
        made: makes it.
    """

    def __init__(self, name: str, sought: Sought, made: Callable[[], Program]) -> None:  # pyright: ignore[reportMissingSuperCall]  it has nothing yet
        object.__setattr__(self, "__dict__", {"name": name, "sought": sought, MADE: made})

    def __getattribute__(self, name: str) -> Any:
        """What is asked of it: of all but its kind and its name the program is made."""
        if name == "__class__":
            return Program
        if name in KNOWN:
            return object.__getattribute__(self, name)
        _wake(self)
        return getattr(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Nothing of a program changes."""
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        """Nothing goes away, either."""
        raise FrozenInstanceError(f"cannot delete field {name!r}")


def _wake(program: Asleep) -> None:
    with _WAKING:
        if type(program) is Asleep:  # no other thread was here
            held: dict[str, Any] = object.__getattribute__(program, "__dict__")
            made: Callable[[], Program] = held[MADE]
            object.__setattr__(program, "__dict__", {**vars(made())})
            object.__setattr__(program, "__class__", Program)
