"""Contenders timed side by side: one process, turn by turn, medians and ratios."""

import time
from collections.abc import Callable, Mapping
from statistics import median

Times = dict[str, list[float]]


def interleaved(
    contenders: Mapping[str, Callable[[], object]], rounds: int, warm_up: int = 1
) -> Times:
    """CPU seconds of each contender in each round, after ``warm_up`` rounds that do not count.

    The order turns round every time. CPU time, since other programs share the machine: run with
    one thread (`one_thread`), where it is what wall time would be on an idle machine.
    """
    times: Times = {name: [] for name in contenders}
    for number in range(rounds + warm_up):
        turn = list(contenders) if number % 2 else list(reversed(contenders))
        for name in turn:
            start = time.process_time()
            contenders[name]()
            if number >= warm_up:
                times[name].append(time.process_time() - start)
    return times


def table(title: str, times: Times, base: str) -> None:
    """Prints medians, and medians and ranges of the ratios to ``base`` round by round."""
    print(f"{title} ({len(times[base])} rounds, CPU time, 1 thread)")
    for name, seconds in times.items():
        ratios = [own / other for own, other in zip(seconds, times[base], strict=True)]
        span = f"{min(ratios):.3f} to {max(ratios):.3f}"
        print(f"  {name:34} {median(seconds) * 1e3:9.1f} ms   x{median(ratios):.3f}  ({span})")


def one_thread() -> None:
    """Torch on one thread."""
    import torch  # noqa: PLC0415  listing benchmarks should not wait for torch

    torch.set_num_threads(1)
