"""The published layout: `SPLIT/MODULE.txt` in a folder, or in a `.tar.gz` of one.

In each file question lines and answer lines take turns.
"""

import codecs
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, NamedTuple

from progtf.atomic import LOCK, PART, own_folder, replacing
from progtf.bounded import is_other
from progtf.data.errors import STRICT, DataError, Told, nearest
from progtf.data.modules import EXTRAPOLATION_MODULES, MODULES, SPLITS, choose_modules
from progtf.data.problem import Problem
from progtf.data.text import PIECE, Text, read_text
from progtf.data.tokens import PAPER, Vocabulary, extended
from progtf.published import brings
from progtf.texts import Cleaned, normal, passed_over

MOST = 2**35
"""Bytes that an archive may be unpacked to; the published one needs less than half of that."""
_EXPECTED = "expected folders such as `train-easy` or `interpolate` with `MODULE.txt` files in them"


class ModuleFile(NamedTuple):
    """One module of one split: its place, and its text when it is asked for.

    Attributes:
        split: Such as `interpolate`.
        module: Such as `numbers__gcd`.
        name: What to call the file in messages.
        text: Reads and checks it, piece by piece. In an archive, only before the next file.
        vocabulary: The characters that it may have.
        opened: Opens it as bytes, unchecked. In an archive, only before the next file.
        gone: The numbers, from 0, of the questions that were refused when it was read last.
    """

    split: str
    module: str
    name: str
    text: Callable[[], Iterator[Text]]
    vocabulary: Vocabulary = PAPER
    opened: Callable[[], AbstractContextManager[IO[bytes]]] = BytesIO
    gone: Sequence[int] = ()

    def problems(self) -> Iterator[Problem]:
        """Yields the problems one by one."""
        for text in self.text():
            yield from _problems(text, self.vocabulary)

    def line(self, number: int) -> int:
        """Returns the line of a question in its file, from 1; those refused before it count."""
        for refused in sorted(self.gone):
            number += refused <= number
        return 2 * number + 1


def open_layout(
    root: Path,
    splits: Iterable[str] = SPLITS,
    modules: Iterable[str] = (),
    vocabulary: Vocabulary = PAPER,
    told: Told = STRICT,
) -> Iterator[ModuleFile]:
    """Yields the module files of a folder (in the order of their names) or of a tar archive.

    Args:
        root: The folder that holds the splits' folders, one split's folder, or the archive.
        splits: Those wanted; those that are not there are passed over.
        modules: Patterns as in `choose_modules`; none for every module.
        vocabulary: The characters that files may have.
        told: Hears of files that are no texts, and of lines that are wrong.

    Raises:
        DataError: Nothing wanted is there, a pattern names no module, a build is unfinished,
            or the archive is damaged.
    """
    wanted = tuple(splits)
    if root.is_dir():
        return _in_folder(root, wanted, tuple(modules), vocabulary, told)
    if root.is_file():
        return _in_archive(root, wanted, tuple(modules), vocabulary, told)
    if is_other(root):
        raise DataError("this is neither a folder nor an ordinary file", root)
    help_ = brings(root) or _neighbour(root)
    raise DataError("there is no such folder or archive", root, help=help_)


def _neighbour(root: Path) -> str:
    beside = [path.name for path in root.parent.iterdir()] if root.parent.is_dir() else []
    return nearest(root.name, beside)


def vocabulary_of(files: Iterable[ModuleFile]) -> Vocabulary:
    """Returns the vocabulary of the paper and what else occurs in some files.

    Raises:
        DataError: That is more than an alphabet may have.
    """
    found = characters_of(files)
    try:
        return extended(found)
    except ValueError as error:
        raise DataError(str(error), help="one file or more is no text in an alphabet") from None


def characters_of(files: Iterable[ModuleFile]) -> set[str]:
    """Returns all characters of some files, line ends among them."""
    found: set[str] = set()
    for file in files:
        with file.opened() as data:
            decode = codecs.getincrementaldecoder("utf-8")("ignore").decode
            cleaned, rest = Cleaned(data), ""
            while piece := cleaned.read(PIECE):
                text, end, rest = (rest + decode(piece)).rpartition("\n")
                found.update(normal(text).replace("\ufeff", ""), end)
            found.update(normal(rest))
    return found


def _in_folder(
    root: Path,
    splits: tuple[str, ...],
    patterns: tuple[str, ...],
    vocabulary: Vocabulary,
    told: Told,
) -> Iterator[ModuleFile]:
    folders = _split_folders(root, splits)
    paths = [path for folder in folders for path in module_paths(folder)]
    if not paths:
        raise _nothing(root, splits)
    chosen = choose_modules(patterns, sorted({path.stem for path in paths}))
    for folder in folders:
        _refuse_unfinished(folder, chosen if patterns else None)
    for place in sorted({root, *folders}):
        for path in sorted(place.iterdir()):
            if passed_over(path) and path.name != LOCK:
                told.pass_over(path)
    return (module_file(path, vocabulary, told) for path in paths if path.stem in chosen)


def place_of(split: str, module: str) -> tuple[int, str]:
    """Where a file stands in a list: by split, and by name; an archive has them in any order."""
    return (SPLITS.index(split) if split in SPLITS else len(SPLITS), module)


def module_paths(folder: Path) -> list[Path]:
    """The files of a split's folder, by name; not `._NAME.txt`, which macOS packs beside each."""
    return sorted(path for path in folder.glob("*.[tT][xX][tT]") if not passed_over(path))


def _split_folders(root: Path, splits: tuple[str, ...]) -> list[Path]:
    if root.name in splits and module_paths(root):
        return [root]
    return [root / split for split in splits if (root / split).is_dir()]


def _nothing(root: Path, splits: tuple[str, ...]) -> DataError:
    inside = [path.parent for path in root.glob("*/*") if path.name in SPLITS]
    advice = f"there are some in {inside[0]}" if inside else _EXPECTED
    return DataError(f"no questions of {', '.join(splits)} are here", root, help=advice)


def _refuse_unfinished(folder: Path, chosen: tuple[str, ...] | None) -> None:
    for part in sorted(folder.glob(f"*.txt{PART}")):
        if chosen is None or part.name.removesuffix(f".txt{PART}") in chosen:
            raise DataError("this file is half-made", part, help=_FINISH)


_FINISH = "run the same `progtf data make` again to finish it, or delete it"


def module_file(path: Path, vocabulary: Vocabulary = PAPER, told: Told = STRICT) -> ModuleFile:
    """Returns the module file at `.../SPLIT/MODULE.txt`."""

    def opened() -> AbstractContextManager[IO[bytes]]:
        if is_other(path):
            raise DataError("this is no ordinary file", path)
        return path.open("rb")

    return _module_file(path, str(path), vocabulary, opened, told)


def _module_file(
    path: PurePath,
    name: str,
    vocabulary: Vocabulary,
    opened: Callable[[], AbstractContextManager[IO[bytes]]],
    told: Told,
) -> ModuleFile:
    gone: list[int] = []

    def text() -> Iterator[Text]:
        gone.clear()
        with opened() as file:
            yield from read_text(Cleaned(file), name, vocabulary, told, gone.append)

    return ModuleFile(path.parent.name, path.stem, name, text, vocabulary, opened, gone)


def _in_archive(
    root: Path,
    splits: tuple[str, ...],
    patterns: tuple[str, ...],
    vocabulary: Vocabulary,
    told: Told = STRICT,
) -> Iterator[ModuleFile]:
    known = tuple(dict.fromkeys(MODULES + EXTRAPOLATION_MODULES))
    chosen = choose_modules(patterns, known) if patterns else None
    found = False
    with _damage_told(root), tarfile.open(root, "r|*") as archive:
        for member in archive:
            if (
                member.isfile()
                and not member.issparse()
                and _is_wanted(PurePosixPath(member.name), splits, chosen)
            ):
                found = True
                yield _member_file(archive, member, root, vocabulary, told)
            elif member.isfile() and passed_over(PurePosixPath(member.name)):
                told.pass_over(f"{root}:{member.name}")
    if not found:
        raise _nothing(root, splits)


def _is_wanted(
    path: PurePosixPath, splits: tuple[str, ...], chosen: tuple[str, ...] | None
) -> bool:
    is_text = path.suffix.lower() == ".txt" and not passed_over(path)
    in_split = is_text and path.parent.name in splits
    return in_split and (chosen is None or path.stem in chosen)


def _member_file(
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    root: Path,
    vocabulary: Vocabulary,
    told: Told,
) -> ModuleFile:
    path = PurePosixPath(member.name)

    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        file = archive.extractfile(member)
        assert file is not None  # it is a plain file
        with _damage_told(root), file:
            yield file

    return _module_file(path, f"{root}:{path}", vocabulary, opened, told)


@contextmanager
def _damage_told(root: Path) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise DataError("memory is too small for this archive", root) from None
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        advice = "download it again, or give the folder that it was unpacked to"
        raise DataError(f"the archive is damaged ({error})", root, help=advice) from error


def unpack(archive: Path, folder: Path, splits: Iterable[str]) -> None:
    """Writes the module files of an archive to `folder/SPLIT/MODULE.txt`, and no others stay there.

    A file has its name only when it is whole.

    Raises:
        DataError: Nothing wanted is there, or the archive is damaged.
    """
    wanted, left = tuple(splits), MOST
    mine = [folder / split for split in wanted if not (folder / split).is_symlink()]
    before = {path for each in mine for path in module_paths(each)}
    for file in _in_archive(archive, wanted, (), PAPER):
        path = folder / file.split / f"{file.module}.txt"
        own_folder(path.parent)
        with file.opened() as data, replacing(path) as out:
            while piece := data.read(PIECE):
                left -= len(piece)
                if left < 0:
                    raise DataError(f"what is in it has more than {MOST:,} bytes", archive)
                out.write(piece)
        before.discard(path)
    for path in before:
        path.unlink()


def _problems(text: Text, vocabulary: Vocabulary) -> Iterator[Problem]:
    characters = vocabulary.to_text(text.characters.tobytes())
    start = 0
    for question, answer in zip(
        text.question_length.tolist(), text.answer_length.tolist(), strict=True
    ):
        middle = start + question
        yield Problem(characters[start:middle], characters[middle : middle + answer])
        start = middle + answer
