"""The networks that are looked into, and the programs that know what they are asked."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import progtf
from benchmarks.networks import network_of
from progtf.data.problem import Problem
from progtf.network.model import Model
from progtf.training.networks import LearnedModel

ROOT = Path(__file__).parents[2]
MATH = ROOT / "examples" / "math"
SEEDS = (1, 2, 3)
FITTED, HELD_OUT, PAIRS = 200, 200, 100
Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class Task:
    """What networks were trained to do.

    Attributes:
        networks: their names, and the beginnings of their folders.
        reads: a program that knows the questions, character by character.
        answers: a program that answers them as the networks do.
        semes: of the first one, those that are shown.
        swapped: of both, those that are swapped.
        questions: that no network has seen, with their answers.
        pairs: of questions between which semes are swapped.
    """

    networks: Mapping[str, str]
    reads: Path
    answers: Path
    semes: tuple[str, ...]
    swapped: tuple[str, ...]
    questions: Callable[[Path], list[Problem]]
    pairs: Callable[[list[str]], Pairs]


@dataclass(frozen=True)
class Network:
    """One of them, with its task and its folder."""

    kind: str
    seed: int
    task: Task
    folder: Path

    @property
    def name(self) -> dict[str, Any]:
        """As rows have it."""
        return {"network": self.kind, "seed": self.seed}

    @property
    def run(self) -> Path:
        """The folder in which it was trained."""
        return self.folder / f"{self.task.networks[self.kind]}-{self.seed}"

    def load(self) -> LearnedModel:
        """Its last checkpoint."""
        return network_of(self.run)

    def problems(self) -> tuple[list[Problem], list[Problem]]:
        """Those by which something is fitted, and all others."""
        every = self.task.questions(self.folder / "data")
        return every[:FITTED], every[FITTED:]


def networks(folders: Mapping[str, Path]) -> Iterator[Network]:
    """All of them."""
    for name, task in TASKS.items():
        for kind in task.networks:
            yield from (Network(kind, seed, task, folders[name]) for seed in SEEDS)


@cache
def compiled(path: Path) -> Model:
    """A program, compiled once."""
    return progtf.compile(progtf.load(path))


def _places(folder: Path) -> list[Problem]:
    lines = (folder / "extrapolate.tsv").read_text(encoding="utf-8").splitlines()
    return [Problem(*line.split("\t")) for line in lines]


def _fractions(folder: Path) -> list[Problem]:
    lines = (folder / "extrapolate" / "fractions.txt").read_text(encoding="utf-8").splitlines()
    return [Problem(*each) for each in zip(lines[::2], lines[1::2], strict=True)]


def _neighbours(questions: list[str]) -> Pairs:
    """Every two that are not of one length, the shorter one first."""
    pairs = [*zip(questions[::2], questions[1::2], strict=False)][:PAIRS]
    return [
        (min(pair, key=len), max(pair, key=len)) for pair in pairs if len(pair[0]) != len(pair[1])
    ]


def _other_signs(questions: list[str]) -> Pairs:
    """Quotients and products whose digits stand at the same places, one way and the other."""
    alike: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for question in questions:
        form = re.sub(r"\d", "d", question)
        alike[form.replace("*", "/")]["*" in form].append(question)
    both = [pair for some in alike.values() for pair in zip(*some, strict=False)]
    both.sort(key=lambda pair: questions.index(pair[0]))
    turns = zip(both[::2], both[1::2], strict=False)
    return [pair for one, (a, b) in turns for pair in (one, (b, a))][:PAIRS]


PLACE, LEVEL = [f"place[{n}]" for n in range(4)], [f"level[{n}]" for n in (1, 2)]
TASKS = {
    "places": Task(
        {"answers alone": "plain", "trained to have `asked`": "siit"},
        MATH / "place_value.seme", MATH / "place_value.seme",
        ("digit", "val", *PLACE, "rank", "asked", "hit"), ("asked", "hit"), _places, _neighbours,
    ),
    "fractions": Task(
        {"fractions": "tp"},
        MATH / "mul_div_multiple.seme", ROOT / "benchmarks" / "roles" / "fractions.seme",
        ("digit", "val", *LEVEL, "opens", "divides", "divisions", "turned", "term"), ("turned",),
        _fractions, _other_signs,
    ),
}  # fmt: skip
