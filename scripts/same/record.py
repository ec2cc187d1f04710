"""Writes down all that a checkout makes of programs, run files and commands, to be compared.

``python -m scripts.same`` runs it once for each of two checkouts; the programs are those of the
folder that it runs in. Each thing is a text under a name, such as ``flat: examples/euclid.seme``.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import shlex
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import progtf

TREE = Path(progtf.__file__).resolve().parents[1]
SHORT = 100
"""A part of so few characters is written where it stands."""
KEPT = 8
"""Questions of each file of tests/data that are asked."""
QUICK_BYTES = 4000
"""Programs of so many bytes at most are looked at in quick mode."""
READERS = ("run", "test", "check", "diff", "decompile", "patch", "circuit")
"""Commands that write no files."""
FAILED = "failed: "
"""So begins what is written down of a thing that could not be made."""
Item = tuple[str, Callable[[], str]]


# ------------------------------------------------------------------ values as lines


class Lines:
    """A value as lines, one for each part that is too long to stand inside another.

    Parts come before what has them, each once, named by a digest of its line: so the first line in
    which two values differ is the innermost difference.
    """

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}
        self._known: dict[int, tuple[object, str]] = {}

    def of(self, value: object) -> str:
        """A short text of a value, or the digest of its line."""
        if (atom := _atom(value)) is not None:
            return atom
        if (known := self._known.get(id(value))) is not None:
            return known[1]
        self._known[id(value)] = value, "circle"
        line = self._line(value)
        if len(line) > SHORT:
            name = f"#{hashlib.blake2b(line.encode(), digest_size=5).hexdigest()}"
            self.lines.setdefault(name, f"{name} {line}")
            line = name
        self._known[id(value)] = value, line
        return line

    def _line(self, value: Any) -> str:  # noqa: PLR0911  a kind of value each
        kind = type(value).__name__
        if is_dataclass(value):
            told = [f"{each.name}={self.of(getattr(value, each.name))}" for each in fields(value)]
            return f"{kind}({', '.join(told)})"
        if isinstance(value, Mapping):
            told = [f"{self.of(key)}: {self.of(each)}" for key, each in value.items()]
            return f"{{{', '.join(told)}}}"
        if isinstance(value, AbstractSet):
            return f"{{{', '.join(sorted(map(self.of, value)))}}}"
        if hasattr(value, "_fields"):
            told = [f"{name}={self.of(getattr(value, name))}" for name in value._fields]
            return f"{kind}({', '.join(told)})"
        if isinstance(value, Sequence):
            return f"{kind}[{', '.join(map(self.of, value))}]"
        if hasattr(value, "dtype") and hasattr(value, "shape"):
            return _array(value)
        if hasattr(value, "__dict__"):
            return f"{kind}{self.of(vars(value))}"
        raise TypeError(f"nobody has said how a {kind} is written down")


def _atom(value: Any) -> str | None:  # noqa: PLR0911  as above
    if value is None or isinstance(value, bool | int):
        return repr(value)
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, str | Path):
        return repr(anywhere(str(value)))
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, bytes):
        return f"bytes {hashlib.blake2b(value, digest_size=8).hexdigest()}"
    if isinstance(value, type) or callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    if type(value).__name__ == "Span":
        inside = "" if value.use is None else f" in {_atom(value.use)}"
        name = anywhere(value.source.name)
        return f"<{name}:{value.line}:{value.start}-{value.end}{inside}>"
    return None


def _array(value: Any) -> str:
    """The type, the shape, and all bits of an array or a tensor; few numbers stand there."""
    if hasattr(value, "detach"):
        import torch  # noqa: PLC0415  most has no tensor

        flat = value.detach().cpu().contiguous().reshape(-1)
        bits, few = flat.view(torch.uint8).numpy().tobytes(), flat[:8].tolist()
    else:
        bits, few = value.tobytes(), value.reshape(-1)[:8].tolist()
    shown = [each.hex() if isinstance(each, float) else each for each in few]
    digest = hashlib.blake2b(bits, digest_size=8).hexdigest()
    return f"{value.dtype} {tuple(value.shape)} {digest} {shown}"


def anywhere(text: str) -> str:
    """A text without the places of the checkout, and of what it keeps."""
    for place in (TREE, Path.cwd()):
        text = text.replace(f"{place}/", "").replace(str(place), ".")
    return text.replace(os.environ["PROGTF_CACHE"], "CACHE")


def written(*values: object) -> str:
    """Values as lines."""
    lines = Lines()
    last = [lines.of(each) for each in values]
    return "\n".join((*lines.lines.values(), *last))


# ------------------------------------------------------------------ what is written down


def command(*arguments: str) -> str:
    """The status, the output and the errors of a command."""
    from progtf.cli.main import main  # noqa: PLC0415  it is slow

    out, err, status, argv = io.StringIO(), io.StringIO(), 0, sys.argv
    sys.argv = ["progtf", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as error:
        status = error.code
    finally:
        sys.argv = argv
    return anywhere(f"status {status}\n{out.getvalue()}\n{err.getvalue()}")


def flat(path: Path) -> str:
    """The program with everything unrolled, and what is wrong with it."""
    from progtf.notation.diagnostics import Source  # noqa: PLC0415  where it lies may change
    from progtf.notation.expand import expand  # noqa: PLC0415
    from progtf.notation.files import gather  # noqa: PLC0415
    from progtf.notation.parser import parse_all  # noqa: PLC0415

    file, unread = parse_all(Source(str(path), path.read_text("utf-8", errors="replace")))
    files, unused = gather(file, path.parent)
    whole, wrong = expand(file, files)
    return written(whole.statements, (*unread, *unused, *wrong))


def program(path: Path) -> str:
    """The program as it is built, and what is wrong or doubtful."""
    from progtf.building.load import analyse  # noqa: PLC0415

    return written(*analyse(path.read_text("utf-8"), str(path), path.parent))


def drawn(text: str, folder: str | None) -> str:
    """The program of some text, or what is wrong with it, as values and as it is printed."""
    from progtf.building.load import analyse  # noqa: PLC0415
    from progtf.notation.render import render  # noqa: PLC0415

    program, found = analyse(text, "<random>", None if folder is None else Path(folder))
    printed = map(render, found)  # in their own order: that of places knows of the checkout's
    return anywhere("\n".join((written(program, found), *printed)))


def weights(path: Path) -> str:
    """Its weights, what is proven of them and on what assumptions."""
    return written(progtf.lower(progtf.load(path)))


def network(path: Path) -> str:
    """The modules in their order, and the names and bits of all tensors."""
    model = progtf.compile(progtf.load(path))
    modules = [f"{name} {type(each).__name__}" for name, each in model.named_modules()]
    return "\n".join((*modules, written(dict(model.state_dict()))))


def answers(path: Path, questions: Sequence[str]) -> str:
    """What the interpreter and the network make of the examples and of some questions."""
    loaded = progtf.load(path)
    asked = [*(example.input for example in loaded.examples), *questions]
    if not asked:
        return ""
    found = [
        runner.try_answers(asked) for runner in (progtf.interpret(loaded), progtf.compile(loaded))
    ]
    return "\n".join(
        f"{text!r}\n{written(each)}" for one in found for text, each in zip(asked, one, strict=True)
    )


def begun(path: Path) -> str:
    """What a run would train: its words, its names, its bits; or why it does not begin."""
    from progtf.training.build import begun as first  # noqa: PLC0415
    from progtf.training.config import RunError, read_run  # noqa: PLC0415

    said = command("train", str(path), "--dry-run")
    try:
        _, subject = first(read_run(path))
        trained = {n: (w, w.requires_grad) for n, w in subject.named_parameters()}
    except (RunError, ValueError) as error:
        return f"{said}\n{anywhere(str(error))}"
    return f"{said}\n{written(trained)}"


def commands_of_docs() -> Iterator[list[str]]:
    """Those that docs show, that write no file and name only files that are there."""
    pages = [Path("README.md"), *sorted(Path("docs").glob("*.md"))]
    for line in (line for page in pages for line in page.read_text("utf-8").splitlines()):
        shown = re.match(r"(?:\$ )?progtf (\S.*)", line)
        if shown is None or re.search(r"[<>|]|\\$|\s-\s", shown[1]):
            continue
        try:
            words = shlex.split(shown[1], comments=True)
        except ValueError:
            continue
        files = [word for word in words if "/" in word or "." in word and " " not in word]
        if words[0] in READERS and all(Path(f).exists() for f in files if f.endswith(".seme")):
            yield words


def questions_of(path: Path) -> list[str]:
    """Some kept questions of the module that a math program answers; of all.seme, one of each."""
    if path.parent.name != "math":
        return []
    stem, count = ("*", 1) if path.stem == "all" else (f"*__{path.stem}", KEPT)
    found: list[str] = []
    for file in sorted(Path("tests/data/math").glob(f"{stem}.txt")):
        with file.open(encoding="utf-8") as lines:
            found += [line.rstrip("\n") for line in islice(lines, 0, 2 * count, 2)]
    return found


def items(texts: Sequence[tuple[str, str | None]], *, quick: bool) -> Iterator[Item]:
    """All that is to be written down, the short ones first.

    Args:
        texts: random ones, each with the folder of the files that it may use.
        quick: small programs and messages alone.
    """
    for number, text in enumerate(texts):
        yield f"random: {number:05}", lambda text=text: drawn(*text)
    examples = sorted(Path("examples").rglob("*.seme"), key=lambda path: path.stat().st_size)
    refused = sorted(Path("tests/golden/rejected").glob("*.seme"))
    doubted = sorted(Path("tests/golden/warned").glob("*.seme"))
    runs = sorted(Path("runs").rglob("*.toml"))
    if quick:
        examples = [path for path in examples if path.stat().st_size <= QUICK_BYTES]
        runs = []
    for path in (*refused, *doubted):
        yield f"check: {path}", lambda path=path: command("check", str(path))
        yield f"flat: {path}", lambda path=path: flat(path)
    for path in examples:
        yield f"flat: {path}", lambda path=path: flat(path)
        yield f"program: {path}", lambda path=path: program(path)
        yield f"weights: {path}", lambda path=path: weights(path)
        if not quick:
            yield f"network: {path}", lambda path=path: network(path)
            yield f"check: {path}", lambda path=path: command("check", str(path))
            yield f"answers: {path}", lambda path=path: answers(path, questions_of(path))
    for path in runs:
        yield f"run: {path}", lambda path=path: begun(path)
    if not quick:
        for words in commands_of_docs():
            yield f"command: {shlex.join(words)}", lambda words=words: command(*words)
        yield "command: --help", lambda: command("--help")


def record(
    out: Path, wanted: Iterable[str], texts: Sequence[tuple[str, str | None]], *, quick: bool
) -> None:
    """Writes all of it into a zip file; what fails is written down, too."""
    words = list(wanted)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, made in items(texts, quick=quick):
            if words and not any(word in name for word in words):
                continue
            begin = time.monotonic()
            try:
                text = made()
            except Exception as error:  # noqa: BLE001  it is compared, and told
                text = anywhere(f"{FAILED}{type(error).__name__}: {error}")
            file.writestr(name, text.encode(errors="surrogatepass"))
            if (seconds := time.monotonic() - begin) > 10:
                print(f"{seconds:6.0f} s  {name}", file=sys.stderr, flush=True)


def main() -> None:
    """Records as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("wanted", nargs="*", help="words that names have; none: all")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--random", type=Path, help="a file of texts, as JSON")
    asked = parser.parse_intermixed_args()
    texts = json.loads(asked.random.read_text("utf-8")) if asked.random else ()
    sys.setrecursionlimit(20_000)
    record(asked.out, asked.wanted, texts, quick=asked.quick)


if __name__ == "__main__":
    main()
