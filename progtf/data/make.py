"""Builds module files: questions drawn on all cores, none twice, the same bytes for a seed."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from progtf.data.digest import content_hash, digest, digests_in, digests_of
from progtf.data.generator import CHUNK
from progtf.data.growing import GrowingFile, is_finished, saved_progress
from progtf.data.modules import EXTRAPOLATION_MODULES, MODULES, SPLITS, modules_of
from progtf.data.problem import Problem
from progtf.data.recipes import Recipe, RecipeBook, sole_maker
from progtf.data.supply import Supply, Wanted, processes

PATIENCE = 64
"""After so many chunks in a row without a new question a module has no more to give."""

SAVE_SECONDS = 0.5
"""How much work a kill can cost, besides what is being drawn."""

_SLOWEST = ("comparison__sort_more", "probability__swr_p_level_set_more_samples")
"""Made first, lest they be left to one core at the end."""

Report = Callable[[str, int], None]
"""Told the name of a file and how many problems it has gained."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to make.

    Attributes:
        out: The folder; it gets `SPLIT/MODULE.txt` files and `made.json`.
        splits: In the order of `SPLITS`.
        modules: Each is made for the splits that have it.
        count: Problems a file.
        seed: Of the draws.
        exclude: Folders whose questions must not occur.
    """

    out: Path
    splits: tuple[str, ...] = SPLITS
    modules: tuple[str, ...] = tuple(dict.fromkeys(MODULES + EXTRAPOLATION_MODULES))
    count: int = 1000
    seed: int = 0
    exclude: tuple[Path, ...] = ()


class Made(NamedTuple):
    """A finished file; it has fewer problems than asked for if its module has no more."""

    path: Path
    problems: int


def files_of(order: Order) -> list[tuple[str, str]]:
    """Returns (module, split) of each file, module by module, the slowest modules first."""
    modules = sorted(order.modules, key=lambda module: module not in _SLOWEST)
    return [
        (module, split)
        for module in modules
        for split in order.splits
        if module in modules_of(split)
    ]


def make(
    order: Order, cores: int, report: Report = lambda *_: None, *, wait: bool = False
) -> list[Made]:
    """Makes the files of an order, those that are not there yet.

    A file holds the first `count` different questions of its module's sequence that are in no
    other file of the module in `out` or `exclude`. It does not depend on the number of cores.
    After a kill the same order goes on where it was. ``wait``: for another build in that folder.

    Raises:
        DataError: What is in `out` was made otherwise, or a folder cannot be read.
    """
    with sole_maker(order.out, wait=wait):
        book = _note_recipes(order)
        wanted = {file: _wanted(order, *file) for file in files_of(order)}
        with processes(cores) as pool:
            missing = [chunks for chunks in wanted.values() if chunks]
            supply = Supply(pool, missing, ahead=max(64, 16 * cores))
            return list(_make_each(order, wanted, supply, report, book))


def _note_recipes(order: Order) -> RecipeBook:
    """Checks all of the order against what is there, before any work is done."""
    book = RecipeBook(order.out)
    book.enter(_recipes(order))
    return book


def check_order(order: Order) -> None:
    """Compares an order with what is there, and makes and writes nothing.

    Raises:
        DataError: What is in `out` was made otherwise.
    """
    RecipeBook(order.out).checked(_recipes(order))


def _recipes(order: Order) -> dict[Path, Recipe]:
    excluded = {module: content_hash(order.exclude, module) for module in order.modules}
    return {
        _path(order, module, split): Recipe(order.seed, order.count, excluded[module])
        for module, split in files_of(order)
    }


def _path(order: Order, module: str, split: str) -> Path:
    return order.out / split / f"{module}.txt"


def _wanted(order: Order, module: str, split: str) -> Wanted | None:
    path = _path(order, module, split)
    if is_finished(path):
        return None
    progress = saved_progress(path)
    missing = -(-(order.count - progress.problems) // CHUNK)
    return Wanted(split, module, order.seed, progress.chunk, progress.chunk + missing)


def _make_each(
    order: Order,
    wanted: dict[tuple[str, str], Wanted | None],
    supply: Supply,
    report: Report,
    book: RecipeBook,
) -> Iterator[Made]:
    for module, files in groupby(wanted, key=lambda file: file[0]):
        seen = _seen(order, module)
        for _, split in files:
            path = _path(order, module, split)
            chunks = wanted[module, split]
            if chunks is None:
                report(_label(path), order.count)
            else:
                with GrowingFile(path) as file, closing(supply.chunks(chunks)) as drawn:
                    _fill(file, order.count, drawn, seen, report)
            book.finished(path)
            yield Made(path, path.read_bytes().count(b"\n") // 2)


def _label(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def _seen(order: Order, module: str) -> set[int]:
    """Returns the digests of the questions that a module's new files must not have."""
    finished = [path for split in SPLITS if (path := _path(order, module, split)).exists()]
    return digests_in(order.exclude, module).union(*map(digests_of, finished))


def _fill(
    file: GrowingFile, count: int, chunks: Iterator[list[Problem]], seen: set[int], report: Report
) -> None:
    """Adds what is new in chunk after chunk until the file is full or nothing new comes."""
    seen.update(map(digest, file.questions()))
    report(_label(file.path), file.progress.problems)
    saved = monotonic()
    while file.progress.problems < count and file.progress.barren < PATIENCE:
        new = list(_new(next(chunks), seen, count - file.progress.problems))
        file.add(new)
        report(_label(file.path), len(new))
        if monotonic() - saved > SAVE_SECONDS:
            file.save()
            saved = monotonic()


def _new(problems: Iterable[Problem], seen: set[int], room: int) -> Iterator[Problem]:
    for problem in problems:
        mark = digest(problem.question)
        if room and mark not in seen:
            seen.add(mark)
            room -= 1
            yield problem
