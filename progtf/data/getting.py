"""Brings published sets from their homes into the data folder.

The files of a set come into a folder of their own, `.getting/SET`, where what was cut off goes on.
When all are there, and have the right checksums, programs' own forms are made of them, and then
they get their names, each as a whole; a note of their digests comes last. A process that is killed
leaves no file half made, and the next one ends what it began.
"""

import errno
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from progtf.atomic import locked, own_folder, replacing
from progtf.bounded import read_bytes
from progtf.content import digest_of, key_of
from progtf.data import originals
from progtf.data.errors import DataError
from progtf.data.fetching import Gained, NoNetworkError, Said, address_of, is_address, load
from progtf.data.originals import ARCHIVES, Original
from progtf.published import DataSet, data_folder

Files = dict[str, bytes]
"""What a set has in the data folder: names, and what stands there."""
Prepare = Callable[[Mapping[str, bytes]], Files]
"""Makes that of what its home has, by the paths there."""

STAGE = ".getting"
FORM = 1
"""Of the note, and of what is made."""


class Got(NamedTuple):
    """What has become of an order.

    Attributes:
        folder: Where the set lies.
        files: How many files it has.
        new: Whether they have come now.
    """

    folder: Path
    files: int
    new: bool


def get(
    wanted: DataSet,
    prepare: Prepare,
    source: str = "",
    gained: Gained = lambda *_: None,
    said: Said = lambda _: None,
) -> Got:
    """Brings a set, unless it is there.

    Args:
        wanted: The set.
        prepare: Makes its files of the originals.
        source: A folder, an archive or an address to take the originals from; "" for their home.
            An address is that of an archive, or of the folder that the paths of a home begin in.
        gained: Told of bytes that come.
        said: Told what a person should know.

    Raises:
        DataError: It cannot be had, is not what it was, or another file lies in its place.
        OSError: The data folder cannot be written.
    """
    folder, rows = data_folder() / wanted.folder, originals.originals_of(wanted.name)
    made_of, note = key_of(FORM, rows), folder / f".{wanted.name}.json"
    stage = data_folder() / STAGE / wanted.name
    with _alone(folder, said):
        if there := _noted(note, made_of):
            rmtree(stage, ignore_errors=True)  # of one that was killed at its end
            return Got(folder, there, new=False)
        try:
            files = prepare(_originals(wanted, rows, source, stage, gained, said))
            _publish(files, folder, note, made_of)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                rmtree(stage, ignore_errors=True)
                need = f"{wanted.size:.1f} MB come, and about as much is made of them"
                raise DataError(_FULL, folder, help=need) from None
            raise
        rmtree(stage, ignore_errors=True)
    return Got(folder, len(files), new=True)


_FULL = "the disk is full; nothing of the set stays on it"


def is_here(wanted: DataSet) -> bool:
    """Whether a set was brought, and all of it is as it was then."""
    folder = data_folder() / wanted.folder
    made_of = key_of(FORM, originals.originals_of(wanted.name))
    return bool(_noted(folder / f".{wanted.name}.json", made_of))


@contextmanager
def _alone(folder: Path, said: Said) -> Iterator[None]:
    """Keeps other processes out, and waits for one that is there."""
    with ExitStack() as held:
        try:
            held.enter_context(locked(folder))
        except BlockingIOError:
            said(f"another process brings something to {folder}: waiting for it")
            held.enter_context(locked(folder, wait=True))
        yield


def _noted(note: Path, made_of: str) -> int:
    """How many files a set has that is all there; 0 for one that is not."""
    try:
        said = json.loads(read_bytes(note))
        files = dict[str, str](said["files"])
        same = said["of"] == made_of
    except (OSError, ValueError, TypeError, LookupError):
        return 0
    right = all(digest_of(note.parent / name) == digest for name, digest in files.items())
    return len(files) if same and right else 0


def _originals(
    wanted: DataSet,
    rows: tuple[Original, ...],
    source: str,
    stage: Path,
    gained: Gained,
    said: Said,
) -> dict[str, bytes]:
    """The originals of a set by their paths, all of them right."""
    if source and not is_address(source):
        place = Path(source)
        if not place.exists():
            raise DataError("there is no such folder or archive", place)
        read = originals.in_folder if place.is_dir() else originals.in_archive
        return {each.path: data for each, data in read(place, rows).items()}
    own_folder(stage.parent.parent)
    own_folder(stage.parent)
    own_folder(stage)
    try:
        if source.lower().endswith(ARCHIVES):
            part = stage / "archive"
            part.unlink(missing_ok=True)  # it may be another one by now
            load(source, part, None, originals.MOST, gained, said)
            return {each.path: data for each, data in originals.in_archive(part, rows).items()}
        return {each.path: _loaded(each, source, stage, gained, said) for each in rows}
    except NoNetworkError as error:
        raise DataError(f"{error.message}; {_other_way(wanted)}") from None
    except DataError as error:
        if error.help:
            raise
        raise DataError(error.message, error.path, help=_other_way(wanted)) from None


def _other_way(wanted: DataSet) -> str:
    return (
        f"`progtf data get {wanted.name} --from FOLDER`, ARCHIVE or URL takes the files of"
        f" {wanted.home} from elsewhere"
    )


def _loaded(each: Original, source: str, stage: Path, gained: Gained, said: Said) -> bytes:
    """A file of a home. What was there of it, and is something else, is loaded anew."""
    part, address = stage / each.git, address_of(source or each.home, each.path)
    why = ""
    for begun in (part.exists(), False):
        if begun and not each.wrong(data := _read(part, each)):
            return data
        load(address, part, each.size, each.most, gained, said)
        if not (why := each.wrong(data := _read(part, each))):
            return data
        part.unlink(missing_ok=True)
        if not begun:
            break
    raise DataError(f"there is another file: {why}", address)


def _read(part: Path, each: Original) -> bytes:
    """What has come of a file; nothing of one that is longer than it may be."""
    try:
        return read_bytes(part, each.most)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        part.unlink()
        return b""


def _publish(files: Files, folder: Path, note: Path, made_of: str) -> None:
    """Gives files their names; those that lie there already have to be the same."""
    missing = [name for name in files if not (folder / name).exists()]
    for name, data in files.items():
        if name not in missing and digest_of(folder / name) != hashlib.sha256(data).hexdigest():
            raise DataError(
                "another file lies here, which is not written over",
                folder / name,
                help="move it away, or delete it, and give the same command again",
            )
    written = list[Path]()
    try:
        for name in missing:
            written.append(folder / name)
            with replacing(written[-1]) as file:
                file.write(files[name])
        digests = {name: digest_of(folder / name) for name in files}
        with replacing(note) as file:
            file.write(json.dumps({"of": made_of, "files": digests}, indent=1).encode())
    except OSError:
        for path in written:
            path.unlink(missing_ok=True)
        raise
