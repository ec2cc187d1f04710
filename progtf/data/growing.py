"""A module file while it is made: it can be left at any moment and taken up again."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Self

from progtf.atomic import opened, own_folder, part_of, publish, to_disk, write
from progtf.bounded import read_bytes
from progtf.content import key_of
from progtf.data.problem import Problem


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a file is: what has been written of it and what it was made from.

    Attributes:
        bytes: Length of what counts; anything after it was being written at a kill.
        problems: How many problems that is.
        chunk: The next chunk to take problems from.
        barren: How many chunks in a row had nothing new.
    """

    bytes: int = 0
    problems: int = 0
    chunk: int = 0
    barren: int = 0


def saved_progress(path: Path) -> Progress:
    """Returns how far a build of `path` had come when it was left."""
    part, note = part_of(path), _note_of(path)
    if not (note.is_file() and part.is_file()):
        return Progress()
    try:
        told = json.loads(read_bytes(note))
        digest = told.pop("sha256")
        saved = Progress(**told)
        whole = all(type(count) is int and count >= 0 for count in astuple(saved))
        if not whole or part.stat().st_size < saved.bytes:
            return Progress()
        with part.open("rb") as file:
            written = hashlib.sha256(file.read(saved.bytes))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Progress()  # spoilt: the file is begun anew
    return saved if digest == _signed(saved, written) else Progress()


def _signed(progress: Progress, written: "hashlib._Hash") -> str:
    """A digest of how far a file is, and of all that is written."""
    return key_of(asdict(progress), written.hexdigest())


def is_finished(path: Path) -> bool:
    """Returns whether the file has its name; what a kill left beside it then is cleared away."""
    if path.exists():
        _note_of(path).unlink(missing_ok=True)
    return path.exists()


def _note_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.progress")


class GrowingFile:
    """`MODULE.txt.part`, which becomes `MODULE.txt` at the end of its `with` block.

    Args:
        path: The name it will have. If a part of it is there, it is taken up.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._part, self._note = path, part_of(path), _note_of(path)
        self.progress = saved_progress(path)
        own_folder(path.parent)
        self._file = opened(self._part)
        self._file.truncate(self.progress.bytes)
        self._written = hashlib.sha256(self._file.read())

    def questions(self) -> list[str]:
        """Returns the questions written so far."""
        self._file.seek(0)
        lines = self._file.read().decode("ascii").splitlines()
        return lines[::2]  # the file is at its end again

    def add(self, problems: Iterable[Problem]) -> None:
        """Writes what was new in the next chunk."""
        new = list(problems)
        text = "".join(f"{question}\n{answer}\n" for question, answer in new).encode("ascii")
        self._file.write(text)
        self._written.update(text)
        before = self.progress
        self.progress = Progress(
            bytes=before.bytes + len(text),
            problems=before.problems + len(new),
            chunk=before.chunk + 1,
            barren=0 if new else before.barren + 1,
        )

    def save(self) -> None:
        """Makes sure that nothing up to here is lost in a kill."""
        to_disk(self._file)
        signed = {**asdict(self.progress), "sha256": _signed(self.progress, self._written)}
        write(self._note, json.dumps(signed))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Gives the file its name, or after an error leaves it for later."""
        with self._file:
            if error:
                self.save()
                return
            to_disk(self._file)
        publish(self._part, self.path)
        self._note.unlink(missing_ok=True)
