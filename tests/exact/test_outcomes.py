"""What is said of the examples in `docs/outcomes.md` is what `progtf check` says."""

import pytest

from benchmarks.outcomes import TABLE, programs
from tests.programs import ROOT, compiled

QUICK = 0.3  # seconds, of one processor


def table() -> dict[str, tuple[str, str, str, float]]:
    """Program -> outcome, the format that has it, how much is assumed, and seconds."""
    rows = [line.split("|")[1:-1] for line in TABLE.read_text(encoding="utf-8").splitlines()]
    cells = [[cell.strip() for cell in row] for row in rows if row and row[0].endswith(".seme ")]
    return {row[0]: (row[1], row[2], row[3], float(row[4] or "inf")) for row in cells}


def test_every_example_has_its_line():
    assert set(table()) == {path.as_posix() for path in programs()}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.long] * (took >= QUICK))
        for path, (*_, took) in table().items()
    ],
)
def test_an_example_has_the_outcome_that_is_documented(path):
    said, dtype, assumptions, _ = table()[path]
    outcome = compiled(ROOT / path).outcome  # as it was found by whoever asked first
    assert outcome.verdict == said
    assert (outcome.dtype, len(outcome.assumptions)) == (dtype, int(assumptions))
