"""How many questions a run has, told before they are read: counted, planned, or judged by size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from progtf.data import ModuleFile, open_layout
from progtf.training import pairs
from progtf.training.config import Data
from progtf.training.questions import TESTS, chosen, harder_of, modules_in

SAMPLE = 2**16
"""Bytes of a file that are read to judge how many questions it has."""


@dataclass(frozen=True)
class Amount:
    """The questions of a split.

    Attributes:
        rows: how many.
        files: of how many files; 0: of pairs.
        exact: whether they were counted, and not judged by the size of long files.
    """

    rows: int
    files: int = 0
    exact: bool = True


def amounts_of(data: Data) -> dict[str, Amount]:
    """The questions of each split, `train` first; an archive is unpacked already.

    Raises:
        RunError: for patterns that name no module, and for pairs that are none.
    """
    if data.pairs is not None:
        return {split: Amount(len(rows)) for split, rows in pairs.rows_of(data).items()}
    if data.generate:
        return _planned(data)
    wanted = {"train": (tuple(data.splits), chosen(data))}
    wanted |= {split: ((split,), modules_in(data, split)) for split in TESTS}
    return {split: _judged(list(_files(data, *some))) for split, some in wanted.items()}


def _planned(data: Data) -> dict[str, Amount]:
    """As many as the generator is to make of each file."""
    modules = chosen(data)
    files = {"train": len(modules) * len(data.splits)}
    files |= {TESTS[0]: len(modules), TESTS[1]: len(harder_of(modules))}
    made = {"train": data.questions}
    return {split: Amount(n * made.get(split, data.test), n) for split, n in files.items()}


def _files(data: Data, splits: Sequence[str], modules: Sequence[str]) -> Iterator[ModuleFile]:
    if modules:
        yield from open_layout(data.folder, splits, modules)


def _judged(files: Sequence[ModuleFile]) -> Amount:
    """How many questions files have: two lines each, of the length that the first ones have."""
    rows, exact = 0.0, True
    for file in files:
        size = Path(file.name).stat().st_size
        with file.opened() as opened:
            some = opened.read(SAMPLE)
        lines = some.count(b"\n")
        exact = exact and size <= SAMPLE
        rows += lines / 2 * size / max(len(some), 1)
    return Amount(round(rows), len(files), exact)
