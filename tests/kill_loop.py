"""Processes that fill one store at once, and are killed while they write: nothing half is there.

python -m tests.kill_loop SECONDS tells how many rounds there were, and how many kills.
"""

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import torch

from progtf.cache import Cache
from progtf.content import key_of
from progtf.data import PAPER, Problem, open_cache
from progtf.data.growing import GrowingFile, is_finished
from progtf.data.recipes import sole_maker
from progtf.training.config import Data, Model, RunError
from progtf.training.networks import build_network, load_network, publish_network
from progtf.training.questions import opened, prepare

SMALL = Model(kind="tp", width=8, filter=8, heads=2, layers=1)
LARGEST = 250_000
MEMORY = Path("/dev/shm")


def entries(home, turn):
    """Some entries; of all turns there are more than there is room for."""
    kept = Cache(home / "cache", most=LARGEST)
    for number in range(40):
        content = held_of(number % 17, turn)
        kept.write(key_of(number % 17, turn % 3), content)


def held_of(number, turn):
    return bytes([number, turn % 3]) * (5_000 + number)


def own_questions(home, turn):
    """A cache of files that change from turn to turn."""
    data = own(home)
    for split in ("train", "interpolate"):
        path = data.folder / split / "sums.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("".join(f"What is {n}?\n{n}\n" for n in range(2_000)))
    for count in range(5):
        (data.folder / f"sums-{turn}-{count}.txt").touch()
        for cache in data.folder.glob("*.cache") if count % 2 == 0 else ():
            cache.unlink(missing_ok=True)
        prepare(data)


def own(home):
    return Data(folder=home / "own", generate=False, splits=["train"], modules=["sums"])


CHUNKS = 30


def growing(home, turn):
    """A file of questions that is taken up where it was left."""
    path = home / f"made{turn // 8}" / "train-easy" / "sums.txt"
    with sole_maker(path.parent, wait=True):
        if is_finished(path):
            return
        with GrowingFile(path) as file:
            while file.progress.chunk < CHUNKS:
                number = file.progress.chunk
                file.add(Problem(f"What is {n} + {number}?", str(n + number)) for n in range(50))
                file.save()


def whole():
    """All of such a file."""
    lines = (
        f"What is {n} + {number}?\n{n + number}\n" for number in range(CHUNKS) for n in range(50)
    )
    return "".join(lines)


def networks(home, turn):
    tensors = build_network(SMALL, 3).state_dict()
    for count in range(4):
        try:
            publish_network(home / f"network-{turn // 2}-{count}", SMALL, tensors, PAPER)
        except RunError as error:
            if "something is there" not in str(error):
                raise


WRITERS = (entries, own_questions, growing, networks)


def check(home, turn):
    """Looks at all that is there; what is damaged raises."""
    kept = Cache(home / "cache")
    for number in range(17):
        for each in range(3):
            held = kept.read(key_of(number, each))
            assert held in (None, held_of(number, each)), "half an entry"
    for path in (home / "cache").glob("*.kept"):
        assert path.stat().st_size > 5_000, "half a file"
    for path in (home / "own").glob("*.cache"):
        open_cache(path).check()
    for path in home.glob("made*/train-easy/sums.txt"):
        assert path.read_text() == whole(), "not the questions that were asked for"
    for folder in home.glob("network-*"):
        if not folder.name.endswith(".part"):
            load_network(folder)


def started(work, home, turn):
    """A process that does some work."""
    child = os.fork()
    if child:
        return child
    try:
        work(home, turn)
        os._exit(0)
    except BaseException as error:  # noqa: BLE001  told to whoever waits
        os.write(2, f"{work.__name__}: {error!r}\n".encode())
        os._exit(1)


def main(seconds):
    """Rounds of two processes of each kind; one of each is killed in the middle."""
    torch.set_num_threads(1)
    drawn, end, turn, kills = random.Random(7), time.monotonic() + seconds, 0, 0
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        home = Path(folder)
        while time.monotonic() < end:
            work = WRITERS[turn % len(WRITERS)]
            children = [started(work, home, turn) for _ in range(2)]
            time.sleep(drawn.uniform(0, 0.15))
            os.kill(children[0], signal.SIGKILL)
            ended = [os.waitpid(child, 0)[1] for child in children]
            kills += os.WIFSIGNALED(ended[0])
            assert ended[1] == 0, f"{work.__name__}: the one that was left failed"
            check(home, turn)
            turn += 1
        for work in WRITERS:
            work(home, turn)
        check(home, turn)
        assert len(opened(own(home))) == 2_000
    sys.stdout.write(f"{turn} {kills}\n")


if __name__ == "__main__":
    main(float(sys.argv[1]))
