"""The files of published sets as their homes have them, and what tells that one is right.

``sources.tsv`` names the home of each, its commit and its checksums: a file is taken from anywhere,
and for what it is by its bytes alone.
"""

import gzip
import hashlib
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from progtf.bounded import read_bytes
from progtf.data.errors import DataError

TABLE = Path(__file__).with_name("sources.tsv")
HOME = "https://raw.githubusercontent.com/{repository}/{commit}"
MOST = 2**27
"""Bytes of a file whose size is not known."""
_DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, gzip.BadGzipFile,
    EOFError, ValueError, RuntimeError,  # what an archive says that is locked, or none
)  # fmt: skip
ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")


class Original(NamedTuple):
    """A file of a set at its home.

    Attributes:
        repository: Such as `brendenlake/SCAN`.
        commit: In which it is the right one.
        path: In there.
        size: In bytes; None if that is not known.
        git: Git's own checksum: the SHA-1 of `blob SIZE`, a zero byte, and the file.
        sha256: "" if it is not known.
    """

    repository: str
    commit: str
    path: str
    size: int | None
    git: str
    sha256: str

    @property
    def name(self) -> str:
        """What the file is called, without its folder."""
        return PurePosixPath(self.path).name

    @property
    def home(self) -> str:
        """The address of the folder that the path begins in."""
        return HOME.format(repository=self.repository, commit=self.commit)

    @property
    def most(self) -> int:
        """How many bytes it may have."""
        return MOST if self.size is None else self.size

    def wrong(self, data: bytes) -> str:
        """What tells that bytes are not this file; "" for those that are."""
        if self.size is not None and len(data) != self.size:
            return f"it has {len(data):,} bytes, not {self.size:,}"
        blob = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
        blob.update(data)
        if blob.hexdigest() != self.git:
            return f"its git checksum is {blob.hexdigest()}, not {self.git}"
        found = hashlib.sha256(data).hexdigest()
        if self.sha256 and found != self.sha256:
            return f"its SHA-256 is {found}, not {self.sha256}"
        return ""


def originals_of(name: str) -> tuple[Original, ...]:
    """The files that a set is made of."""
    table = read_bytes(TABLE).removesuffix(b"\n").split(b"\n")[1:]
    rows = [str(line, "ascii").split("\t") for line in table]
    return tuple(
        Original(repository, commit, path, int(size) if size else None, git, sha256)
        for of, repository, commit, path, size, git, sha256 in rows
        if of == name
    )


def in_folder(folder: Path, wanted: Sequence[Original]) -> dict[Original, bytes]:
    """The files of a set that lie in a folder or anywhere below, whatever they are called.

    Raises:
        DataError: One of them is missing, or is not the right one.
        OSError: One cannot be read.
    """
    direct = [folder / place for each in wanted for place in (each.path, each.name)]

    def below() -> Iterator[Path]:
        yield from direct
        for root, folders, files in os.walk(folder):
            folders.sort()
            yield from (Path(root, name) for name in sorted(files))

    def read() -> Iterator[tuple[str, bytes]]:
        for path in below():
            if path.is_file() and _may_be(path.name, path.stat().st_size, wanted):
                yield str(path), read_bytes(path, MOST)

    return _chosen(read(), str(folder), wanted)


def in_archive(archive: Path, wanted: Sequence[Original]) -> dict[Original, bytes]:
    """The files of a set that are in an archive, tar or zip, wherever they are and are called.

    Raises:
        DataError: One of them is missing, or is not the right one; or the archive is damaged.
        OSError: It cannot be read.
    """
    read = _in_zip if zipfile.is_zipfile(archive) else _in_tar
    try:
        return _chosen(read(archive, wanted), str(archive), wanted)
    except DataError:
        raise
    except _DAMAGE as error:
        raise DataError(f"the archive cannot be read ({error})", archive) from None


def _in_tar(archive: Path, wanted: Sequence[Original]) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive, "r|*") as file:
        for member in file:
            if member.isfile() and _may_be(member.name, member.size, wanted):
                found = file.extractfile(member)
                assert found is not None  # it is a plain file
                yield f"{archive}:{member.name}", found.read()


def _in_zip(archive: Path, wanted: Sequence[Original]) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as file:
        for member in file.infolist():
            if not member.is_dir() and _may_be(member.filename, member.file_size, wanted):
                yield f"{archive}:{member.filename}", file.read(member)


def _may_be(name: str, size: int, wanted: Sequence[Original]) -> bool:
    """Whether a file has the size of one that is wanted, or is called so."""
    called = PurePosixPath(name).name
    return size <= MOST and any(size == each.size or called == each.name for each in wanted)


def _chosen(
    found: Iterator[tuple[str, bytes]], place: str, wanted: Sequence[Original]
) -> dict[Original, bytes]:
    """The right files of those that were found, each with what it is called."""
    right: dict[Original, bytes] = {}
    wrong: dict[str, str] = {}
    for called, data in found:
        name = PurePosixPath(called.rpartition(":")[2]).name
        for each in wanted:
            if each not in right:
                if not (why := each.wrong(data)):
                    right[each] = data
                elif each.name == name:
                    wrong.setdefault(each.path, f"{called}: this is another file: {why}")
        if len(right) == len(wanted):
            break
    for each in wanted:
        if each not in right:
            if each.path in wrong:
                raise DataError(wrong[each.path])
            due = f"https://github.com/{each.repository}"
            raise DataError(f"{each.path} of {due} is not here", place)
    return right
