"""Where a program's files were looked for, and what was read."""

import hashlib
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from progtf.bounded import read_bytes
from progtf.content import digest_of


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

    @property
    def names(self) -> "Names":
        """Places, wherever who asks may stand, and packages; in order."""
        return sorted(str(place.absolute()) for place in self.places), sorted(self.packages)

    def still_so(self, now: "State") -> bool:
        """Whether every place leads to what was read there, or to nothing, as it did then."""
        return all(self.contents.get(Path(full)) == digest for _, full, digest in now[0] if full)


Names = tuple[list[str], list[str]]
State = tuple[list[tuple[str, str, str]], list[tuple[str, str]]]


def state_of(names: Names) -> State:
    """What places lead to now, behind links, with a digest of it; and packages, where they lie."""
    places, packages = names
    return (
        [(place, *_led(Path(place))) for place in places],
        [(package, str(package_folder(package))) for package in packages],
    )


def _led(place: Path) -> tuple[str, str]:
    digest = digest_of(place)
    return (str(place.resolve()), digest) if digest else ("", "")


def package_folder(name: str) -> Path | None:
    """The folder of an installed package; the package is not run."""
    try:
        found = find_spec(name)
    except (ImportError, ValueError):
        return None
    places = None if found is None else found.submodule_search_locations
    return Path(places[0]).resolve() if places else None
