"""Memory of ``progtf run FILE -``: the most that a process of its own holds, by its lines."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from benchmarks.figures import ROOT, Figure

PROGRAM = ROOT / "examples/math/place_value.seme"
LARGE = ROOT / "examples/math/all.seme"
QUESTIONS = ROOT / "tests/data/math/numbers__place_value.txt"
FEW, MANY = 5_000, 50_000
RUN = """
import sys
from benchmarks.timing import peak_kib
from progtf.cli.main import main
try:
    main()
finally:
    print(peak_kib(), file=sys.stderr)
"""


def peak(lines: int, program: Path = PROGRAM) -> float:
    """Megabytes at most, while so many questions are answered."""
    texts = QUESTIONS.read_text(encoding="utf-8").splitlines(keepends=True)[::2]
    with tempfile.TemporaryDirectory() as folder:
        asked, said = Path(folder, "asked"), Path(folder, "said")
        with asked.open("w", encoding="utf-8") as file:
            file.writelines(islice(cycle(texts), lines))
        with asked.open() as given, said.open("w") as out:
            words = [sys.executable, "-c", RUN, "run", str(program), "-"]
            done = subprocess.run(
                words, cwd=ROOT, stdin=given, stdout=out, stderr=subprocess.PIPE, check=True
            )
        with said.open() as answers:
            assert sum(1 for _ in answers) == lines
    return int(done.stderr.split()[-1]) * 1024 / 1e6


def figures() -> Iterator[Figure]:
    """The peak of some lines, and how much more ten times as many take."""
    few, many = peak(FEW), peak(MANY)
    yield Figure(f"run - of {MANY:,} lines", many, "MB", "aim: under 500")
    yield Figure(f"run - of {MANY:,} lines, growth", many / few, "x", f"{FEW:,} lines")
    peak(1, LARGE)  # so that its proof is known
    yield Figure("run of all.seme, one line", peak(1, LARGE), "MB", "again, its proof known")
