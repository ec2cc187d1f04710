"""The roles that a learned network binds, held against what a written program knows."""

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
from progtf.data.problem import Problem
from progtf.equality import compared
from progtf.network.model import Model as Written
from progtf.notation.did_you_mean import nearest
from progtf.training.networks import LearnedModel, build_network, read_settings
from progtf.training.places import ROLES, VALUES, head_of, named, with_heads
from progtf.training.states import DECODER, ENCODER, MAPS, Pattern, patterns, seen, semes_of

CONTROLS = ("untrained", "values", "shuffled", "characters")
"""Roles of first weights; what heads retrieve; clusters in places of others; the characters."""


@compared
@dataclass(frozen=True)
class Reading:
    """What was found.

    Attributes:
        heads: name -> cluster at every position.
        found: for each seme the head that agrees best, and each control's best.
        texts: questions as they were read, or answers as they were due.
        words: every cluster of the head that is shown, as a conjunction of semes.
        maps: of some of them, where this head looks.
    """

    heads: dict[str, Labels]
    found: dict[str, list[Found]]
    texts: tuple[str, ...]
    words: tuple[Said, ...] = ()
    maps: tuple[Pattern, ...] = ()

    @property
    def shown(self) -> str:
        """The head that agrees best with a seme."""
        first = next(iter(self.found.values()), [])
        return first[0].name if first else next(iter(self.heads))


def read_roles(
    folder: Path,
    program: Written,
    problems: Sequence[Problem],
    count: int,
    semes: Sequence[str] = (),
    side: str = ENCODER,
    head: str | None = None,
) -> Reading:
    """Clusters the role vectors of every head, and holds them against semes.

    Args:
        folder: a checkpoint of a ``[model]`` of kind ``tp``; of another its values are divided.
        program: reads the same questions, character by character.
        problems: questions with answers; on every second one heads are chosen, on the others they
            are scored.
        count: of clusters.
        semes: of the program, where its encoder or decoder ends; all that vary, if none is named.
        side: ``encoder``: at the characters of questions; ``decoder``: heads of both kinds, where
            the characters of answers are due.
        head: the only one that is read; None: all of this side.

    Raises:
        ValueError: for a seme that is none, or a question that is not read by characters.
        RunError: for a damaged checkpoint, or a network without heads that answer.
        InputError: for a question that one of the two does not take.
    """
    learned = with_heads(folder)
    only = None if head is None else head_of(learned, head, side)[0]
    at = _positions([each[side == DECODER] for each in problems])
    known = _known(program, problems, semes, side)
    roles = _divided(learned, problems, (side, ROLES, only), count)
    values = _divided(learned, problems, (side, VALUES, only), count)
    heads, point = (roles, ROLES) if roles else (values, VALUES)
    before = _divided(_untrained(folder, learned), problems, (side, point, only), count)
    divided = {"roles": roles, "values": values, "untrained": before}
    divided["shuffled"] = {name: shuffled(labels, at) for name, labels in heads.items()}
    divided["characters"] = {"characters": by_character(at)}
    found = {name: best(each, known, at) for name, each in divided.items() if each}
    reading = Reading(heads, found, tuple(each[side == DECODER] for each in problems))
    known = known if not semes else _known(program, problems, (), side)
    halves = [at.counted & (at.question % 2 == half) for half in (0, 1)]
    words = said(heads[reading.shown], known, halves[0], halves[1])
    place = head_of(learned, reading.shown, side)[1]
    maps = patterns(learned, *place, problems[:MAPS])
    return replace(reading, words=tuple(words), maps=tuple(maps))


def _positions(texts: Sequence[str]) -> Positions:
    character = [one for text in texts for one in text]
    number = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    return Positions(number, character, np.array([one.isdigit() for one in character]))


Where = tuple[str, str, str | None]
"""A side, a point, and the name of the only head that is meant, if one is."""


def _divided(
    model: LearnedModel, problems: Sequence[Problem], where: Where, count: int
) -> dict[str, Labels]:
    """The clusters of what every head of an encoder or a decoder has at a point."""
    return {name: clusters(each, count) for name, each in _vectors(model, problems, *where)}


def _vectors(
    model: LearnedModel, problems: Sequence[Problem], side: str, point: str, only: str | None
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    names = [name for name in model.hooks() if name.startswith(side) and name.endswith(point)]
    for name, (_, rows) in zip(names, seen(model, names, problems), strict=True):
        here = rows[_inner(problems, side)]
        for head in range(here.shape[1]):
            whole = named(name.removesuffix(f".{point}"), head)
            if only in (None, whole):
                yield whole.removeprefix(f"{side} "), here[:, head]


def _inner(problems: Sequence[Problem], side: str) -> NDArray[np.bool_]:
    """Which positions are those of characters: no start of a question, and no end."""
    parts = [
        [False, *(True for _ in question), False]
        if side == ENCODER
        else [*map(bool, answer), False]
        for question, answer in problems
    ]
    return np.array([each for part in parts for each in part])


def _known(
    program: Written, problems: Sequence[Problem], semes: Sequence[str], side: str
) -> dict[str, NDArray[np.float64]]:
    """The values of semes where the program's encoder, or its decoder, ends."""
    names = program.semes
    for seme in semes:
        if seme not in names:
            raise ValueError(f"no seme is called `{seme}`; {nearest(seme, names)}".rstrip("; "))
    rows = semes_of(program, problems, side)[2][_inner(problems, side)]
    return {seme: rows[:, names.index(seme)] for seme in semes or names}


def _untrained(folder: Path, learned: LearnedModel) -> LearnedModel:
    """The same network before it learned, from another seed."""
    network: Any = build_network(read_settings(folder)[0], 1, learned.vocabulary)
    network.eval()
    return replace(learned, network=network)
