"""Python's garbage collector, out of the way of what makes no garbage."""

import atexit
import gc
from collections.abc import Generator
from contextlib import contextmanager

SELDOM = 500_000, 50, 100
"""Every so many new values: torch and a small program are half of it. At Python's 700, a tenth of a
start goes into looking at modules."""


def collect_seldom() -> None:
    """From here on garbage is looked for so seldom that imports do not wait for it.

    Nor at the end: what goes with the process anyway was looked through twice, which took a tenth
    of the reading of a large program.
    """
    gc.set_threshold(*SELDOM)
    atexit.register(gc.freeze)


@contextmanager
def collector_paused() -> Generator[None, None, None]:
    """No garbage collection meanwhile.

    A large program, and the bounds of one, come to a million small values without a single cycle
    among them; looking through them again and again took up to half of the time. What stays of
    them counts as old afterwards, so that it is not looked through at once, either.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():  # nobody else keeps anything out of the collector's way
                gc.freeze()
                gc.unfreeze()
            gc.enable()
