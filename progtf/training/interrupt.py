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
        What tells whether it was pressed; never, if this is not ``wanted``, or no main thread.
    """
    pressed = threading.Event()
    if not wanted or threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    usual = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        del number, frame
        pressed.set()
        signal.signal(signal.SIGINT, usual)
        os.write(2, b"\nstopping after this step; Ctrl-C again stops at once\n")

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, usual)
