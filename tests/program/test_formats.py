"""Number formats: which rules survive rounded weights."""

from pathlib import Path

import pytest

from progtf.building.load import analyse
from progtf.program.formats import rounded, rules_hold

PROGRAM = """
model:
  kind: dense
semes:
  x: 0..{largest}
  big
layer:
  feedforward:
    big: x >= {largest}
"""


@pytest.mark.parametrize(
    ("dtype", "holds", "fails"),
    [("bfloat16", 60, 100), ("float16", 500, 1000), ("float32", 4_000_000, 40_000_000)],
)
def test_a_comparison_holds_as_far_as_the_format_has_digits(
    dtype: str, holds: int, fails: int
) -> None:
    for largest, expected in ((holds, True), (fails, False)):
        program, found = analyse(PROGRAM.format(largest=largest), "x.seme", Path())
        assert program is not None, found
        assert rules_hold(program, dtype) is expected


@pytest.mark.parametrize(("number", "nearest"), [(257.0, 256.0), (3.3, 3.296875), (-0.5, -0.5)])
def test_rounding_keeps_eight_binary_digits(number: float, nearest: float) -> None:
    assert rounded(number, 8) == nearest
