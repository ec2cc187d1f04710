"""Work that several processes share, or the machines of a cluster: Dask deals it out.

A worker that dies loses nothing: what it had in hand is done again by another.
"""

import logging
import pickle
import re
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias, TypeVar

import typer

from progtf.cli.messages import UserError

if TYPE_CHECKING:
    from distributed import Client

    from progtf.program.outcome import Judge
    from progtf.program.vectors import Style

MOST = 1024
"""Processes of this machine."""
_NUMBER, _ADDRESS = re.compile(r"[-+]?[0-9]+"), re.compile(r"([a-z]+://)?[^\s/:]+:[0-9]{1,5}")
PATIENCE = "5s"
"""For so long a scheduler may be silent."""
Given = TypeVar("Given")
Made = TypeVar("Made")
Each: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""As ``map``: what a function makes of one thing after another, in their order."""
Workers: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="N|ADDRESS",
        help="Answer in N processes, or on a Dask cluster whose scheduler has this address:"
        " `tcp://host:8786`. Needs the extra `cluster`.",
    ),
]


class Runs(Protocol):
    """What answers texts."""

    def try_answers(self, texts: Any, /) -> Any: ...


class Carried:
    """A model that is sent to others as its weights, and how it shows numbers.

    Args:
        runner: the model; what is none is sent as it is.
    """

    def __init__(self, runner: Runs) -> None:
        self.runner = runner

    def __reduce__(self) -> tuple[Any, ...]:
        from progtf.running.interpret import Interpreter  # noqa: PLC0415  numpy takes its time

        if isinstance(self.runner, Interpreter):
            return Carried, (self.runner,)
        from progtf.network.model import Model  # noqa: PLC0415  torch is slow
        from progtf.weights.folder import packed  # noqa: PLC0415  as said

        if isinstance(self.runner, Model):
            weights = self.runner.weights
            judge = None if weights.proof is None else weights.proof.judge
            return _unpacked, (packed(weights), self.runner.speaker.style, judge)
        return Carried, (self.runner,)

    def said(self, texts: list[str]) -> list[str | ValueError]:
        """The texts of the answers, or in their places why there is none."""
        tried = self.runner.try_answers(texts)
        return [each if isinstance(each, ValueError) else each.text for each in tried]

    def beside(self, texts: list[str]) -> tuple[list[str], list[Any]]:
        """The texts, and beside them their answers or why there is none."""
        return texts, self.runner.try_answers(texts)


def _unpacked(data: bytes, style: "Style", judge: "Judge | None") -> Carried:
    from progtf.network.model import Model  # noqa: PLC0415  torch is slow
    from progtf.weights.folder import unpacked  # noqa: PLC0415  as said

    model = Model(unpacked(data, judge=judge))
    if model.speaker.style != style:
        model.print_digits(style.digits)
    return Carried(model)


@contextmanager
def shared_by(workers: str | None) -> Iterator[Each]:
    """``map`` for nobody's help; else the same with so many processes, or on a cluster.

    Raises:
        UserError: if no scheduler is at the address.
    """
    if workers is None:
        yield map
        return
    with ExitStack() as opened:
        with _undisturbed():
            client = _client(workers, opened)
        yield partial(_dealt, client)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C waits until all processes are there, so that they can be ended in turn."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _client(workers: str, opened: ExitStack) -> "Client":
    if _NUMBER.fullmatch(workers):
        if len(workers) > 4 or not 1 <= int(workers) <= MOST:
            raise UserError(f"--workers {workers}: between 1 and {MOST} processes can answer")
    elif not _ADDRESS.fullmatch(workers):
        raise UserError(
            f"--workers {workers}: expected a number of processes or an address, `tcp://host:8786`"
        )
    from distributed import Client, LocalCluster  # noqa: PLC0415  who asks for workers waits

    if _NUMBER.fullmatch(workers):
        cluster = LocalCluster(
            n_workers=int(workers), threads_per_worker=1, dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        )  # fmt: skip
        client = opened.enter_context(Client(opened.enter_context(cluster), set_as_default=False))
        client.run(_left_alone)
        return client
    try:
        return opened.enter_context(Client(workers, timeout=PATIENCE, set_as_default=False))
    except (OSError, ValueError) as error:
        raise UserError(f"--workers {workers}: no scheduler answers there: {error}") from None


def _left_alone() -> None:
    """A terminal sends Ctrl-C to all processes, and each would say what it was doing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _dealt(
    client: "Client", function: Callable[[Given], Made], items: Iterable[Given]
) -> Iterator[Made]:
    """In their order, with no more in hand than keeps all workers busy."""
    from distributed import KilledWorker  # noqa: PLC0415

    held = client.submit(pickle.loads, pickle.dumps(function))
    threads: dict[str, int] = client.nthreads()  # pyright: ignore[reportAssignmentType]  no loop runs
    ahead, waiting = 2 * sum(threads.values()), deque[Any]()
    try:
        for item in items:
            waiting.append(client.submit(_applied, held, item, pure=False))
            while len(waiting) > ahead or waiting and waiting[0].done():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except KilledWorker as error:
        raise UserError(f"workers died again and again over the same work: {error}") from None


def _applied(function: Callable[[Given], Made], item: Given) -> Made:
    return function(item)
