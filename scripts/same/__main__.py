"""Whether this checkout makes of everything what another state made of it, bit by bit.

    python -m scripts.same d552293                  # whole: all examples, runs, commands
    python -m scripts.same d552293 --quick          # small programs and messages: a minute
    python -m scripts.same d552293 math/gcd check:  # what has one of these words in its name
    python -m scripts.same d552293 random: --random 5000    # programs drawn at random alone

Compared are flat programs, programs with their places, weights with what is proven of them, modules
and tensors, answers, messages and statuses. What differs is printed, the innermost difference of
each; status 1 if anything does. Both sides read the programs of this checkout.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("record.py")
FAILED = "failed: "
"""So begins, in a record, what could not be made."""
WIDE = 400
"""Characters of a difference that are printed."""
NEAR = 10
"""For so many random texts one more that is an example with one change."""
MOST, LONG = 3, 5000
"""Random texts of which something differs that are printed, and characters of each."""


@contextmanager
def state(named: str, folder: Path) -> Iterator[Path]:
    """The checkout of a tag, in a worktree of its own; or the folder of that name."""
    if (Path(named) / "progtf").is_dir():
        yield Path(named).resolve()
        return
    place = folder / "before"
    git = ["git", "-C", str(ROOT), "worktree"]
    added = subprocess.run(
        [*git, "add", "--detach", str(place), named], capture_output=True, text=True, check=False
    )
    if added.returncode:
        sys.exit(f"error: {added.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run([*git, "remove", "--force", str(place)], capture_output=True, check=False)


def begin(tree: Path, out: Path, asked: Sequence[str]) -> subprocess.Popen[bytes]:
    """Starts to write down what a checkout makes of the programs of this one."""
    kept = out.with_suffix(".cache")
    places = {"PYTHONPATH": str(tree), "PROGTF_CACHE": str(kept)}
    same = {"COLUMNS": "116", "NO_COLOR": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    return subprocess.Popen(
        [sys.executable, "-P", str(RECORD), str(out), *asked],
        cwd=ROOT, env=os.environ | places | same, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def drawn(count: int, seed: int) -> Iterator[tuple[str, str | None]]:
    """Random texts, the same for the same seed, each with the folder of the files it may use."""
    if count:
        from benchmarks.fuzz_notation import near, texts  # noqa: PLC0415  it reads programs

        yield from ((text, None) for text in texts(count, seed))
        for text, folder in near(count // NEAR, seed):
            yield text, str(folder)


def differences(before: Path, after: Path) -> Iterator[str]:
    """What differs, a text for each name."""
    with zipfile.ZipFile(before) as old, zipfile.ZipFile(after) as new:
        names = dict.fromkeys((*old.namelist(), *new.namelist()))
        for name in names:
            if name not in old.NameToInfo or name not in new.NameToInfo:
                yield f"{name}\n  only {'after' if name in new.NameToInfo else 'before'}"
            elif old.read(name) != new.read(name):
                told = (each.read(name).decode(errors="replace") for each in (old, new))
                yield f"{name}\n{_first(*told)}"


def _first(one: str, other: str) -> str:
    """The first lines that are in one alone; in the same lines, that they come in another order."""
    old, new = one.splitlines(), other.splitlines()
    gone = [line for line in old if line not in set(new)]
    come = [line for line in new if line not in set(old)]
    if not gone and not come:
        return "  the same lines in another order, or another number of them"
    told = [f"  - {_cut(gone[0], come[:1])}"] if gone else []
    return "\n".join((*told, *([f"  + {_cut(come[0], gone[:1])}"] if come else [])))


def _cut(line: str, beside: Sequence[str]) -> str:
    """So much of a line that one sees where it differs from another."""
    if len(line) <= WIDE:
        return line
    other = beside[0] if beside else ""
    digest = len(line.partition(" ")[0])  # it differs wherever anything does
    rest = zip(line[digest:], other[digest:], strict=False)
    place = next((n for n, (a, b) in enumerate(rest, start=digest) if a != b), digest)
    first = max(0, place - WIDE // 2)
    return f"{'...' if first else ''}{line[first : first + WIDE]}..."


def main(arguments: Sequence[str] | None = None) -> int:
    """Compares; the status."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.same", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("before", help="a tag, a commit, or the folder of a checkout")
    parser.add_argument("wanted", nargs="*", help="words that names have; none: all")
    parser.add_argument("--after", type=Path, default=ROOT, help="another checkout than this one")
    parser.add_argument("--quick", action="store_true", help="small programs and messages alone")
    told = f"also so many random texts, and one for {NEAR} of them that is close to an example"
    parser.add_argument("--random", type=int, default=0, metavar="N", help=told)
    parser.add_argument("--seed", type=int, default=1, help="of random texts")
    asked = parser.parse_intermixed_args(arguments)
    if not (asked.after / "progtf").is_dir():
        parser.error(f"{asked.after} is no checkout of progtf")
    words = [*asked.wanted, *(["--quick"] if asked.quick else [])]
    folder = Path(tempfile.mkdtemp())
    random_texts = [*drawn(asked.random, asked.seed)]
    try:
        if random_texts:
            (folder / "texts.json").write_text(json.dumps(random_texts), "utf-8")
            words += ["--random", str(folder / "texts.json")]
        with state(asked.before, folder) as before:
            outs = [folder / "before.zip", folder / "after.zip"]
            trees = before, asked.after.resolve()
            running = [begin(tree, out, words) for tree, out in zip(trees, outs, strict=True)]
            failed = [each.wait() for each in running]
        if any(failed):
            return 2
        found = list(differences(*outs))
        with zipfile.ZipFile(outs[1]) as file:
            count = len(file.namelist())
            texts = ((name, file.read(name).decode(errors="replace")) for name in file.namelist())
            unmade = [
                f"{name}\n  {_cut(text, ())}" for name, text in texts if text.startswith(FAILED)
            ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for each in found:
        print(each)
    numbers = [int(name[1]) for each in found if (name := re.match(r"random: (\d+)", each))]
    for number in numbers[:MOST]:
        print(f"\nrandom text {number}:\n{ascii(random_texts[number][0])[:LONG]}")
    for each in unmade:
        print(each, file=sys.stderr)
    failed_too = f"; {len(unmade)} of them could not be made here" if unmade else ""
    print(f"{count} compared, {len(found)} differ{failed_too}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
