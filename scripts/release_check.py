"""What must be true of a release: `make release-check`.

The version is the same everywhere, wheel and sdist are built, and in an empty environment for each
extra, and for none, the commands that need nothing else answer, and the others say what to install.
Environments are made below a folder that is removed again; torch makes some of them large.
"""

import re
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
    f"run --interpreter {PROGRAM} dog",
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
    "roles": "roles checkpoint --data README.md --program README.md",
    "sentiment": "check examples/language/sentiment.seme",
}
"""What an extra is for; without it the command says how to install it."""


def main() -> None:
    """Goes through the list; the first thing that is wrong ends it."""
    _versions()
    with TemporaryDirectory() as folder:
        wheel = _built(Path(folder))
        for extra in ("", *(sys.argv[1:] or EXTRAS)):
            _tried(wheel, extra, Path(folder))
    print("ready to be released")


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


def _built(folder: Path) -> Path:
    """The wheel; the source distribution holds what a wheel is built from."""
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
    return wheel


def _tried(wheel: Path, extra: str, folder: Path) -> None:
    """Installs into an empty environment, and calls every command there."""
    print(f"{f'with {extra}' if extra else 'without extras'} ...", flush=True)
    place = folder / (extra or "none")
    venv.create(place, with_pip=True)
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    limits = ["--constraint", str(ROOT / "constraints.txt")]
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-qq", *limits, wanted]
    subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
    for command in ALWAYS:
        _called(place, command)
    for other, command in WITH.items():
        if other == extra:
            _called(place, command)
        elif not extra:
            _called(place, command, refused=other)


def _called(place: Path, command: str, refused: str = "") -> None:
    words = command.format(out=place).split()
    program = str(place / "bin" / "progtf")
    done = subprocess.run(
        [program, *words], cwd=ROOT, input="", capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    right = re.search(rf"progtf\[{refused}\]", said) if refused else not done.returncode
    if not right or "Traceback" in said:
        sys.exit(f"progtf {' '.join(words)}\n{said}")


if __name__ == "__main__":
    main()
