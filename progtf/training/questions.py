"""The questions of a run: made once, kept, and read in an order that a cursor tells."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from glob import escape
from itertools import islice, zip_longest
from pathlib import Path

from progtf.atomic import locked, write
from progtf.content import digest_once, key_of
from progtf.data import (
    EXTRAPOLATION_MODULES,
    LOWERED,
    MODULES,
    PAPER,
    PAPER_TEXT,
    SPLITS,
    Alphabet,
    Batching,
    Cache,
    Cursor,
    DataError,
    Mixture,
    ModuleFile,
    Order,
    Problem,
    Shard,
    Vocabulary,
    build_cache,
    characters_of,
    check_order,
    choose_modules,
    make,
    module_paths,
    modules_of,
    open_cache,
    open_layout,
    stream_batches,
    unpack,
    vocabulary_of,
)
from progtf.data.batch import LONGEST
from progtf.data.loading import TensorBatch, as_tensors
from progtf.notation.did_you_mean import nearest
from progtf.training import pairs
from progtf.training.config import Data, Run, RunError

TESTS = ("interpolate", "extrapolate")
CACHE = 2
"""The form of what is kept of questions."""
LONGEST_NAME = 100
"""Characters of a cache's name, but for its digests."""


def alphabet_of(data: Data) -> Alphabet:
    """The characters of a run's questions and answers, or their words, as numbers.

    Raises:
        RunError: for an alphabet that is none.
    """
    if data.pairs is not None:
        return pairs.alphabet_of(data)
    return _NAMED.get(data.vocabulary) or _characters_of(data)


_NAMED = {"paper-72": PAPER_TEXT, "code-73": PAPER, "report-58": LOWERED}


def _characters_of(data: Data) -> Vocabulary:
    """The characters that files may have."""
    try:
        if data.alphabet:
            return Vocabulary("alphabet", data.alphabet)
        if data.vocabulary == "data":
            return _characters_in(data)
        if data.generate or data.vocabulary in ("paper-72", "code-73"):
            return PAPER
        return vocabulary_of(_files(data))
    except DataError as error:
        raise RunError(f"questions: {error}") from None
    except RunError:
        raise
    except ValueError as error:
        name = "alphabet" if data.alphabet else "vocabulary"
        raise RunError(f"`data.{name}`: {error}") from None


def _characters_in(data: Data) -> Vocabulary:
    """The characters that files have."""
    if found := characters_of(_files(data)) - {"\n"}:
        return Vocabulary("alphabet", "".join(sorted(found)))
    raise DataError("they are not made yet, and `data.vocabulary` is of the characters they have")


def _files(data: Data) -> Iterator[ModuleFile]:
    """The files of a run, those of tests as well."""
    data = unpacked(data)
    for split in (*data.splits, *TESTS):
        if names := modules_in(data, split):
            yield from open_layout(data.folder, (split,), names)


def modules_in(data: Data, split: str) -> tuple[str, ...]:
    """The modules of a split's folder that a run is about, the harder forms of its own as well."""
    mine = chosen(data)
    there = sorted(path.stem for path in module_paths(data.folder / split))
    harder = harder_of(mine)
    return tuple(module for module in there if module in mine or module in harder)


def settled(run: Run) -> Run:
    """The run with the characters that its questions have, where these are not the usual ones."""
    data = unpacked(run.data)
    if data.pairs is None:
        known = _characters_of(data)
        if known != PAPER:
            data = data.model_copy(update={"alphabet": known.characters})
    return run.model_copy(update={"data": data})


def with_steps(run: Run, ranks: int) -> Run:
    """The run with as many steps as its epochs have."""
    if not run.train.epochs:
        return run
    rows = pairs.rows_of(run.data)["train"] if run.data.pairs is not None else opened(run.data)
    a_step = run.train.batch * run.train.accumulate * ranks
    steps = max(1, math.ceil(run.train.epochs * len(rows) / a_step))
    return run.model_copy(update={"train": run.train.model_copy(update={"steps": steps})})


Report = Callable[[str, int], None]
"""Told the name of a file and how many questions it has gained."""
UNPACKED = ".unpacked"
"""What the folder beside an archive is called behind the archive's name."""


def unpacked(data: Data) -> Data:
    """The same, with the folder beside an archive that it is unpacked to in its place.

    It is unpacked again if it, or one of the files, has changed.

    Raises:
        RunError: if the archive is damaged, has none of the splits, or cannot be unpacked there.
    """
    if data.pairs is not None or not data.folder.is_file():
        return data
    if data.generate:
        raise RunError(
            f"`data.folder`: {data.folder} is a file: to train on a published archive set"
            " `data.generate` to false"
        )
    folder = data.folder.with_name(data.folder.name + UNPACKED)
    try:
        with locked(folder, wait=True):
            done, digest = folder / "digest", digest_once(data.folder)
            if not done.exists() or done.read_bytes().decode() != _unpacked_from(digest, folder):
                done.unlink(missing_ok=True)
                unpack(data.folder, folder, SPLITS)
                write(done, _unpacked_from(digest, folder))
    except DataError as error:
        raise RunError(f"questions: {error}") from None
    except OSError as error:
        raise RunError(f"questions: {folder}: {(error.strerror or str(error)).lower()}") from None
    return data.model_copy(update={"folder": folder})


def _unpacked_from(digest: str, folder: Path) -> str:
    """A digest of an archive, and of all files that were unpacked from it."""
    paths = (path for split in SPLITS for path in module_paths(folder / split))
    return key_of(digest, [(p.parent.name, p.name, digest_once(p)) for p in paths])


def prepared(data: Data) -> bool:
    """Whether all questions have been made."""
    if data.pairs is not None:
        return pairs.own_there(data)
    known = data.vocabulary != "data" or any(True for _ in _files(data))
    return known and _cache(data)[0].exists()


def prepare(data: Data, cores: int = 1, report: Report = lambda *_: None) -> None:
    """Makes the questions that are not there yet, those of the tests first.

    Where another run makes them already, this one waits for it.

    Raises:
        RunError: if what is there was made otherwise.
    """
    if data.pairs is not None:
        if not pairs.own_there(data):
            pairs.make_own(data)
        return
    data = unpacked(data)
    try:
        modules = chosen(data)
        for order in _orders(data):
            make(order, cores, report, wait=True)
        with locked(data.folder, wait=True):
            alphabet = _characters_of(data)
            cache, made_of = _cache(data, alphabet)
            if not _is_whole(cache, made_of):
                files = open_layout(data.folder, data.splits, modules, alphabet)
                build_cache(cache, _unchanged(files, data, alphabet, made_of), report, made_of)
            for other in cache.parent.glob(f"{escape(cache.stem.rpartition('-')[0])}-*.cache"):
                if other != cache:  # of files that have changed since
                    other.unlink(missing_ok=True)
    except DataError as error:
        raise RunError(f"questions: {error}") from None


def check_orders(data: Data) -> None:
    """Raises RunError if questions are to be made that are there already, made otherwise."""
    try:
        for order in _orders(data):
            check_order(order)
    except DataError as error:
        raise RunError(f"questions: {error}") from None


def _orders(data: Data) -> Iterator[Order]:
    """What is to be made, that of the tests first; nothing, of files of a person's own."""
    if not data.generate or data.pairs is not None:
        return
    if data.alphabet:
        raise RunError("`data.alphabet`: questions that are generated have their own")
    modules = chosen(data)
    everything = (*modules, *harder_of(modules))
    yield Order(data.folder, TESTS, everything, data.test, data.seed)
    yield Order(data.folder, tuple(data.splits), modules, data.questions, data.seed)


def _is_whole(cache: Path, made_of: str) -> bool:
    """Whether a cache is there, with every bit, and made of the same files."""
    try:
        opened = open_cache(cache)
        opened.check()
    except (DataError, OSError):
        return False
    return opened.made_of == made_of


def _unchanged(
    files: Iterable[ModuleFile], data: Data, alphabet: Vocabulary, made_of: str
) -> Iterator[ModuleFile]:
    """The files; an error behind them, if they are no longer those that the cache is named by."""
    yield from files
    if _cache(data, alphabet)[1] != made_of:
        raise DataError("the questions changed while they were read", data.folder)


def harder_of(modules: tuple[str, ...]) -> tuple[str, ...]:
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
    """The questions to train on, which were prepared.

    Raises:
        RunError: if they are others since.
    """
    path, made_of = _cache(unpacked(data))
    try:
        cache = open_cache(path)
    except DataError as error:
        raise RunError(f"questions: {error}: they have changed since the run began") from None
    if cache.made_of != made_of:
        raise RunError(f"questions: {path} was made of others")
    return cache


def digests_of(data: Data) -> dict[str, str]:
    """A digest of the questions of each split, in their order: `train`, and those of tests."""
    if data.pairs is not None:
        return {split: key_of(rows) for split, rows in pairs.rows_of(data).items()}
    data = unpacked(data)
    return {"train": _cache(data)[1]} | {split: key_of(_contents(data, split)) for split in TESTS}


def _contents(data: Data, split: str) -> list[tuple[str, str]]:
    """The files of a split that a run is about, each with a digest."""
    names = modules_in(data, split)
    return [(name, digest_once(data.folder / split / f"{name}.txt")) for name in names]


def _cache(data: Data, alphabet: Vocabulary | None = None) -> tuple[Path, str]:
    """Where the questions of a run are kept, and a digest of all that they are made of.

    The name begins as a person knows it; digests of what is asked for, and of the files, are what
    tells caches apart.
    """
    modules = chosen(data)
    alphabet = _characters_of(data) if alphabet is None else alphabet
    asked = key_of(CACHE, data.splits, modules, asdict(alphabet))
    try:
        files = [file.name for file in open_layout(data.folder, data.splits, modules)]
    except DataError:  # not made yet
        files = []
    found = [(p.parent.name, p.name, digest_once(p)) for p in map(Path, files)]
    name, made_of = "-".join([*data.splits, *modules])[:LONGEST_NAME], key_of(asked, found)
    return data.folder / f"{name}-{asked[:8]}-{made_of[:16]}.cache", made_of


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
        mixture, alphabet = Mixture(opened(self.data), self.seed), alphabet_of(self.data)
        assert isinstance(alphabet, Vocabulary)  # characters are cached
        batching = Batching(self.batch * LONGEST, self.batch, alphabet)
        shard = Shard(self.rank, self.ranks)
        return map(as_tensors, stream_batches(mixture, batching, start, shard))


def test_problems(data: Data, split: str, count: int) -> list[tuple[Problem, str]]:
    """The first questions of a test split, each with its module; pairs have none.

    Modules take turns: any first part has all of them.
    """
    if data.pairs is not None:
        return [(problem, "") for problem in pairs.rows_of(data)[split][:count]]
    data, modules = unpacked(data), chosen(data)
    mine = modules if split == "interpolate" else harder_of(modules)
    if not data.generate and split != "interpolate":
        mine = modules_in(data, split)
    if not mine:
        return []
    try:
        files = list(open_layout(data.folder, (split,), mine, _characters_of(data)))
    except DataError as error:
        raise RunError(f"questions: {error}") from None
    share = -(-count // len(files))
    rows = zip_longest(*(list(islice(file.problems(), share)) for file in files))
    turns = (zip(row, files, strict=True) for row in rows)
    asked = [(problem, file.module) for turn in turns for problem, file in turn if problem]
    return asked[:count]


def training_problems(run: Run, count: int) -> list[Problem]:
    """Some of the questions that a run is trained on, always the same ones."""
    if not count:
        return []
    if run.data.pairs is not None:
        return list(pairs.rows_of(run.data)["train"][:count])
    decode = alphabet_of(run.data).decode
    batches = Questions(run.data, min(count, 256), run.seed).batches(Cursor())
    rows = (row for batch in batches for row in zip(batch.question, batch.answer, strict=True))
    return [Problem(*(decode(side.numpy()) for side in row)) for row in islice(rows, count)]
