"""The questions of a run from files of pairs: read once, drawn, and dealt out in batches."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path

import torch
from torch import Tensor

from progtf.atomic import locked, write
from progtf.content import digest_once, key_of
from progtf.data import (
    Alphabet,
    Cursor,
    DataError,
    Problem,
    Vocabulary,
    Words,
    open_pairs,
)
from progtf.data.loading import TensorBatch
from progtf.data.pool import permutation
from progtf.tasks import comprehension, word_problems
from progtf.tasks.comprehension import by_article, has_passages, read_questions
from progtf.tasks.word_problems import has_word_problems, own, read_word_problems
from progtf.training.config import Data, Pairs, RunError
from progtf.training.subject import as_batch

Rows = Mapping[str, tuple[Problem, ...]]
Tensors = Callable[[Sequence[Problem], torch.device], tuple[Tensor, Tensor]]
"""What makes tensors of pairs: of questions, and of what is due."""
_HELD_BACK, _ROUND = range(2)


def rows_of(data: Data) -> Rows:
    """The pairs of a run: `train`, `interpolate` and `extrapolate`.

    Raises:
        RunError: for a file that is none, and where nothing is left to train on or to test.
    """
    pairs, read = _pairs_of(data)
    train, interpolate, extrapolate = read
    drawn = [train[place] for place in permutation(len(train), data.seed, _HELD_BACK).tolist()]
    if not pairs.interpolate and has_passages(data.folder / pairs.train):
        interpolate, drawn = _articles_apart(data, drawn)
    elif not pairs.interpolate:
        held = round(pairs.held_back * len(train))
        interpolate, drawn = tuple(drawn[:held]), drawn[held:]
    if not interpolate:
        raise RunError("`data.pairs`: nothing to test on: give `interpolate`, or hold more back")
    if pairs.cover:
        drawn = list(_covering(drawn, pairs.cover))
    if pairs.rows > len(drawn):
        raise RunError(f"`data.pairs.rows`: {len(drawn)} rows are left, not {pairs.rows}")
    wanted = drawn[: pairs.rows or None]
    return {"train": tuple(wanted), "interpolate": interpolate, "extrapolate": extrapolate}


MADE = ".made"
"""What the file beside own problems is called behind their name; it has a digest of them."""


def own_there(data: Data) -> bool:
    """Whether the problems of progtf's own that a run wants are there, or it wants none."""
    if data.pairs is None or not data.pairs.own:
        return True
    noted = _note_beside(_train_of(data))
    return noted.is_file() and noted.read_bytes() == _note_of(data).encode()


def make_own(data: Data) -> None:
    """Draws the problems of progtf's own that a run wants, if they are not there.

    Raises:
        RunError: if another file is in their place.
    """
    with locked(data.folder, wait=True):
        if own_there(data):
            return
        assert data.pairs is not None
        path = _train_of(data)
        if path.exists() and not _note_beside(path).exists():
            raise RunError(f"`data.pairs.own`: {path} is there and not of progtf's own problems")
        drawn = own.draw_problems(data.pairs.own, data.seed)
        write(path, "".join(f"{own.as_line(each)}\n" for each in drawn))
        write(_note_beside(path), _note_of(data))


def _note_beside(path: Path) -> Path:
    return path.with_name(path.name + MADE)


def _note_of(data: Data) -> str:
    """What problems were drawn from, and a digest of them."""
    assert data.pairs is not None
    drawn_from = key_of(data.pairs.own, data.seed, own.digest())
    return f"{drawn_from} {digest_once(_train_of(data))}\n"


def _train_of(data: Data) -> Path:
    assert data.pairs is not None
    return data.folder / data.pairs.train


def _articles_apart(
    data: Data, drawn: Sequence[Problem]
) -> tuple[tuple[Problem, ...], list[Problem]]:
    """Of questions about passages, whole articles are held back."""
    assert data.pairs is not None
    path = data.folder / data.pairs.train
    held, _ = by_article(read_questions(path), data.pairs.held_back, data.seed)
    apart = {*as_places(held, path)}
    return tuple(p for p in drawn if p in apart), [p for p in drawn if p not in apart]


def as_places(questions: Iterable[comprehension.Question], path: Path) -> list[Problem]:
    """Questions as pairs; those whose answer stands nowhere are left out.

    Raises:
        DataError: for a passage that is too long.
    """
    try:
        return [pair for each in questions if (pair := comprehension.as_pair(each)).answer]
    except ValueError as error:
        raise DataError(str(error), path) from None


def _covering(problems: Iterable[Problem], times: int) -> Iterator[Problem]:
    """The problems with a word that fewer than so many of those before them have."""
    seen = Counter[str]()
    for problem in problems:
        words = set(problem.question.split())
        if any(seen[word] < times for word in words):
            seen.update(words)
            yield problem


def _pairs_of(data: Data) -> tuple[Pairs, list[tuple[Problem, ...]]]:
    """What is said of pairs, and those of its three files, one category after the other."""
    assert data.pairs is not None
    wanted = (
        (data.pairs.train, data.pairs.categories),
        (data.pairs.interpolate, ()),
        (data.pairs.extrapolate, ()),
    )
    try:
        files = [
            _opened(data.folder / name, some, data.pairs.equations) if name else ()
            for name, some in wanted
        ]
    except DataError as error:
        absent = error.path is not None and not Path(error.path).exists() and not error.help
        how = f"\n  help: `{data.pairs.made_by}` makes it" if absent and data.pairs.made_by else ""
        raise RunError(f"questions: {error}{how}") from None
    without = set(data.pairs.without)
    return data.pairs, [
        tuple(p for p in some if without.isdisjoint(p.question.split())) for some in files
    ]


def _opened(
    path: Path, categories: Iterable[str], equations: word_problems.Equations
) -> Iterable[Problem]:
    """The pairs of a file, or its word problems as pairs, or its questions about passages."""
    if has_passages(path):
        return as_places(read_questions(path), path)
    if has_word_problems(path):
        return (word_problems.as_pair(each, equations) for each in read_word_problems(path))
    return (p for each in open_pairs(path, categories) for p in each.problems())


def word_problems_of(data: Data) -> Mapping[Problem, word_problems.WordProblem]:
    """The word problem of each pair of a run; none, where its files have no word problems.

    Raises:
        RunError: for a file that is none.
    """
    if (
        data.pairs is None
        or _symbols(data.folder / data.pairs.train) is not word_problems.symbols_of
    ):
        return {}
    named = data.pairs.train, data.pairs.interpolate, data.pairs.extrapolate
    try:
        paths = [data.folder / name for name in named if name]
        read = [read_word_problems(path) for path in paths if has_word_problems(path)]
    except DataError as error:
        raise RunError(f"questions: {error}") from None
    written = data.pairs.equations
    return {word_problems.as_pair(each, written): each for some in read for each in some}


def alphabet_of(data: Data) -> Alphabet:
    """What the texts of all splits are made of, as numbers.

    Raises:
        RunError: for files that are none.
    """
    pairs, read = _pairs_of(data)
    if (symbols_of := _symbols(data.folder / pairs.train)) is not None:
        return symbols_of(rows_of(data)["train"], [p for some in read for p in some])
    texts = [text for problems in read for problem in problems for text in problem]
    if pairs.tokens == "words":
        return Words.of(texts)
    try:
        return Vocabulary("alphabet", "".join(sorted({*"".join(texts)})))
    except ValueError as error:
        raise RunError(f"`data.pairs`: {error}") from None


def _symbols(path: Path) -> Callable[[Iterable[Problem], Iterable[Problem]], Alphabet] | None:
    """What finds the symbols of a file that has more than pairs of texts."""
    if has_passages(path):
        return comprehension.symbols_of
    return word_problems.symbols_of if has_word_problems(path) else None


def _alike(order: list[int], problems: Sequence[Problem], size: int, pool: int) -> list[int]:
    """The same places, those of each batch of like length: of so many batches, drawn together.

    Whole batches stay in the order in which their first places were drawn.
    """
    whole, rest = order[: len(order) // size * size], order[len(order) // size * size :]
    found = []
    for first in range(0, len(whole), size * pool):
        drawn = {place: turn for turn, place in enumerate(whole[first : first + size * pool])}
        by_length = sorted(drawn, key=lambda place: len(problems[place].question.split()))
        alike = [by_length[at : at + size] for at in range(0, len(by_length), size)]
        found += sorted(alike, key=lambda places: min(map(drawn.__getitem__, places)))
    return [place for places in found for place in places] + rest


def batches(
    data: Data,
    size: int,
    seed: int,
    start: Cursor,
    rank: int,
    ranks: int,
    rows: Tensors | None = None,
) -> Iterator[TensorBatch]:
    """Batches without end from a cursor on, which depend on nothing else.

    In an epoch all ranks together see every row once, in an order of the seed's; but for the last
    rows, where they are fewer than ranks. Tensors are made by ``rows``, or of the data's symbols.

    Raises:
        RunError: if there are fewer rows than ranks.
    """
    problems = rows_of(data)["train"]
    made = partial(as_batch, vocabulary=alphabet_of(data)) if rows is None else rows
    if len(problems) < ranks:
        raise RunError(f"{len(problems)} rows cannot be dealt to {ranks} processes")
    for epoch in count(start.epoch):
        order = permutation(len(problems), seed, epoch, _ROUND).tolist()
        if data.pairs is not None and data.pairs.pool > 1:
            order = _alike(order, problems, size * ranks, data.pairs.pool)
        firsts = range(0, len(order) - ranks + 1, size * ranks)
        begin = start.batch if epoch == start.epoch else 0
        for number, first in enumerate(firsts[begin:], start=begin):
            chosen = [problems[place] for place in order[first : first + size * ranks][rank::ranks]]
            symbols = made(chosen, torch.device("cpu"))
            after = Cursor(epoch, 0, number + 1)
            yield TensorBatch(
                *symbols, torch.zeros(len(chosen), dtype=torch.long, device="cpu"), after
            )
