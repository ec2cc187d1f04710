"""Word problems solved by a network that has learned to write equations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from progtf.data import Words
from progtf.data.tokens import END, START
from progtf.nn import Decodable, all_beams, beam, pad_rows
from progtf.nn.beam import Refused
from progtf.nn.expressions import PARTS
from progtf.nn.operands import LONGEST
from progtf.nn.pieces import PieceVectors
from progtf.nn.pointers import ExpressionPointers
from progtf.numbers import settled
from progtf.tasks.word_problems import (
    NEW,
    Solution,
    Solver,
    Token,
    UnsolvableError,
    WordProblem,
    equations_of,
    from_text,
    leniently_right,
    marked,
    strictly_right,
    tokens_of,
)
from progtf.training.config import RunError
from progtf.training.networks import LearnedModel
from progtf.training.pieces import bert_folder, pieces_of
from progtf.training.written_words import WrittenWords

BEAMS, BATCH = 3, 32
SYMBOLS = (LONGEST - 1) * PARTS
SURE = 0.5
"""Of the chance of all beams, the share of those that agree with the answer; below, it is told.

So it is of a network that says nothing else (`sureness.py`); one of the package does.
"""


@dataclass(frozen=True)
class Solved:
    """What became of a problem.

    Attributes:
        tokens: what the network has written; none, if these make no equations.
        equations: in postfix; none, if the tokens make no equations.
        solutions: of the system.
        reason: why there are none, if something went wrong.
    """

    tokens: tuple[Token, ...] = ()
    equations: tuple[str, ...] = ()
    solutions: tuple[Solution, ...] = ()
    reason: str = ""


def load_solving(checkpoint: Path, problems: Sequence[WordProblem]) -> LearnedModel:
    """A network that writes equations; where it points, what it reads knows the words of problems.

    Raises:
        RunError: if there is none at this place.
    """
    model = LearnedModel.load(checkpoint)
    network, known = model.network, model.vocabulary
    if not isinstance(known, Words) or NEW not in known.units:
        raise RunError(f"{checkpoint}: a network that writes no equations: train `kind = pointers`")
    if not isinstance(network, ExpressionPointers):  # it has vectors for the words of its data
        return replace(model, vocabulary=Words(known.units, open=True))
    words = {word for problem in problems for word in marked(problem)}
    wider = Words((*known.units, *sorted(words.difference(known.units))), open=True)
    for part in network.modules():
        if isinstance(part, WrittenWords):
            part.know(wider.units)
        if isinstance(part, PieceVectors):
            part.know(pieces_of(wider.units, bert_folder()))
    return replace(model, vocabulary=wider)


@torch.no_grad()
def written(
    model: LearnedModel, problems: Sequence[WordProblem], width: int = BEAMS
) -> list[str | None]:
    """The answers of a network as texts, in the order of the problems; None of one without an end.

    Args:
        model: that was trained on word problems.
        problems: what it reads.
        width: beams.
    """
    network = model.network
    answers: list[str | None] = [None] * len(problems)
    texts = [" ".join(marked(problem)) for problem in problems]
    order = sorted(range(len(texts)), key=lambda place: len(texts[place].split()))
    for first in range(0, len(order), BATCH):
        places = order[first : first + BATCH]
        rows = [[START, *model.vocabulary.encode(texts[n]).tolist(), END] for n in places]
        found = beam(network, pad_rows(rows), SYMBOLS, width, refused=_refused(network))
        for place, answer in zip(places, found, strict=True):
            if END in answer.tolist():
                answers[place] = model.vocabulary.decode(answer.numpy())
    return answers


def _refused(network: Decodable) -> Refused | None:
    """What a network that points may not write."""
    return network.refused if isinstance(network, ExpressionPointers) else None


def solved(answer: str | None, problem: WordProblem, solver: Solver) -> Solved:
    """The equations of an answer, and what they come to; None: it does not end."""
    if answer is None:
        return Solved(reason="they do not end")
    try:
        tokens = from_text(answer)
        equations = equations_of(tokens)
    except ValueError as error:
        return Solved(reason=str(error))
    try:
        values = [number.value for number in problem.numbers]
        return Solved(tokens, equations, tuple(solver.solve(equations, values)))
    except UnsolvableError as error:
        return Solved(tokens, equations, reason=str(error))


@dataclass(frozen=True)
class Weighed:
    """The answer of a network beside those of its other beams.

    Attributes:
        solved: the likeliest answer.
        share: of the chance of all beams, what those have that come to the same; 1: all agree.
        chance: of all that could be written, what these beams have.
        least: the chance below which the network is unsure, as it is of a value below 0; without
            it, beams have to agree.
    """

    solved: Solved
    share: float
    chance: float
    least: float | None = None

    @property
    def unsure(self) -> bool:
        """Whether the chance is too small, or other beams, of some chance, say something else."""
        if self.least is None:
            return self.share < SURE
        return self.chance < self.least or self.negative

    @property
    def negative(self) -> bool:
        """Whether something is below 0: few things that people ask for are."""
        return any(value < 0 for each in self.solved.solutions for value in each.values())


def weighed(
    model: LearnedModel, problem: WordProblem, width: int = BEAMS, least: float | None = None
) -> Weighed:
    """What a network writes of a problem, and whether its beams agree on what that comes to.

    Beams that write other equations with the same solutions agree.

    Args:
        model: that writes equations.
        problem: what it reads.
        width: beams.
        least: the chance below which it is unsure; without it, beams have to agree.
    """
    network = model.network
    text = model.vocabulary.encode(" ".join(marked(problem))).tolist()
    rows = pad_rows([[START, *text, END]])
    answers, scores = all_beams(network, rows, SYMBOLS, width, refused=_refused(network))
    with Solver() as solver:
        each = [
            solved(model.vocabulary.decode(answer.numpy()), problem, solver) for answer in answers
        ]
    if not each:
        return Weighed(Solved(reason="no beam came to an end"), 0.0, 0.0, least)
    first = _comes_to(each[0])
    same = torch.tensor(
        [_comes_to(one) == first for one in each], dtype=torch.bool, device=scores.device
    )
    share, chance = (each[same].sum().item() for each in (scores.softmax(dim=0), scores.exp()))
    return Weighed(each[0], share, chance, least)


def _comes_to(one: Solved) -> frozenset[tuple[float, ...]]:
    """The values of each solution, whichever unknown has which."""
    return frozenset(
        tuple(sorted(settled(value, 6) for value in each.values())) for each in one.solutions
    )


@dataclass(frozen=True)
class Scored:
    """What a network made of a problem, and whether it is right.

    Attributes:
        strict: every expected value is there, and no other unknown.
        lenient: within 0.1, as published.
        equations: its tokens are those that the file has.
    """

    problem: WordProblem
    solved: Solved
    strict: bool
    lenient: bool
    equations: bool


def scored(
    model: LearnedModel, problems: Sequence[WordProblem], width: int = BEAMS
) -> list[Scored]:
    """What a network makes of problems with answers, judged, in their order."""
    with Solver() as solver:
        return [
            _scored(answer, problem, solver)
            for answer, problem in zip(written(model, problems, width), problems, strict=True)
        ]


def _scored(answer: str | None, problem: WordProblem, solver: Solver) -> Scored:
    found = solved(answer, problem, solver)
    pair = found.solutions, problem.answers
    due = tokens_of(problem.equations, len(problem.numbers))
    return Scored(
        problem, found, strictly_right(*pair), leniently_right(*pair), found.tokens == due
    )
