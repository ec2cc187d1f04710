"""How threads that answer parts of a list hear that nobody waits for them any more."""

from ctypes import c_int32
from threading import local


class Stop(local):
    """What tells the engine in C and numpy, in one thread, to stop: a number that is not 0."""

    wanted: c_int32 | None = None

    def hear(self) -> None:
        """Raises KeyboardInterrupt once that is so."""
        if self.wanted is not None and self.wanted.value:
            raise KeyboardInterrupt


STOP = Stop()
