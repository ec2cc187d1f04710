"""The questions of a run: made once, kept, and read in an order that a cursor tells."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from zlib import crc32

from progtf.atomic import locked
from progtf.data import (
    EXTRAPOLATION_MODULES,
    MODULES,
    PAPER,
    SPLITS,
    Alphabet,
    Batching,
    Cache,
    Cursor,
    DataError,
    Mixture,
    Order,
    Problem,
    Shard,
    Vocabulary,
    build_cache,
    choose_modules,
    make,
    modules_of,
    open_cache,
    open_layout,
    stream_batches,
    vocabulary_of,
)
from progtf.data.batch import LONGEST
from progtf.data.loading import TensorBatch, as_tensors
from progtf.notation.did_you_mean import nearest
from progtf.training import pairs
from progtf.training.config import Data, Run, RunError

TESTS = ("interpolate", "extrapolate")


def alphabet_of(data: Data) -> Alphabet:
    """The characters of a run's questions and answers, or their words, as numbers.

    Raises:
        RunError: for an alphabet that is none.
    """
    return pairs.alphabet_of(data) if data.pairs is not None else _characters_of(data)


def _characters_of(data: Data) -> Vocabulary:
    try:
        if data.alphabet:
            return Vocabulary("alphabet", data.alphabet)
        if data.generate:
            return PAPER
        splits = [split for split in (*data.splits, *TESTS) if (data.folder / split).is_dir()]
        return vocabulary_of(open_layout(data.folder, splits, chosen(data)))
    except DataError as error:
        raise RunError(f"questions: {error}") from None
    except ValueError as error:
        raise RunError(f"`data.alphabet`: {error}") from None


def settled(run: Run) -> Run:
    """The run with the alphabet that its questions have, where that is not the usual one."""
    if run.data.pairs is not None:
        return run
    vocabulary = _characters_of(run.data)
    if vocabulary == PAPER or run.data.alphabet:
        return run
    data = run.data.model_copy(update={"alphabet": vocabulary.characters})
    return run.model_copy(update={"data": data})


Report = Callable[[str, int], None]
"""Told the name of a file and how many questions it has gained."""


def prepared(data: Data) -> bool:
    """Whether all questions have been made."""
    return data.pairs is not None or _cache(data).exists()


def prepare(data: Data, cores: int = 1, report: Report = lambda *_: None) -> None:
    """Makes the questions that are not there yet, those of the tests first.

    Where another run makes them already, this one waits for it.

    Raises:
        RunError: if what is there was made otherwise.
    """
    if data.pairs is not None:
        return
    try:
        modules = chosen(data)
        if data.generate and data.alphabet:
            raise RunError("`data.alphabet`: questions that are generated have their own")
        if data.generate:
            everything = (*modules, *_harder(modules))
            tests = Order(data.folder, TESTS, everything, data.test, data.seed)
            make(tests, cores, report, wait=True)
            train = Order(data.folder, tuple(data.splits), modules, data.questions, data.seed)
            make(train, cores, report, wait=True)
        with locked(data.folder, wait=True):
            if not _cache(data).exists() or not data.generate:
                alphabet = _characters_of(data)
                files = open_layout(data.folder, data.splits, modules, alphabet)
                build_cache(_cache(data, alphabet), files)
    except DataError as error:
        raise RunError(f"questions: {error}") from None


def _harder(modules: tuple[str, ...]) -> tuple[str, ...]:
    """The extrapolation modules of some modules: `numbers__place_value_big` and the like."""
    return tuple(m for m in EXTRAPOLATION_MODULES if _base(m) in modules)


def _base(module: str) -> str:
    """The module of which another is the harder form."""
    return max((m for m in MODULES if module.startswith(m)), key=len)


def chosen(data: Data) -> tuple[str, ...]:
    """The modules that the patterns name; of pairs, the file to train on.

    Raises:
        RunError: if one names none.
    """
    if data.pairs is not None:
        return (data.pairs.train,)
    try:
        if data.generate:
            modules = choose_modules(data.modules, modules_of(data.splits[0]))
            _check_splits(data.splits)
            return modules
        files = open_layout(data.folder, data.splits)
        return choose_modules(data.modules, sorted({file.module for file in files}))
    except DataError as error:
        raise RunError(f"questions: {_advised(error, data)}") from None


def _check_splits(names: Sequence[str]) -> None:
    for name in names:
        if name not in SPLITS:
            raise DataError(f"no split is called `{name}`", help=nearest(name, SPLITS))


def _advised(error: DataError, data: Data) -> str:
    """The mistake; where files lie ready, how they are read instead of made."""
    if data.generate and any((data.folder / split).is_dir() for split in data.splits):
        return f"{error.message}\n  help: for questions of your own set `data.generate` to false"
    return str(error)


def opened(data: Data) -> Cache:
    """The questions to train on, which were prepared."""
    return open_cache(_cache(data))


def _cache(data: Data, alphabet: Vocabulary | None = None) -> Path:
    name = "-".join([*data.splits, str(data.questions), *chosen(data)])
    alphabet = _characters_of(data) if alphabet is None else alphabet
    other = "" if alphabet == PAPER else f"-{crc32(alphabet.characters.encode()):08x}"
    return data.folder / f"{name[:150]}{other}.cache"


@dataclass(frozen=True)
class Questions:
    """Batches to train on, which depend on the seed, the cursor and the rank alone.

    Attributes:
        rows: what makes tensors of pairs; without it they are the data's symbols.
    """

    data: Data
    batch: int
    seed: int
    rank: int = 0
    ranks: int = 1
    rows: pairs.Tensors | None = None

    def batches(self, start: Cursor) -> Iterator[TensorBatch]:
        """Batches without end from a cursor on."""
        if self.data.pairs is not None:
            given = self.data, self.batch, self.seed, start, self.rank, self.ranks
            return pairs.batches(*given, rows=self.rows)
        mixture, alphabet = Mixture(opened(self.data), self.seed), _characters_of(self.data)
        batching = Batching(self.batch * LONGEST, self.batch, alphabet)
        shard = Shard(self.rank, self.ranks)
        return map(as_tensors, stream_batches(mixture, batching, start, shard))


def test_problems(data: Data, split: str, count: int) -> list[Problem]:
    """The first questions of a test split, its modules taking turns: any first part has all."""
    if data.pairs is not None:
        return list(pairs.rows_of(data)[split][:count])
    modules = chosen(data)
    mine = modules if split == "interpolate" or not data.generate else _harder(modules)
    optional = not data.generate and split == "extrapolate"
    if not mine or (optional and not (data.folder / split).is_dir()):
        return []
    try:
        files = list(open_layout(data.folder, (split,), mine, _characters_of(data)))
    except DataError as error:
        raise RunError(f"questions: {error}") from None
    share = -(-count // len(files))
    rows = zip_longest(*(list(islice(file.problems(), share)) for file in files))
    return [problem for row in rows for problem in row if problem is not None][:count]


def by_length(problems: Sequence[Problem], size: int) -> Iterator[list[Problem]]:
    """Problems in batches of like length."""
    ordered = sorted(problems, key=lambda p: (len(p.question), p.question))
    return (ordered[first : first + size] for first in range(0, len(ordered), size))
