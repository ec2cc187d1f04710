"""How large things are: the network of all programs in one, and pages of programs."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from tempfile import TemporaryDirectory

import progtf
from benchmarks.figures import ROOT, Figure
from progtf.cli.pages import export

LONG = True
PAGES = ("article/clocks", "math/place_value")


def figures() -> Iterator[Figure]:
    """Weights, and megabytes of what is written; neither depends on the machine."""
    with TemporaryDirectory() as folder:
        program = progtf.load(ROOT / "examples/math/all.seme")
        weights = progtf.lower(program, "float64")
        yield Figure("all.seme, weights", weights.count, "weights")
        progtf.save_model(weights, Path(folder))
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        yield Figure("all.seme, compiled", size / 1e6, "MB")
        for name in PAGES:
            page = Path(folder) / "page.html"
            export([ROOT / f"examples/{name}.seme"], out=page)
            yield Figure(f"page of {name}", page.stat().st_size / 1e3, "kB")
    yield Figure("numpy", megabytes({"numpy"}), "MB")
    yield Figure("all that progtf needs", megabytes(needed("progtf") - {"progtf"}), "MB")


def needed(name: str) -> set[str]:
    """A package and those that come with it, without extras."""
    found, open_ = set[str](), [name]
    while open_:
        name = open_.pop()
        if name not in found:
            found.add(name)
            asked = [each for each in distribution(name).requires or () if ";" not in each]
            open_ += [re.split(r"[^\w.-]", each)[0].lower() for each in asked]
    return found


def megabytes(packages: set[str]) -> float:
    """What the files of some packages weigh, compiled ones left out."""
    return sum(map(size, map(distribution, packages))) / 1e6


def size(package: Distribution) -> int:
    """Bytes of all files of one package."""
    files = [Path(str(file.locate())) for file in package.files or () if file.suffix != ".pyc"]
    return sum(file.stat().st_size for file in files if file.is_file())
