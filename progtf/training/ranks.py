"""The processes of a run, one or those that torchrun started, and Ctrl-C between its steps."""

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import FrameType

import torch
import torch.distributed as dist
from torch import Tensor

from progtf.atomic import check_not_linked, locked
from progtf.training.config import RunError


class Drawing:
    """Where a run stands in the generator that dropout draws from; others have it between steps.

    Torch has one for all that draw on a device.

    Args:
        device: whose generator it is.
        seed: where the run begins.
    """

    def __init__(self, device: torch.device, seed: int) -> None:
        self.device = device if device.type == "cuda" else torch.device("cpu")
        self.state = torch.Generator(self.device).manual_seed(seed).get_state()

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """While it lasts what is drawn is the run's; what others draw stays as it would be."""
        others = self._now()
        self._put(self.state)
        try:
            yield
        finally:
            self.state = self._now()
            self._put(others)

    def restore(self, state: Tensor) -> None:
        """Goes on from where the run stood.

        Raises:
            RunError: if that was on another kind of device.
        """
        try:
            torch.Generator(self.device).set_state(state)
        except (RuntimeError, TypeError):
            raise RunError(
                "this run was trained on another kind of device than"
                f" `{self.device.type}`, and goes on exactly only there"
            ) from None
        self.state = state

    def _now(self) -> Tensor:
        if self.device.type == "cuda":
            return torch.cuda.get_rng_state(self.device)
        return torch.get_rng_state()

    def _put(self, state: Tensor) -> None:
        if self.device.type == "cuda":
            torch.cuda.set_rng_state(state, self.device)
        else:
            torch.set_rng_state(state)


MOST = 65_536
"""Processes of a run."""
PATIENCE = timedelta(hours=6)
"""How long processes wait for each other: one of them may be making the questions."""


@dataclass(frozen=True)
class Ranks:
    """Which process this is, of how many, and the device that it works on."""

    rank: int
    ranks: int
    device: torch.device

    @property
    def first(self) -> bool:
        """Whether this process writes files and speaks."""
        return self.rank == 0

    def total(self, *counts: float) -> list[float]:
        """Sums over all processes."""
        if self.ranks == 1:
            return list(counts)
        tensor = torch.tensor(counts, dtype=torch.float64, device=self.device)
        dist.all_reduce(tensor)
        return tensor.tolist()

    def autocast(self, precision: str) -> torch.autocast:
        """The number format of a run on this process's device."""
        enabled = precision == "bfloat16"
        return torch.autocast(self.device.type, torch.bfloat16, enabled=enabled)

    def wait(self) -> None:
        """Until all processes are here."""
        if self.ranks > 1:
            dist.barrier()


INSIDE = "checkpoints", "tensorboard"
"""The folders in that of a run."""


@contextmanager
def alone_in(folder: Path, ranks: Ranks) -> Iterator[None]:
    """Keeps other runs out of a run's folder.

    Raises:
        RunError: if one is at work there.
        OSError: if its lock or a folder in it is a link, or cannot be opened.
    """
    with ExitStack() as stack:
        try:
            if ranks.first:
                stack.enter_context(locked(folder))
                for inside in INSIDE:
                    check_not_linked(folder / inside)
        except BlockingIOError:
            message = f"{folder}: another run is at work there; give this one another `out`"
            raise RunError(message) from None
        yield


def _told(name: str, least: int, most: int, usual: int) -> int:
    """A whole number that the environment tells.

    Raises:
        RunError: if it tells something else.
    """
    said = os.environ.get(name, "") or str(usual)
    if not re.fullmatch("[0-9]{1,6}", said) or not least <= int(said) <= most:
        raise RunError(
            f"{name} is `{said}` in the environment; expected a whole number from {least} to"
            f" {most}, as torchrun says it"
        )
    return int(said)


def told_by_environment() -> Ranks:
    """This process among its fellows, as torchrun's environment tells; nobody is called yet.

    Raises:
        RunError: if it tells something that is no number, or none of these.
    """
    ranks = _told("WORLD_SIZE", 1, MOST, 1)
    rank, local = _told("RANK", 0, ranks - 1, 0), _told("LOCAL_RANK", 0, ranks - 1, 0)
    if ranks > 1:
        _told("MASTER_PORT", 0, 65_535, 0)
    gpu = torch.cuda.is_available()
    return Ranks(rank, ranks, torch.device("cuda", local) if gpu else torch.device("cpu"))


@contextmanager
def joined() -> Iterator[Ranks]:
    """This process among its fellows, as torchrun's environment tells."""
    here = told_by_environment()
    ranks, has_gpu = here.ranks, here.device.type == "cuda"
    if has_gpu:
        torch.cuda.set_device(here.device)
    if ranks > 1:
        dist.init_process_group(
            "nccl" if has_gpu else "gloo",
            timeout=PATIENCE,
            device_id=here.device if has_gpu else None,
        )
    try:
        yield here
        here.wait()  # nobody leaves while another still writes
    finally:
        if ranks > 1:
            dist.destroy_process_group()


def leave(ranks: Ranks) -> None:
    """Ends a process of several, whose work is done and on the disk.

    Torch keeps the threads by which processes talk. Where one of them is still busy while the
    interpreter is torn down, the process aborts (pytorch issue 190489): seen in 2 of some 120 runs.
    """
    if ranks.ranks > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


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
