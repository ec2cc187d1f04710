"""Solves systems of equations in a child process, within limits of time and memory."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

SECONDS = 5.0
"""For one system."""
_MODULE = "progtf.tasks.word_problems.solving"

Solution = dict[int, float]
"""The value of each unknown that is settled, ``X_0`` as 0."""


class UnsolvableError(ValueError):
    """A system that was not solved, and why."""


class Solver:
    """A child process that solves one system after the other; a context manager.

    It is started when it is first asked, and again after it was stopped for taking too long.

    Args:
        seconds: for one system.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._child: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the child."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()

    def solve(self, equations: Sequence[str], values: Sequence[str]) -> list[Solution]:
        """The real solutions of a system.

        Args:
            equations: in postfix, such as ``N_0 X_0 * N_1 =``.
            values: of ``N_0``, ``N_1``, ... in digits.

        Raises:
            UnsolvableError: if it is none, or takes more time or memory than it may.
        """
        child = self._child = self._child or _started()
        assert child.stdin is not None
        assert child.stdout is not None
        seconds = self.seconds if child.poll() is None else 0.0
        timer = threading.Timer(seconds, child.kill)
        timer.start()
        try:
            child.stdin.write(json.dumps([list(equations), list(values)]) + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        return self._understood(line)

    def _understood(self, line: str) -> list[Solution]:
        if not line:
            self.close()
            raise UnsolvableError(f"not solved in {self.seconds:g} seconds and 2 GB")
        said = json.loads(line)
        if isinstance(said, str):
            raise UnsolvableError(said)
        return [{int(unknown): value for unknown, value in each.items()} for each in said]


def _started() -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)}
    child = subprocess.Popen(  # noqa: S603  our own module
        [sys.executable, "-m", _MODULE], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert child.stdout is not None
    child.stdout.readline()  # it is ready: no system pays for its start
    return child
