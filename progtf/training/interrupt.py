"""Ctrl-C between steps: the run leaves a checkpoint and stops."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible(*, wanted: bool) -> Iterator[Callable[[], bool]]:
    """Within, the first Ctrl-C is noted, and the second one acts at once.

    Yields:
        What tells whether it was pressed; never, if this is not ``wanted``, in no main thread, or
        where Ctrl-C is ignored, as in the background.
    """
    pressed, usual = threading.Event(), signal.getsignal(signal.SIGINT)
    heard = threading.current_thread() is threading.main_thread() and usual != signal.SIG_IGN
    if not wanted or not heard:
        yield pressed.is_set
        return

    def note(number: int, frame: FrameType | None) -> None:
        """Hears the first Ctrl-C; what usually hears it hears the next one."""
        del number, frame
        pressed.set()
        signal.signal(signal.SIGINT, usual)
        os.write(2, b"\nstopping after this step; Ctrl-C again stops at once\n")

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, usual)
