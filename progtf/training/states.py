"""What stands in a learned network and in a written program where both have read the same."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from progtf.data.problem import Problem
from progtf.equality import compared
from progtf.network.model import Model as Written
from progtf.nn import pad_rows
from progtf.nn.kept import Cache
from progtf.program.model import BOS, EOS
from progtf.training.networks import LearnedModel
from progtf.training.subject import as_batch

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
ENCODER, DECODER = "encoder", "decoder"
MAPS = 3
"""Questions of which it is told where a head looks."""


@compared
class Pattern(NamedTuple):
    """Where a head looks: the shares of attention (dst src), and what stands on both sides."""

    dst: tuple[str, ...]
    src: tuple[str, ...]
    shares: Array


@torch.no_grad()
def seen(
    model: LearnedModel, points: Sequence[str], problems: Sequence[Problem]
) -> list[tuple[Numbers, Array]]:
    """What stands at points while a network reads questions and is given their answers.

    Returns:
        Of each point the number of the question, and what stands there: in an encoder, and where a
        decoder reads it, at the characters or words of a question and at both its ends, elsewhere
        in a decoder wherever a character, a word or the end of the answer is due.

    Raises:
        InputError: for a question of other characters, or of too many.
    """
    cache, cut = _cache(model, points, problems), model.vocabulary.cut
    found = zip(points, (tokens(problems, _stands(point), cut) for point in points), strict=True)
    return [_rows(cache[point], texts) for point, texts in found]


@torch.no_grad()
def patterns(
    model: LearnedModel, heads: str, head: int, problems: Sequence[Problem]
) -> list[Pattern]:
    """Where a head looks, question by question.

    Args:
        model: a network.
        heads: as names of points have it: ``encoder.blocks.1.attn``, ``decoder.blocks.0.cross``.
        head: which of these, from 0 on.
        problems: the questions, with answers that a decoder is given.
    """
    point, side = f"{heads}.hook_pattern", heads.partition(".")[0]
    found = _cache(model, [point], problems)[point][:, head].double().numpy()
    readers = tokens(problems, side, model.vocabulary.cut)
    sources = tokens(problems, ENCODER, model.vocabulary.cut)
    sources = sources if heads.endswith("cross") else readers
    return [
        Pattern(tuple(dst), tuple(src), rows[: len(dst), : len(src)])
        for rows, dst, src in zip(found, readers, sources, strict=True)
    ]


def _cache(model: LearnedModel, points: Sequence[str], problems: Sequence[Problem]) -> Cache:
    source = pad_rows([model.encoded(each.question) for each in problems])
    _, answer = as_batch(problems, torch.device("cpu"), model.vocabulary)
    network: Any = model.network
    return network.run_with_cache((source, answer[:, :-1]), list(points))[1]


@torch.no_grad()
def semes_of(
    program: Written, problems: Sequence[Problem], side: str = ENCODER
) -> tuple[Numbers, list[str], Array]:
    """What is known at the same positions as `seen`: of which question, names, and their values.

    These are the semes where a program's encoder, or its decoder, ends, and every character, as
    ``"7"``. A decoder is given the answer, too, whatever the program itself would answer.

    Raises:
        ValueError: for questions that are not read by characters between two ends, and for a
            decoder of a program that has none.
    """
    texts, known = tokens(problems, side), list(program.semes)
    point = _last(program, side)
    _, cache = program.run_with_cache(_given(program, problems, side), point)
    number, rows = _rows(cache[point], texts)
    each = np.array([token for text in texts for token in text])
    characters = sorted({token for text in texts for token in text} - {BOS, EOS})
    columns = [rows[:, : len(known)], *((each == one)[:, None] for one in characters)]
    names = [*known, *(f'"{one}"' for one in characters)]
    return number, names, np.concatenate(columns, axis=1, dtype=float)


def tokens(
    problems: Sequence[Problem], side: str, cut: Callable[[str], Sequence[str]] = list
) -> list[list[str]]:
    """What stands at the positions of an encoder or a decoder.

    Args:
        problems: questions and answers.
        side: ``encoder`` or ``decoder``.
        cut: a text into characters or words.
    """
    if side == ENCODER:
        return [[BOS, *cut(question), EOS] for question, _ in problems]
    return [[BOS, *cut(answer)] for _, answer in problems]


def _stands(point: str) -> str:
    """Whose positions a point has: keys and values of ``cross`` stand in the encoder."""
    keys = point.endswith((".cross.hook_k", ".cross.hook_v"))
    return ENCODER if keys else point.partition(".")[0]


def _rows(found: torch.Tensor, texts: list[list[str]]) -> tuple[Numbers, Array]:
    sizes = [len(each) for each in texts]
    number, rows = np.repeat(np.arange(len(texts)), sizes), found.double().numpy()
    return number, np.concatenate([row[:size] for row, size in zip(rows, sizes, strict=True)])


def _given(program: Written, problems: Sequence[Problem], side: str) -> object:
    """Questions as the program takes them, with answers if its decoder is looked into."""
    read = tokens(problems, ENCODER)
    for (text, _), due in zip(problems, read, strict=True):
        if program.reader.read(text) != due:
            raise ValueError(f"the program does not read {text!r} by characters")
    source = program.batch(read)
    return source if side == ENCODER else (source, program.batch(tokens(problems, side)))


def _last(program: Written, side: str) -> str:
    """The point behind the last block."""
    blocks = [name for name in program.hooks() if name.startswith(f"{side}.blocks.")]
    if not blocks:
        raise ValueError(f"the program has no {side}: heads there cannot be told in its semes")
    return f"{side}.blocks.{max(int(name.split('.')[2]) for name in blocks)}.hook_resid_post"
