"""What people and programs hand to progtf, spoilt at random: no traceback, no hang, no growth.

``python -m benchmarks.fuzz [kind] [count] [seed]``; without words all five kinds:

    texts      20,000 of the notation, see ``benchmarks.fuzz_notation``
    folders     2,000 compiled models: bytes changed, descriptions changed and signed again
    runs        2,000 run files
    data        2,000 folders of questions, and caches
    messages    2,000 messages and states of widgets

Each must be taken or refused in the words of its error, in at most five seconds, and all of a kind
in at most 300 MB more than before. The first one that is not is printed.
"""

import json
import random
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import typer
from safetensors.numpy import load, save
from traitlets import TraitError

import progtf
from benchmarks import fuzz_notation
from progtf.data import DataError, open_layout, vocabulary_of
from progtf.data.cache import open_cache
from progtf.data.cache_build import build_cache
from progtf.data.recipes import RecipeBook
from progtf.program.tokens import InputError
from progtf.training.config import RunError, read_run
from progtf.training.questions import settled
from progtf.weights import folder as folders
from progtf.widgets import MatrixView, Playground, TrainingView, figures
from progtf.widgets.training import read_records

ROOT = Path(__file__).parents[1]
LONGEST_SECONDS, MOST_GROWTH_MB = 5.0, 300.0
JUNK = [
    *(None, True, -1, 0, 1, 2**31, 2**70, -0.5, 1e308, float("inf"), float("nan")),
    *("", "a", "\x1b[2J", "🦆", "float16", "ß" * 300, [], {}, [[]], {"a": []}, [1, "a"], ["a"] * 9),
]
BYTES = [
    b"\0",
    b"\xff",
    b"\n",
    b"\r\n",
    b"[",
    b"{",
    b'"',
    b"9" * 5000,
    b"\xe2\x80",
    b"=",
    b"[" * 9999,
]

Try = Callable[[random.Random, Path], None]


def spoilt(chance: random.Random, data: bytes) -> bytes:
    """Bytes, a few stretches of them left out, doubled or replaced."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((1, 1, 4, 50)))
        piece = chance.choice([b"", data[start:end] * 2, chance.choice(BYTES), chance.randbytes(4)])
        data = data[:start] + piece + data[end:]
    return data


def changed(chance: random.Random, node: Any) -> Any:
    """A value of JSON with junk somewhere in it, or something missing."""
    if not isinstance(node, dict | list) or not node or chance.random() < 0.1:
        return chance.choice(JUNK)
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    key = chance.choice(keys)
    if chance.random() < 0.1:
        pairs = [(k, node[k]) for k in keys if k != key]
        return dict(pairs) if isinstance(node, dict) else [value for _, value in pairs]
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[key] = changed(chance, node[key])
    return copy


PROGRAMS = [
    "examples/a_or_an.seme",
    "examples/article/attention_with_positions.seme",
    "examples/hybrid/say_digit.seme",
    "examples/math/place_value.seme",
]


def try_folder(chance: random.Random, here: Path) -> None:
    """A compiled model, whose file is spoilt."""
    path = here / chance.choice(PROGRAMS).replace("/", "-")
    if not path.is_dir():
        for each in PROGRAMS:
            progtf.save_model(progtf.load(ROOT / each), here / each.replace("/", "-"))
    data = (path / folders.WEIGHTS).read_bytes()
    spoilt_here = here / "spoilt"
    spoilt_here.mkdir(exist_ok=True)
    if chance.random() < 0.3:
        data = spoilt(chance, data)
    else:
        description, tensors = json.loads(folders._header(data)[folders.DESCRIPTION]), load(data)  # noqa: SLF001
        description.pop("sha256")
        if chance.random() < 0.3:
            name = chance.choice(list(tensors))
            tensors[name] = chance.choice([tensors[name][:-1], tensors[name].astype("int8")])
        else:
            description = changed(chance, description)
        text = json.dumps(description, separators=(",", ":"))
        if chance.random() < 0.2:
            text = spoilt(chance, text.encode()).decode("utf-8", "replace")
        header = {folders.DESCRIPTION: folders._signed(text + ',"sha256"', tensors)}  # noqa: SLF001
        data = save(tensors, header)
    (spoilt_here / folders.WEIGHTS).write_bytes(data)
    with suppress(folders.FolderError, InputError):
        progtf.load_model(spoilt_here).run("black dog")


def try_run(chance: random.Random, here: Path) -> None:
    """A run file; questions of one's own are looked for."""
    file = chance.choice(sorted((ROOT / "runs").rglob("*.toml")))
    path = here / "run.toml"
    path.write_bytes(spoilt(chance, file.read_bytes().replace(b"../", str(ROOT).encode() + b"/")))
    changes = {}
    if chance.random() < 0.5:
        keys = ["train.steps", "data.alphabet", "data.generate", "model", "written", "a.b", "data"]
        changes = {chance.choice(keys): chance.choice(JUNK)}
    with suppress(RunError):
        settled(read_run(path, changes))


def try_data(chance: random.Random, here: Path) -> None:
    """A folder of questions in several alphabets, its cache, and the note of how it was made."""
    text = "What is 1 + 1?\n2\nСколько будет 2?\nДва\n" * chance.choice((1, 300))
    (here / "train-easy").mkdir(exist_ok=True)
    (here / "train-easy" / "sums.txt").write_bytes(spoilt(chance, text.encode()))
    with suppress(DataError):
        vocabulary = vocabulary_of(open_layout(here, ["train-easy"]))
        files = list(open_layout(here, ["train-easy"], (), vocabulary))
        build_cache(here / "x.cache", files)
        assert list(files[0].problems())
    (here / "made.json").write_bytes(spoilt(chance, b'{"train-easy/sums.txt": {"seed": 1}}'))
    with suppress(DataError):
        RecipeBook(here)
    if (here / "x.cache").exists():
        (here / "y.cache").write_bytes(spoilt(chance, (here / "x.cache").read_bytes()))
        with suppress(DataError):
            open_cache(here / "y.cache").check()


class Quiet:
    """A queue that notes what it is asked, and examines nothing."""

    def prepare(self) -> None:
        """Nothing to prepare."""

    def submit(self, _owner: object, request: object, _reply: object) -> None:
        """Requests go to another process, as JSON."""
        json.dumps(request)


MESSAGES = [
    {"edited": {"text": "semes: a", "input": "x", "id": 3, "at": 1}},
    {"type": "soon"},
    {"type": "text", "text": "+pig -2wombat"},
    {"type": "cell", "source": "", "target": "pig", "value": 2.5},
    {"kind": "matrix", "data": {"rows": [""], "text": "+pig"}},
]
RECORDS = b'{"step": 1, "loss": 2.5, "drift": {"changed": 1}}\n{"step": 2, "loss": null}\n'


def try_message(chance: random.Random, here: Path) -> None:
    """A message of the front-end, or a state; and a file of curves."""
    widget = chance.choice(_widgets(here))
    message = changed(chance, chance.choice(MESSAGES)) if chance.random() < 0.9 else MESSAGES[3]
    message = message if isinstance(message, dict) else {}
    with patch.object(figures, "queue", Quiet):
        widget._handle_custom_msg(message, [])  # noqa: SLF001  as the front-end calls it
        with suppress(TraitError):  # a state that is none
            widget.set_state({"edited": message["edited"]} if "edited" in message else {})
    widget.still()
    (here / "metrics.jsonl").write_bytes(spoilt(chance, RECORDS))
    with warnings.catch_warnings(action="ignore"):  # of what is left out
        read_records(here / "metrics.jsonl")


_MADE: list[Any] = []


def _widgets(here: Path) -> list[Any]:
    if not _MADE:
        nouns = ROOT / PROGRAMS[1]
        _MADE.extend([Playground(nouns), TrainingView(here / "metrics.jsonl")])
        _MADE.extend(MatrixView(text, "pig wombat") for text in ("+pig", "3pig>wombat"))
    return _MADE


KINDS: dict[str, Try] = {
    "folders": try_folder,
    "runs": try_run,
    "data": try_data,
    "messages": try_message,
}


def run(kind: str, count: int, seed: int, longest: float = LONGEST_SECONDS) -> tuple[float, float]:
    """So many of a kind: the slowest one in seconds, and by how many MB memory grew.

    Raises:
        AssertionError: for one that takes too long.
        BaseException: whatever one of them raised that it should not.
    """
    slowest = 0.0
    with tempfile.TemporaryDirectory() as here:
        KINDS[kind](random.Random(0), Path(here))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for number in range(count):
            chance, start = random.Random(f"{seed} {number}"), time.process_time()
            try:
                KINDS[kind](chance, Path(here))
                seconds = time.process_time() - start
                assert seconds <= longest, f"{seconds:.1f} s"
            except BaseException:
                sys.stderr.write(f"{kind}: number {number} of seed {seed}\n")
                raise
            slowest = max(slowest, seconds)
    return slowest, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main(
    only: Annotated[str | None, typer.Argument(help="One kind in place of all, as texts")] = None,
    number: Annotated[int | None, typer.Argument(help="How many of each kind")] = None,
    seed: Annotated[int, typer.Argument()] = 1,
) -> None:
    """Prints what was tried."""
    if only not in (None, "texts", *KINDS):
        raise typer.BadParameter(f"texts, {', '.join(KINDS)} are there")
    for kind in [only] if only else ["texts", *KINDS]:
        count = number or (20_000 if kind == "texts" else 2_000)
        if kind == "texts":
            outcome = fuzz_notation.run(count, seed, LONGEST_SECONDS)
            slowest, growth = outcome.slowest, outcome.growth
        else:
            slowest, growth = run(kind, count, seed)
        print(f"{kind}: {count:,}, the slowest {slowest:.2f} s, {growth:.0f} MB more", flush=True)
        assert growth <= MOST_GROWTH_MB, f"more than {MOST_GROWTH_MB:.0f} MB"


if __name__ == "__main__":
    typer.run(main)
