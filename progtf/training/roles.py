"""The roles that a learned network binds, held against what a written program knows."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from progtf.analysis.conjunctions import Said, said
from progtf.analysis.roles import (
    Found,
    Labels,
    Positions,
    best,
    by_character,
    clusters,
    shuffled,
)
from progtf.network.model import Model as Written
from progtf.nn.inside import Inside
from progtf.notation.did_you_mean import nearest
from progtf.training.config import Model
from progtf.training.folders import SETTINGS
from progtf.training.networks import LearnedModel, build_network

ROLES, VALUES = "hook_role", "hook_z"
BLOCK, END = "encoder.blocks.", "hook_resid_post"
CONTROLS = ("untrained", "values", "shuffled", "characters")
"""Roles of first weights; what heads retrieve; clusters in places of others; the characters."""


@dataclass(frozen=True)
class Reading:
    """What was found.

    Attributes:
        heads: name -> cluster at every position.
        found: for each seme the head that agrees best, and each control's best.
        questions: as they were read.
        words: every cluster of the head that is shown, as a conjunction of semes.
    """

    heads: dict[str, Labels]
    found: dict[str, list[Found]]
    questions: tuple[str, ...]
    words: tuple[Said, ...] = ()

    @property
    def shown(self) -> str:
        """The head that agrees best with a seme."""
        first = next(iter(self.found.values()), [])
        return first[0].name if first else next(iter(self.heads))


def read_roles(
    folder: Path, program: Written, questions: Sequence[str], count: int, semes: Sequence[str] = ()
) -> Reading:
    """Clusters the role vectors of every head of an encoder, and holds them against semes.

    Args:
        folder: a checkpoint of a ``[model]`` of kind ``tp``; of another its values are divided.
        program: reads the same questions, character by character.
        questions: on every second one heads are chosen, on the others they are scored.
        count: of clusters.
        semes: of the program, where its encoder ends; all of them that vary, if none is named.

    Raises:
        ValueError: for a seme that is none, or a question that is not read by characters.
        RunError: for a damaged checkpoint.
        InputError: for a question that one of the two does not take.
    """
    learned = LearnedModel.load(folder)
    at = _positions(questions)
    known = _known(program, questions, semes)
    roles = _divided(learned, questions, ROLES, count)
    values = _divided(learned, questions, VALUES, count)
    heads, point = (roles, ROLES) if roles else (values, VALUES)
    before = _divided(_untrained(folder, learned), questions, point, count)
    divided = {"roles": roles, "values": values, "untrained": before}
    divided["shuffled"] = {name: shuffled(labels, at) for name, labels in heads.items()}
    divided["characters"] = {"characters": by_character(at)}
    found = {name: best(each, known, at) for name, each in divided.items() if each}
    reading = Reading(heads, found, tuple(questions))
    known = known if not semes else _known(program, questions, ())
    halves = [at.counted & (at.question % 2 == half) for half in (0, 1)]
    words = said(heads[reading.shown], known, halves[0], halves[1])
    return replace(reading, words=tuple(words))


def _positions(questions: Sequence[str]) -> Positions:
    character = [one for question in questions for one in question]
    number = np.repeat(np.arange(len(questions)), [len(question) for question in questions])
    return Positions(number, character, np.array([one.isdigit() for one in character]))


def _divided(model: Inside, questions: Sequence[str], point: str, count: int) -> dict[str, Labels]:
    """The clusters of what every head of the encoder has at a point."""
    vectors = dict(_vectors(model, questions, point))
    return {name: clusters(each, count) for name, each in vectors.items()}


def _vectors(
    model: Inside, questions: Sequence[str], point: str
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    wanted = [name for name in model.hooks() if name.startswith(BLOCK) and name.endswith(point)]
    _, cache = model.run_with_cache(list(questions), wanted)
    for name in wanted:
        block = name.split(".")[2]
        rows = _characters(cache[name].double().numpy(), questions)
        for head in range(rows.shape[1]):
            yield f"layer {block} head {head}", rows[:, head]


def _characters(rows: NDArray[np.float64], questions: Sequence[str]) -> NDArray[np.float64]:
    """The rows at the characters of questions, of which one of padding and marks is before."""
    return np.concatenate([rows[n, 1 : 1 + len(text)] for n, text in enumerate(questions)])


def _known(
    program: Written, questions: Sequence[str], semes: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """The values of semes where the program's encoder ends."""
    for question in questions:
        if program.reader.read(question)[1 : 1 + len(question)] != list(question):
            raise ValueError(f"the program does not read {question!r} by characters behind <bos>")
    names = program.semes
    for seme in semes:
        if seme not in names:
            raise ValueError(f"no seme is called `{seme}`; {nearest(seme, names)}".rstrip("; "))
    ends = [name for name in program.hooks() if name.startswith(BLOCK) and name.endswith(END)]
    point = max(ends, key=lambda name: int(name.removeprefix(BLOCK).partition(".")[0]))
    _, cache = program.run_with_cache(list(questions), point)
    rows = _characters(cache[point].double().numpy(), questions)
    return {seme: rows[:, names.index(seme)] for seme in semes or names}


def _untrained(folder: Path, learned: LearnedModel) -> LearnedModel:
    """The same network before it learned, from another seed."""
    said = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    said.pop("alphabet", None)
    network: Any = build_network(Model(**said), 1, learned.vocabulary)
    network.eval()
    return replace(learned, network=network)
