"""Exact match and F1, by hand: what the official evaluation of SQuAD v1.1 gives for these."""

import pytest

from progtf.tasks.comprehension import Judged, judged, mean


@pytest.mark.parametrize(
    ("answer", "right", "exact", "f1"),
    [
        ("The Broncos!", ["broncos"], 1, 1),
        ("the", ["an"], 1, 0),  # nothing is left of either: equal, and no word in common
        ("Denver Broncos", ["Broncos"], 0, 2 / 3),
        ("Broncos", ["Carolina Panthers", "Denver Broncos"], 0, 2 / 3),
        ("a b b c", ["b b d"], 0, 2 * (2 / 3) * (2 / 3) / (4 / 3)),
        ("B b", ["b"], 0, 2 / 3),
        ("U.S. dollars", ["us dollars"], 1, 1),
        ("well-known", ["well known"], 0, 0),
        ("1,000", ["1000"], 1, 1),
        ("“x”", ["x"], 0, 0),  # only ASCII's punctuation is left out
        ("theatre an", ["theatre"], 1, 1),
        ("", ["x"], 0, 0),
    ],
)
def test_answers_beside_right_ones(answer, right, exact, f1):
    assert judged(answer, right) == pytest.approx((exact, f1))


def test_nothing_can_be_judged_without_right_answers():
    with pytest.raises(ValueError, match="no right answer"):
        judged("x", [])
    assert mean([Judged(1, 1), Judged(0, 0.5)]) == (0.5, 0.75)
    assert mean([]) == (0, 0)
