"""Word problems solved by a network that has learned to write equations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from progtf.data import Words
from progtf.data.tokens import END, START
from progtf.nn import beam, pad_rows
from progtf.nn.expressions import PARTS
from progtf.nn.operands import LONGEST
from progtf.nn.pieces import PieceVectors
from progtf.nn.pointers import ExpressionPointers
from progtf.tasks.word_problems import (
    Solution,
    Solver,
    Token,
    UnsolvableError,
    WordProblem,
    equations_of,
    from_text,
    marked,
)
from progtf.training.config import RunError
from progtf.training.folders import is_network
from progtf.training.networks import LearnedModel
from progtf.training.pieces import bert_folder, pieces_of
from progtf.training.written_words import WrittenWords

BEAMS, BATCH = 3, 32
SYMBOLS = (LONGEST - 1) * PARTS


@dataclass(frozen=True)
class Solved:
    """What became of a problem.

    Attributes:
        tokens: what the network has written; none, if these are no whole tokens.
        equations: in postfix; none, if the tokens make no equations.
        solutions: of the system.
        reason: why there are none, if something went wrong.
    """

    tokens: tuple[Token, ...] = ()
    equations: tuple[str, ...] = ()
    solutions: tuple[Solution, ...] = ()
    reason: str = ""


def load_solving(checkpoint: Path, problems: Sequence[WordProblem]) -> LearnedModel:
    """A network that writes equations; what it reads knows the words of some problems.

    Raises:
        RunError: if there is none at this place.
    """
    if not is_network(checkpoint):
        raise RunError(f"{checkpoint}: no checkpoint of a network; `progtf train` makes one")
    model = LearnedModel.load(checkpoint)
    network, known = model.network, model.vocabulary
    if not isinstance(network, ExpressionPointers) or not isinstance(known, Words):
        raise RunError(f"{checkpoint}: a network that writes no equations: train `kind = pointers`")
    words = {word for problem in problems for word in marked(problem)}
    wider = Words((*known.units, *sorted(words.difference(known.units))), open=True)
    for part in network.modules():
        if isinstance(part, WrittenWords):
            part.know(wider.units)
        if isinstance(part, PieceVectors):
            part.know(pieces_of(wider.units, bert_folder()))
    return replace(model, vocabulary=wider)


@torch.no_grad()
def written(model: LearnedModel, problems: Sequence[WordProblem], width: int = BEAMS) -> list[str]:
    """The answers of a network as texts, in the order of the problems.

    Args:
        model: that was trained on word problems.
        problems: what it reads.
        width: beams.
    """
    network = model.network
    assert isinstance(network, ExpressionPointers)
    answers = [""] * len(problems)
    texts = [" ".join(marked(problem)) for problem in problems]
    order = sorted(range(len(texts)), key=lambda place: len(texts[place].split()))
    for first in range(0, len(order), BATCH):
        places = order[first : first + BATCH]
        rows = [[START, *model.vocabulary.encode(texts[n]).tolist(), END] for n in places]
        found = beam(network, pad_rows(rows), SYMBOLS, width, refused=network.refused)
        for place, answer in zip(places, found, strict=True):
            answers[place] = model.vocabulary.decode(answer.numpy())
    return answers


def solved(answer: str, problem: WordProblem, solver: Solver) -> Solved:
    """The equations of an answer, and what they come to."""
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
