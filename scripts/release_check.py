"""What must be true of a release: `make release-check`.

The version is the same everywhere, wheel and sdist are built, and in an empty environment for the
wheel alone, for the sdist alone, for each extra and for all of them, the commands that need nothing
else answer, and the others say what to install; pipx and uvx run a program. Words choose some of
these: `python scripts/release_check.py sdist lsp uvx`. Environments are made below a folder that is
removed again; torch makes some of them large.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from progtf.extras import EXTRAS

ROOT = Path(__file__).parents[1]
PROGRAM = "examples/article/attention_with_positions.seme"
ALWAYS = (
    "--version",
    f"check {PROGRAM}",
    f"fmt --check {PROGRAM}",
    f"run --engine interpreter {PROGRAM} dog",
    f"compile {PROGRAM} -o {{out}}/compiled",
    "decompile {out}/compiled",
    f"diff {{out}}/compiled {PROGRAM}",
    f"export {PROGRAM} -o {{out}}/page.html",
)
WITH = {
    "torch": f"run {PROGRAM} dog",
    "train": "train runs/place_value.toml --dry-run",
    "data": "data make --out {out}/questions --modules numbers__place_value --count 2",
    "notebook": "notebook {out}/tour --only-copy",
    "lsp": "lsp",
    "cluster": "eval --help",
    "roles": "roles {out}/network --data {out}/asked.txt --program {out}/asked.seme",
    "sentiment": "run --engine interpreter examples/language/sentiment.seme good",
}
"""What an extra is for; without it the command says how to install it."""
ASKED = [f"Sort {a}, {b}, 5." for a in "23" for b in "78"]
NETWORK = """
import pathlib, sys
from progtf.data import PAPER
from progtf.training.config import Model
from progtf.training.networks import build_network, save_network
wanted = Model(kind="tp", width=16, filter=16, heads=2, layers=2)
folder, network = pathlib.Path(sys.argv[1]), build_network(wanted, 5)
folder.mkdir()
save_network(folder, wanted, network.state_dict(), PAPER)
"""
"""Questions, and a network with its first weights: what is looked at with `roles`."""

ALONE = ("wheel", "sdist")
BORROWED = {
    "pipx": ("pipx", "run", "--spec", "{wheel}", "progtf"),
    "uvx": ("uvx", "--from", "{wheel}", "progtf"),
}
"""What runs a program of a package that nobody has installed."""
RUNS = ("run", "--engine", "interpreter", PROGRAM, "black dog"), "dog: +noun +black +dog"
"""What they are to run, and what it says of the last word."""


def main() -> None:
    """Goes through the list; the first thing that is wrong ends it."""
    wanted = sys.argv[1:] or [*ALONE, *EXTRAS, "all", *BORROWED]
    if unknown := {*wanted} - {*ALONE, *EXTRAS, "all", *BORROWED}:
        sys.exit(f"nothing is called {min(unknown)!r}")
    _versions()
    with TemporaryDirectory() as folder:
        wheel, source = _built(Path(folder))
        for name in wanted:
            print(f"{name} ...", flush=True)
            place = Path(folder) / name
            if name in BORROWED:
                _borrowed(name, wheel, place)
            else:
                _tried(source if name == "sdist" else wheel, "" if name in ALONE else name, place)
            shutil.rmtree(place)
    print("ready to be released" if not sys.argv[1:] else "these are right")


def _versions() -> None:
    """One version in the package, its description, the citation; and the changelog knows it."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = about["version"]
    told = {
        "progtf/__init__.py": f'__version__ = "{version}"',
        "CITATION.cff": f"version: {version}",
        "CHANGELOG.md": f"## {version}",
    }
    for file, line in told.items():
        if line not in (ROOT / file).read_text(encoding="utf-8"):
            sys.exit(f"{file} does not say `{line}`")
    if {*EXTRAS, "all", "dev"} != {*about["optional-dependencies"]}:
        sys.exit("the extras of pyproject.toml are not those of progtf/extras.py")
    print(f"version {version}")


def _built(folder: Path) -> tuple[Path, Path]:
    """The wheel, and the source distribution, which holds what a wheel is built from."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    wheel, source = next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))
    with tarfile.open(source) as opened:
        held = opened.getnames()
    for name in ("grammar/seme.lark", "LICENSE", "pyproject.toml"):
        if not any(each.endswith(f"/{name}") for each in held):
            sys.exit(f"{source.name} has no {name}")
    if "progtf/notation/seme.lark" not in zipfile.ZipFile(wheel).namelist():
        sys.exit(f"{wheel.name} has no grammar")
    for made in (wheel, source):
        print(f"{made.name}: {made.stat().st_size / 1e6:.1f} MB")
    return wheel, source


def _tried(package: Path, extra: str, place: Path) -> None:
    """Installs into an empty environment, and calls every command there."""
    _installed(place, f"{package}[{extra}]" if extra else str(package))
    shutil.copy(ROOT / "examples/math/sort.seme", place / "asked.seme")
    (place / "asked.txt").write_text("".join(f"{each}\n?\n" for each in ASKED))
    if extra in ("roles", "all"):
        made = [place / "bin" / "python", "-c", NETWORK, place / "network"]
        subprocess.run(made, check=True, env=_surroundings(place))
    for command in ALWAYS:
        _called(place, command)
    for other, command in WITH.items():
        if extra in (other, "all"):
            _called(place, command)
        elif not extra:
            _called(place, command, refused=other)
    if brought := EXTRAS.get(extra):
        subprocess.run([place / "bin" / "python", "-c", f"import {', '.join(brought)}"], check=True)


def _borrowed(tool: str, wheel: Path, place: Path) -> None:
    """A tool that runs a program without installing it for good."""
    _installed(place, "uv" if tool == "uvx" else tool)
    tried = [word.format(wheel=wheel) for word in BORROWED[tool]]
    for words, said in ((("--version",), "progtf"), RUNS):
        _right([place / "bin" / tried[0], *tried[1:], *words], place, said)


def _installed(place: Path, package: str) -> None:
    venv.create(place, with_pip=True)
    limits = ["--constraint", str(ROOT / "constraints.txt")]
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-qq", *limits, package]
    subprocess.run(pip, check=True, env=_surroundings(place))


def _called(place: Path, command: str, refused: str = "") -> None:
    words = command.format(out=place).split()
    _right(
        [place / "bin" / "progtf", *words], place, refused and f"progtf[{refused}]", bool(refused)
    )


def _right(words: list[str | Path], place: Path, said: str, refused: bool = False) -> None:
    """Runs a command, which must say this, without a traceback, and be refused or not."""
    done = subprocess.run(
        words,
        cwd=ROOT,
        env=_surroundings(place),
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    told = done.stdout + done.stderr
    if said not in told or "Traceback" in told or (done.returncode and not refused):
        sys.exit(f"{' '.join(map(str, words))}\n{told}")


def _surroundings(place: Path) -> dict[str, str]:
    """Without the checkout's Python, and with homes and caches of its own."""
    homes = {name: str(place / "home") for name in ("PIPX_HOME", "UV_TOOL_DIR", "PROGTF_CACHE")}
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return kept | homes | {"PIPX_BIN_DIR": str(place / "home")}


if __name__ == "__main__":
    main()
