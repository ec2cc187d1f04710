"""Two savers of one folder, and savers that are killed: the folder always loads.

In each of 60 rounds two processes save two
models to one folder at the same time, while this one loads it; then 40 savers that write over a
folder are killed (SIGKILL) at a moment drawn by chance. Whatever loads is the one model or the
other, to the last bit. Both are done for compiled models and for checkpoints of training. Anything
else is an AssertionError.
"""

import multiprocessing
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path

import torch

import progtf
from benchmarks.figures import Figure
from progtf.data import Cursor
from progtf.training import checkpoint
from progtf.training.recipe import Identity
from progtf.training.subject import Hybrid
from progtf.weights.folder import load_weights, save_weights
from progtf.weights.weights import Weights

PROGRAM = Path(__file__).parents[1] / "examples/math/round_number.seme"
SAVES = 3
ROUNDS, KILLS = 60, 40
LONG = True
CONTEXT = multiprocessing.get_context("fork")
torch.set_num_threads(1)  # so that forks need no threads that they do not have


@dataclass(frozen=True)
class Kind:
    """What is saved, and how it is loaded again."""

    save: Callable[[Weights, Path], None]
    load: Callable[[Path], Weights]


def save_checkpoint(weights: Weights, folder: Path) -> None:
    """The checkpoint of the next step; the moments of its optimiser are as large as weights."""
    step = len(checkpoint.checkpoints(folder)) + 1
    settings = {"train.stop_at": 101.0, "train.patience": 0, "train.decay": 0.0}
    run = Identity(settings, "one run", {}, processes=1, threads=1, built="")
    progress = checkpoint.Progress(step, Cursor(), 0.0, 0, run)
    moments = {"optimiser.0.exp_avg": torch.ones(200_000)}
    subject = object.__new__(Hybrid)  # only its kind is asked for
    checkpoint.save(folder / f"step-{step:07d}", subject, weights, moments, progress)
    checkpoint.drop_old(folder, keep=1_000_000)


def load_checkpoint(folder: Path) -> Weights:
    """The weights of the latest checkpoint, all of its files checked."""
    latest = checkpoint.checkpoints(folder)[-1]
    checkpoint.read_progress(latest)
    return load_weights(latest)


KINDS = {
    "compiled models": Kind(save_weights, load_weights),
    "checkpoints": Kind(save_checkpoint, load_checkpoint),
}


def models() -> tuple[Weights, Weights]:
    """Two models that differ in every number."""
    one = progtf.lower(progtf.load(PROGRAM))
    return one, one.stored_as("bfloat16")


def which(weights: Weights, models: tuple[Weights, Weights]) -> str:
    """Which of two models it is."""
    assert weights in models, "neither the one nor the other"
    return "first" if weights == models[0] else "second"


def saver(kind: Kind, weights: Weights, folder: Path, start: Event, times: int) -> None:
    """Saves, again and again, once all may begin."""
    start.wait()
    for _ in range(times):
        kind.save(weights, folder)


def begun(kind: Kind, weights: Weights, folder: Path, start: Event, times: int) -> CONTEXT.Process:
    """A process that saves."""
    process = CONTEXT.Process(target=saver, args=(kind, weights, folder, start, times))
    process.start()
    return process


def rounds(kind: Kind, count: int, folder: Path) -> Counter[str]:
    """What loaded after each round; while savers were at work, it loaded as well.

    Raises:
        AssertionError: for a saver that failed, and for a folder that is neither model.
    """
    found: Counter[str] = Counter()
    pair = models()
    for number in range(count):
        here, start = folder / str(number), CONTEXT.Event()
        kind.save(pair[0], here)
        savers = [begun(kind, weights, here, start, SAVES) for weights in pair]
        start.set()
        while any(each.is_alive() for each in savers):
            which(kind.load(here), pair)
            found["loaded meanwhile"] += 1
        for each in savers:
            each.join()
            assert each.exitcode == 0, f"round {number}: a saver failed"
        found[which(kind.load(here), pair)] += 1
        assert not [*here.rglob("*.part")], "a part is left"
    return found


def kills(kind: Kind, count: int, folder: Path, chance: random.Random) -> Counter[str]:
    """What loaded after each kill of a saver that was writing over the other model."""
    found: Counter[str] = Counter()
    pair = models()
    kind.save(pair[0], folder)
    begin = time.monotonic()
    kind.save(pair[0], folder)
    latest = 2 * (time.monotonic() - begin)
    for _ in range(count):
        start = CONTEXT.Event()
        other = pair[which(kind.load(folder), pair) == "first"]
        process = begun(kind, other, folder, start, 1)
        start.set()
        time.sleep(chance.uniform(0, latest))
        process.kill()
        process.join()
        left = which(kind.load(folder), pair)
        found["killed" if process.exitcode else "done before the kill"] += 1
        found["new" if left == which(other, pair) else "old"] += 1
    kind.save(pair[0], folder)
    parts = [*folder.rglob("*.part")]
    assert not parts, f"{parts} are left"
    return found


def figures() -> Iterator[Figure]:
    """Of both kinds how often the one and the other loaded."""
    chance = random.Random(1)
    for name, kind in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            for what, times in rounds(kind, ROUNDS, Path(folder)).items():
                yield Figure(f"{name}, two savers: {what}", times, f"in {ROUNDS} rounds")
        with tempfile.TemporaryDirectory() as folder:
            for what, times in kills(kind, KILLS, Path(folder), chance).items():
                yield Figure(f"{name}, a saver killed: {what}", times, f"of {KILLS}")
