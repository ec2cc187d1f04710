"""Solves systems of equations in a child process, within limits of time and memory."""

import json
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from progtf.child import Child
from progtf.numbers import plain

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
        self._child = Child(_MODULE, seconds)

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
        self._child.stop()

    def solve(self, equations: Sequence[str], values: Sequence[str]) -> list[Solution]:
        """The real solutions of a system.

        Args:
            equations: in postfix, such as ``N_0 X_0 * N_1 =``.
            values: of ``N_0``, ``N_1``, ... in digits.

        Raises:
            UnsolvableError: if it is none, or takes more time or memory than it may.
        """
        line = self._child.ask(json.dumps([list(equations), list(values)]))
        if line is None:
            raise UnsolvableError(f"not solved in {plain(self._child.patience)} seconds and 2 GB")
        said = json.loads(line)
        if isinstance(said, str):
            raise UnsolvableError(said)
        return [{int(unknown): value for unknown, value in each.items()} for each in said]
