"""Eight bytes that stand for a question, to know it again in little memory."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b, file_digest
from pathlib import Path

from progtf.data.errors import DataError
from progtf.data.layout import module_file, open_layout


def digest(question: str) -> int:
    """Returns 64 bits of a question's BLAKE2 hash, the same in every process."""
    return int.from_bytes(blake2b(question.encode(), digest_size=8).digest(), "little")


def digests_of(path: Path) -> set[int]:
    """Returns the digests of the questions of one file, `.../SPLIT/MODULE.txt`.

    Raises:
        DataError: A line of it is not as it should be.
    """
    return {digest(problem.question) for problem in module_file(path).problems()}


def digests_in(folders: Iterable[Path], module: str) -> set[int]:
    """Returns the digests of every question that folders have of a module, whatever the split.

    Raises:
        DataError: One is not a folder of the published layout, or has a bad line.
    """
    return set().union(*map(digests_of, _paths(folders, module)))


def content_hash(folders: Iterable[Path], module: str) -> str:
    """Returns a hash of the files that folders have of a module; nothing if they have none.

    Raises:
        DataError: One is not a folder of the published layout.
    """
    hashes = []
    for path in _paths(folders, module):
        with path.open("rb") as file:
            hashes.append(file_digest(file, "blake2b").hexdigest())
    return blake2b("".join(sorted(hashes)).encode(), digest_size=8).hexdigest() if hashes else ""


def _paths(folders: Iterable[Path], module: str) -> Iterator[Path]:
    for folder in folders:
        if folder.is_file():
            raise DataError("this is not a folder", folder, help="unpack the archive first")
        yield from (Path(file.name) for file in open_layout(folder) if file.module == module)
