"""Where a program's files were looked for, and what was read.

What is kept of a program is found again by what its files hold, wherever they lie now: a place is
told by the folder below which it is looked for (`Roots`), and by its way from there.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path

from progtf.bounded import read_bytes
from progtf.published import data_folder

LIBRARY = Path(__file__).parents[1] / "std"
ANYWHERE = ""
"""The root of a place that is told as a whole."""

Told = tuple[str, str]
"""A place: its root, and the way from there."""
Names = tuple[list[Told], list[str]]
"""Places, and packages."""


@dataclass(frozen=True)
class Sought:
    """Every place that was looked at, and what lay there.

    Attributes:
        places: whether there was a file or not.
        packages: installed ones that were asked for, by name.
        contents: a SHA-256 of each file that was read, as its bytes were then, by where it lies.
    """

    places: set[Path] = field(default_factory=set[Path])
    packages: set[str] = field(default_factory=set[str])
    contents: dict[Path, str] = field(default_factory=dict[Path, str])

    def read(self, path: Path) -> bytes:
        """The bytes of a file, which is noted.

        Raises:
            OSError: if it cannot be read, or is too large.
        """
        data = read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        self.contents[path] = digest if self.contents.get(path, digest) == digest else "changed"
        return data

    def names(self, folder: Path) -> Names:
        """The places, in order, and the packages; ``folder``: where the program lies."""
        packages = sorted(self.packages)
        roots = Roots.of(folder, packages)
        return sorted(roots.told(place.absolute()) for place in self.places), packages


@dataclass(frozen=True)
class Roots:
    """The folders below which files of a program are looked for, by what they are to it."""

    folders: dict[str, Path]

    @classmethod
    def of(cls, folder: Path, packages: Sequence[str]) -> "Roots":
        """Those of a program in a folder; where one lies in another, places are told as a whole."""
        found = {"std": LIBRARY, "program": folder.absolute(), "data": data_folder()}
        lie = ((name, package_folder(name)) for name in packages)
        found |= {f"package {name}": place for name, place in lie if place is not None}
        every = [{place, _resolved(place)} for place in found.values()]
        within = any(
            one.is_relative_to(other) for a, b in permutations(every, 2) for one in a for other in b
        )
        return cls({} if within else found)

    def told(self, place: Path) -> Told:
        """A place that is named from the top, by its root."""
        for name, ways in self._ways:
            for root in ways:
                if place.is_relative_to(root):
                    return name, place.relative_to(root).as_posix()
        return ANYWHERE, str(place)

    def place(self, told: Told) -> Path | None:
        """Where a place is now; None where there is no such root."""
        root, inside = told
        if root == ANYWHERE:
            return Path(inside)
        return self.folders[root] / inside if root in self.folders else None

    @cached_property
    def _ways(self) -> list[tuple[str, tuple[Path, ...]]]:
        return [
            (name, tuple(dict.fromkeys((place, _resolved(place)))))
            for name, place in self.folders.items()
        ]


@dataclass(frozen=True, eq=False)
class Seen:
    """What lies now at the places where a program's files are looked for.

    Attributes:
        sought: the places, and what was read there.
        files: the file behind each root and way that leads to one, links followed, and its bytes.
        key: of all that decides what the program is, wherever it lies: where each place leads, and
            what it holds; which packages are there; and which places lead to the program itself.
    """

    sought: Sought
    files: dict[Told, tuple[Path, bytes]]
    key: tuple[list[tuple[Told, Told, str]], list[tuple[str, bool]], list[Told]]

    @classmethod
    def of(cls, names: Names, program: Path) -> "Seen":
        """What lies there for a program in a file."""
        places, packages = [(root, inside) for root, inside in names[0]], names[1]
        folder, own = program.parent, _led(program)
        roots, sought = Roots.of(folder, packages), Sought(packages=set(packages))
        files, found = dict[Told, tuple[Path, bytes]](), list[tuple[Told, Told, str]]()
        itself = list[Told]()
        for told, place in ((told, roots.place(told)) for told in places):
            full = None if place is None else _led(place)
            data = None if full is None else _bytes(full, sought)
            if place is not None:
                sought.places.add(place)
            if full is None or data is None:
                found.append((told, (ANYWHERE, ""), ""))
                continue
            leads = roots.told(full)
            files[leads] = full, data
            found.append((told, leads, sought.contents[full]))
            if full == own:  # files that use each other are refused
                itself.append(told)
        there = [(name, f"package {name}" in roots.folders) for name in packages]
        if not roots.folders:
            there += [(str(each), True) for each in (folder.absolute(), data_folder())]
            there += [(str(package_folder(name)), True) for name in packages]
        return cls(sought, files, (found, there, itself))

    def still(self, read: Sought) -> bool:
        """Whether the places lead to what was read there, and to nothing else, as they did then."""
        return self.sought.contents == read.contents


def _led(place: Path) -> Path | None:
    """The file that a place leads to, behind links."""
    try:
        return place.resolve() if place.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, a circle of links
        return None


def _bytes(path: Path, sought: Sought) -> bytes | None:
    try:
        return sought.read(path)
    except OSError:
        return None


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return path


def package_folder(name: str) -> Path | None:
    """The folder of an installed package; the package is not run."""
    try:
        found = find_spec(name)
    except (ImportError, ValueError):
        return None
    places = None if found is None else found.submodule_search_locations
    return Path(places[0]).resolve() if places else None


def shown(path: Path) -> str:
    """A file as messages name it: from where one stands, if it lies below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
