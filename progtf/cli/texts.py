"""The text of a program that a person names."""

from pathlib import Path

from progtf import bounded
from progtf.cli.messages import UserError
from progtf.notation.did_you_mean import nearest
from progtf.notation.render import SemeError
from progtf.texts import passed_over


def with_doubt(error: SemeError, path: Path) -> SemeError:
    """The error; where the file's name is no program's, with a note that it may be none."""
    if path.suffix != ".seme":
        error.add_note(f"{path} does not end in `.seme`: is it a program?")
    return error


def read_text(path: Path) -> str:
    """The text of a file, with a clear message where there is none.

    Raises:
        UserError: if there is no such file.
        SemeError: if it is not in UTF-8.
    """
    _check_is_file(path)
    from progtf.notation import files  # noqa: PLC0415  what was compiled needs no grammar

    return files.read_text(path)


def as_text(name: str) -> str:
    """What a person gave, as a page can say it: bytes that are no text are question marks."""
    return name.encode(errors="replace").decode()


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, as ``read_text``."""
    _check_is_file(path)
    return bounded.read_bytes(path)


def _check_is_file(path: Path) -> None:
    """Says what is wrong where there is no file.

    Raises:
        UserError: if there is none.
    """
    if path.is_dir():
        raise UserError(_folder(path))
    if bounded.is_other(path):
        raise UserError(f"{path} is no ordinary file: it is not read")
    if not path.is_file():
        found = path.parent.glob("*.seme") if path.parent.is_dir() else ()
        known = [str(p) for p in found if not passed_over(p)]
        hint = nearest(str(path), known)
        raise UserError(f"there is no file {path}" + (f"; {hint}" if hint else ""))


def _folder(path: Path) -> str:
    """What a folder is, where a program was to be."""
    from progtf.training.folders import is_network  # noqa: PLC0415  only who names a folder waits
    from progtf.weights.folder import WEIGHTS  # noqa: PLC0415  as said

    if is_network(path):
        return f"{path}: a network that is learned as a whole: there is no program in it"
    if (path / WEIGHTS).is_file():
        return (
            f"{path} is a compiled model; `progtf decompile {path} -o program.seme` makes"
            " a program of it, which is taken here"
        )
    return f"{path} is a folder; a program is a `.seme` file"
