"""Texts are examined beside the kernel, so that no program can hold it up.

One process serves all widgets of a kernel. It is given ``PATIENCE`` seconds for a text; then it is
stopped and started anew. Of several texts of one widget only the newest is examined.
"""

import asyncio
import atexit
import json
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from progtf.child import Child
from progtf.notation.diagnostics import Diagnostic, Source, Span
from progtf.numbers import plain
from progtf.views.editor import problem
from progtf.views.serve import parts_of

Data = dict[str, Any]
Reply = Callable[[Data], None]
PATIENCE = 20.0


class Examiner:
    """Answers requests one after another, in a process that may be stopped at any time."""

    def __init__(self) -> None:
        self.child = Child("progtf.views.serve", PATIENCE)

    def ask(self, request: Data) -> Data:
        """What changed since the last answer about a figure, or that this took too long."""
        answer = self.child.ask(json.dumps(request))
        return _too_long(self.child.patience) if answer is None else json.loads(answer)


def _too_long(seconds: float) -> Data:
    """A text that was given up, as a problem in its first line."""
    headline = f"the program was given up: reading it took more than {plain(seconds)} seconds"
    hint = "make loops shorter, or use `progtf check`, which waits"
    told = problem(Diagnostic("too-slow", headline, Span(Source("", ""), 1, 0, 0), help=hint), "")
    found = {"program": None, "problems": [{**told, "text": headline}], "names": []}
    return {"changed": dict(parts_of(found))}


class Queue:
    """Requests of several widgets; the newest of each is examined, in a thread of its own."""

    def __init__(self, examiner: Examiner) -> None:
        self.examiner = examiner
        self.waiting: dict[object, tuple[Data, Reply]] = {}
        self.news = threading.Condition()
        self.thread: threading.Thread | None = None

    def submit(self, owner: object, request: Data, reply: Reply) -> None:
        """Examines a request soon, unless its owner submits another one before."""
        with self.news:
            self.waiting[owner] = request, _where_we_are(reply)
            self.news.notify()
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self._work, name="progtf", daemon=True)
                self.thread.start()

    def prepare(self) -> None:
        """Starts the process, so that the first text need not wait for it."""
        empty = {"figure": "", "text": "", "name": "", "folder": None, "inputs": []}
        self.submit(self, empty, lambda _: None)

    def _work(self) -> None:
        while True:
            with self.news:
                while not self.waiting:
                    self.news.wait()
                owner = next(iter(self.waiting))
                request, reply = self.waiting.pop(owner)
            reply(self.examiner.ask(request))


def _where_we_are(reply: Reply) -> Reply:
    """A reply that is carried out in the event loop of the caller, if there is one."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return reply
    return lambda found: _call(loop, reply, found)


def _call(loop: asyncio.AbstractEventLoop, reply: Reply, found: Data) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(reply, found)


@cache
def queue() -> Queue:
    """The queue of this kernel."""
    examiner = Examiner()
    atexit.register(examiner.child.stop)
    return Queue(examiner)
