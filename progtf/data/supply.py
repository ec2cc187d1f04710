"""Chunks of problems from all cores, handed over in order."""

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

from progtf.data.generator import generate
from progtf.data.problem import Problem

TASK_SECONDS = 0.25
"""Work handed to a process at a time; so much of a finished file's draws may be in vain."""


class Wanted(NamedTuple):
    """The chunks of one file that will be needed, `first` to `last`; more can be had later."""

    split: str
    module: str
    seed: int
    first: int
    last: int


class _Drawn(NamedTuple):
    chunks: list[list[Problem]]
    seconds: float


class Supply:
    """Draws ahead, over the ends of files, so that no core waits for another.

    Args:
        processes: Where to draw.
        wanted: The files in the order in which `chunks` will be asked for them.
        ahead: How many tasks may be under way or waiting to be taken.
    """

    def __init__(
        self, processes: ProcessPoolExecutor, wanted: Iterable[Wanted], ahead: int
    ) -> None:
        self._processes, self._ahead = processes, ahead
        self._queues: dict[Wanted, deque[Future[_Drawn]]] = {}
        self._size: dict[str, int] = {}
        self._next: dict[Wanted, int] = {}
        self._coming = self._in_order(wanted)
        self._waiting = 0

    def _in_order(self, wanted: Iterable[Wanted]) -> Iterator[Wanted]:
        """Yields each file as often as a task for it should be submitted."""
        for file in wanted:
            while self._next.get(file, file.first) < file.last:
                yield file

    def chunks(self, file: Wanted) -> Generator[list[Problem], None, None]:
        """Yields chunk after chunk of a file without end; leave it when the file is full."""
        try:
            while True:
                yield from self._take(file)
        finally:
            self._next[file] = file.last
            for future in self._queues.pop(file, ()):
                future.cancel()
                self._waiting -= 1

    def _take(self, file: Wanted) -> list[list[Problem]]:
        while self._waiting < self._ahead and (coming := next(self._coming, None)):
            self._submit(coming)
        if not self._queues.get(file):
            self._submit(file)
        drawn = self._queues[file].popleft().result()
        self._waiting -= 1
        per_chunk = drawn.seconds / len(drawn.chunks)
        self._size[file.module] = max(1, min(64, int(TASK_SECONDS / max(per_chunk, 1e-6))))
        return drawn.chunks

    def _submit(self, file: Wanted) -> None:
        first = self._next.get(file, file.first)
        size = self._size.get(file.module, 1)
        stop = min(first + size, max(file.last, first + 1))
        self._next[file] = stop
        task = self._processes.submit(_draw, file, range(first, stop))
        self._queues.setdefault(file, deque()).append(task)
        self._waiting += 1


def _draw(file: Wanted, chunks: range) -> _Drawn:
    begun = time.perf_counter()
    drawn = [generate(file.split, file.module, file.seed, chunk) for chunk in chunks]
    return _Drawn(drawn, time.perf_counter() - begun)


@contextmanager
def processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Starts processes to draw in; they stop when this one does, however it ends."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_follow_parent)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _follow_parent() -> None:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
