"""`made.json`: how each file of a folder was made, so that the same order finds it done."""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from progtf.atomic import locked, part_of, write
from progtf.bounded import read_bytes
from progtf.content import digest_once
from progtf.data.errors import DataError

NAME = "made.json"


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that the contents of a file depend on, besides the files made before it.

    Attributes:
        seed: Of the draws.
        count: Problems asked for.
        excluded: Hash of the questions that other folders ruled out.
        sha256: Of the file, once it is finished.
    """

    seed: int
    count: int
    excluded: str
    sha256: str = ""


class RecipeBook:
    """The recipes of the files in a folder.

    Raises:
        DataError: `made.json` cannot be read.
    """

    def __init__(self, out: Path) -> None:
        self._path = out / NAME
        try:
            text = read_bytes(self._path) if self._path.is_file() else "{}"
            self._recipes = {file: Recipe(**recipe) for file, recipe in json.loads(text).items()}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
            advice = "`progtf data make` writes this file; choose another folder"
            raise DataError("cannot be read", self._path, help=advice) from error

    def enter(self, recipes: Mapping[Path, Recipe]) -> None:
        """Notes how files will be made; errors as `checked`, and nothing is noted then."""
        self._recipes |= self.checked(recipes)
        self._write()

    def checked(self, recipes: Mapping[Path, Recipe]) -> dict[str, Recipe]:
        """Returns what is to be noted; what is there of a file must come from the same recipe.

        Raises:
            DataError: Something comes from another one, or has changed since.
        """
        noted: dict[str, Recipe] = {}
        for path, recipe in recipes.items():
            known, name = self._recipes.get(_name(path)), _name(path)
            there = next((file for file in (path, part_of(path)) if file.exists()), None)
            if there and (known is None or replace(known, sha256="") != recipe):
                raise DataError(_difference(known, recipe), there, help=_OTHER)
            noted[name] = known if known and there == path else recipe
            if there == path and noted[name].sha256 not in ("", digest_once(path)):
                raise DataError("this is not what was made", path, help=_AGAIN)
        return noted

    def finished(self, path: Path) -> None:
        """Notes what a file holds, of which that is not known yet."""
        known = self._recipes[_name(path)]
        if not known.sha256:
            self._recipes[_name(path)] = replace(known, sha256=digest_once(path))
            self._write()

    def _write(self) -> None:
        noted = {name: asdict(recipe) for name, recipe in sorted(self._recipes.items())}
        write(self._path, json.dumps(noted, indent=1) + "\n")


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


_AGAIN = "delete it, and it is made again"
_OTHER = "choose another folder, or delete the file"


def _difference(known: Recipe | None, wanted: Recipe) -> str:
    if known is None:
        return "already there, and not made by `progtf data make`"
    for key in ("seed", "count"):
        if (before := getattr(known, key)) != (now := getattr(wanted, key)):
            return f"already made with {key} {before}, not {now}"
    return "already made with other questions excluded"


@contextmanager
def sole_maker(out: Path, *, wait: bool = False) -> Iterator[None]:
    """Keeps a second build out of a folder; a killed one leaves no lock behind.

    Raises:
        DataError: Another build is at work there, unless one is to ``wait`` for its end.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(out, wait=wait))
        except BlockingIOError as error:
            raise DataError("another `progtf data make` is at work here", out) from error
        yield
