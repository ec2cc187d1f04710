"""Contenders timed side by side: one process, turn by turn, medians and ratios."""

import os
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import TypeVar

from benchmarks.figures import Figure

Name = TypeVar("Name", bound=Hashable)
Times = dict[Name, list[float]]


def interleaved(
    contenders: Mapping[Name, Callable[[], object]], rounds: int, warm_up: int = 1
) -> Times[Name]:
    """Seconds of each contender in each round, after ``warm_up`` rounds that do not count.

    The order turns round every time. CPU time, since other programs share the machine: run with
    one thread (`one_thread`), where it is what wall time would be on an idle machine.
    """
    times: Times[Name] = {name: [] for name in contenders}
    for number in range(rounds + warm_up):
        turn = list(contenders) if number % 2 else list(reversed(contenders))
        for name in turn:
            start = time.process_time()
            contenders[name]()
            if number >= warm_up:
                times[name].append(time.process_time() - start)
    return times


def ratio(seconds: list[float], base: list[float]) -> float:
    """The median of the ratios round by round."""
    return median(own / other for own, other in zip(seconds, base, strict=True))


def ratios(title: str, times: Times[str], base: str) -> Iterator[Figure]:
    """The median of the base in milliseconds, and the ratios of all others to it."""
    yield Figure(f"{title}: {base}", 1000 * median(times[base]), "ms")
    for name, seconds in times.items():
        if name != base:
            yield Figure(f"{title}: {name}", ratio(seconds, times[base]), "x", base)


def peak_kib() -> int:
    """The most memory of this process alone: `resource` would start from its parent's."""
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def processor_below() -> float:
    """Milliseconds that all processes below this one have had a processor, as far as they live.

    Between two looks: what something costs in a browser or a kernel, be the machine busy or not.
    """
    stats = [_stat(path) for path in Path("/proc").glob("[0-9]*/stat")]
    parents = {pid: (parent, ticks) for pid, parent, ticks in filter(None, stats)}
    below, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, (parent, _) in parents.items() if parent in below} - below
        below, grown = below | more, bool(more)
    ticks = sum(parents[pid][1] for pid in below - {os.getpid()})
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")


def _stat(path: Path) -> tuple[int, int, int] | None:
    """A process, its parent, and its ticks; None: it has ended."""
    try:
        said = path.read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return int(path.parent.name), int(said[1]), int(said[11]) + int(said[12])


def one_thread() -> None:
    """Torch on one thread."""
    import torch  # noqa: PLC0415  listing benchmarks should not wait for torch

    torch.set_num_threads(1)
