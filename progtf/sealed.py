"""Folders that say what was written to them: a digest of each file, looked at before it is read.

`SHA256SUMS` has a line for every file that may be read, as `sha256sum` writes and checks them. Such
a file that has no line is refused, by name. Other files may stand beside them, a README or notes:
nobody reads them.
"""

import re
from pathlib import Path

from progtf.atomic import write
from progtf.content import digest_of

SUMS = "SHA256SUMS"
READ = (".json", ".safetensors")
"""Endings of files that are read, in the folder and in those in it; hidden files never are."""
ALONE = "weights.safetensors", "layout.json"
"""These say themselves whether they are whole, if there are no others."""
LOOKED_FOR = (*ALONE, "model.json", "trainer.json", "trainer.safetensors")
"""What a folder holds is told by these."""
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


class DamagedError(ValueError):
    """A folder that holds something else than was written."""


def seal(folder: Path) -> None:
    """Writes the digests of all files in a folder, which is complete then.

    Raises:
        OSError: if it cannot be written.
    """
    found = (f"{digest_of(folder / name)}  {name}\n" for name in _files(folder))
    write(folder / SUMS, "".join(found))


def check(folder: Path) -> None:
    """Compares every file of a folder with what was written.

    A folder in which nothing lies, or weights alone, which have a digest inside, is passed.

    Raises:
        DamagedError: naming the first file that is missing, another one, or too many.
    """
    there = {name for name in LOOKED_FOR if (folder / name).is_file()}
    if there <= {*ALONE} and not (folder / SUMS).exists():
        return
    noted = _noted(folder)
    for name in sorted({*noted, *there, *_files(folder)}):
        if name not in noted:
            raise DamagedError(
                f"{folder}: damaged: {name} was not written with the other files: {SUMS} has no"
                " line for it; move it elsewhere"
            )
        if (digest := digest_of(folder / name)) != noted[name]:
            what = "is not what was written" if digest else "is missing"
            raise DamagedError(f"{folder}: damaged: {name} {what}")


def _files(folder: Path) -> list[str]:
    """The files that are read, of a folder and of those in it."""
    found = (
        path.relative_to(folder)
        for depth in ("*", "*/*")
        for path in folder.glob(depth)
        if path.suffix.lower() in READ and not path.is_dir()
    )
    return sorted(each.as_posix() for each in found if not any(n[0] == "." for n in each.parts))


def _kinds(folder: Path) -> list[str]:
    """The files that are read, as a shell names them."""
    found = (Path(name) for name in _files(folder))
    return list(dict.fromkeys("*/" * (len(each.parts) - 1) + f"*{each.suffix}" for each in found))


def _noted(folder: Path) -> dict[str, str]:
    """The digest of each file, as it was written."""
    sums = folder / SUMS
    try:
        if sums.exists() and not sums.is_file():  # a pipe would never be read to its end
            raise DamagedError(f"{folder}: damaged: {SUMS} is no ordinary file")
        lines = sums.read_bytes().decode().split("\n")
    except FileNotFoundError:
        raise DamagedError(
            f"{folder}: {SUMS} is missing, which tells a digest of every file: it is lost, or an"
            " earlier version of progtf wrote the folder; if you know that it is whole, write it:"
            f" `cd {folder} && sha256sum {' '.join(_kinds(folder))} > {SUMS}`"
        ) from None
    except (OSError, UnicodeDecodeError):
        lines = ["?"]
    read = [_LINE.fullmatch(line) for line in lines[:-1]]
    noted = {match[2]: match[1] for match in read if match}
    if lines[-1] or len(noted) != len(read):
        raise DamagedError(f"{folder}: damaged: {SUMS} is not what was written")
    return noted
