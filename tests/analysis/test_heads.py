"""Heads in the coordinates of semes."""

import numpy as np
import pytest

from progtf.analysis.heads import Seen, Sides, basis, decompiled, share

NAMES, COUNT, WIDTH = ("one", "two", "three"), 40, 6


def seen(noise=0.0, own=0.0):
    """Semes of 40 questions of 5 positions, turned; ``own`` are directions that no seme tells."""
    draw = np.random.default_rng(1)
    semes = draw.integers(0, 3, (5 * COUNT, len(NAMES))).astype(float)
    turn = np.linalg.qr(draw.normal(size=(WIDTH, WIDTH)))[0]
    rest = own * draw.normal(size=(5 * COUNT, WIDTH - len(NAMES)))
    rows = np.concatenate([semes, rest], axis=1) @ turn + noise * draw.normal(size=(1, WIDTH))
    return Seen(rows, semes, np.repeat(np.arange(COUNT), 5), NAMES), turn


WRITTEN = {
    "value": np.array([[2.0, 0.0], [0.0, -1.0], [0.0, 0.0]]),
    "out": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]),
}


def maps(turn):
    return {
        "value": (turn[: len(NAMES)].T @ WRITTEN["value"], np.array([0.5, 0.0])),
        "out": (WRITTEN["out"] @ turn[: len(NAMES)], np.zeros(WIDTH)),
    }


def test_a_turned_head_comes_back_and_is_put_back():
    rows, turn = seen()
    bound = rows.residuals @ maps(turn)["value"][0] + 0.5
    told = decompiled(maps(turn), Sides.of(rows, rows), bound)
    for field, due in WRITTEN.items():
        assert told.maps[field].sure == pytest.approx(due, abs=1e-7)
        assert (told.maps[field].sure == 0).sum() == (due == 0).sum()
    weight, bias = told.back["value"]
    due = rows.residuals @ maps(turn)["value"][0] + [0.5, 0.0]
    assert rows.residuals @ weight + bias == pytest.approx(due)


def test_what_no_seme_tells_is_not_told_and_counts_by_its_mean():
    rows, turn = seen(own=1.0)
    head = {"value": (turn[len(NAMES) :].T[:, :2], np.zeros(2)), "out": maps(turn)["out"]}
    before = rows.residuals @ head["value"][0]
    told = decompiled(head, Sides.of(rows, rows), before)
    after = rows.residuals @ told.back["value"][0] + told.back["value"][1]
    assert share(before, after) < 0.1
    assert after.mean(axis=0) == pytest.approx(before.mean(axis=0))
    assert np.count_nonzero(told.maps["value"].sure) <= 2  # 5 % of 6, and luck


def test_keys_and_values_may_read_another_residual():
    here, turn = seen()
    draw = np.random.default_rng(2)
    other = np.linalg.qr(draw.normal(size=(WIDTH, WIDTH)))[0][: len(NAMES)]
    semes = draw.integers(0, 3, (5 * COUNT, len(NAMES))).astype(float)
    there = Seen(semes @ other, semes, here.question, ("four", "five", "six"))
    head = {**maps(turn), "query": maps(turn)["value"]}
    head["value"] = (other.T @ WRITTEN["value"], np.zeros(2))
    bound = there.residuals @ head["value"][0]
    told = decompiled(head, Sides.of(here, here, there), bound)
    assert told.maps["value"].names == there.names
    assert told.maps["query"].names == told.maps["out"].names == NAMES
    for field in ("query", "value"):
        assert told.maps[field].sure == pytest.approx(WRITTEN["value"], abs=1e-7)
    assert there.residuals @ told.back["value"][0] == pytest.approx(bound - told.back["value"][1])
    wrong = decompiled(head, Sides.of(here, here), bound)
    assert wrong.maps["value"].sure != pytest.approx(WRITTEN["value"], abs=0.1)


def test_entries_are_written_with_their_intervals():
    rows, turn = seen(own=0.3)
    told = decompiled(maps(turn), Sides.of(rows, rows), np.zeros((5 * COUNT, 2)))
    lines = told.notation(most=1).splitlines()
    half = told.maps["value"].half[0, 0]
    assert 0 < half < 1
    assert lines[1].startswith("  ~2.0") or lines[1].startswith("  ~1.9")
    assert lines[1].endswith(f"one>feature0  # ± {half:.2g}")
    assert "feature1>three" in lines[3]


def test_semes_that_others_tell_are_no_part_of_a_basis():
    rows, _ = seen()
    twin = np.column_stack([np.ones(5 * COUNT), rows.semes, rows.semes[:, 0] - rows.semes[:, 1]])
    assert basis(twin) == [1, 2, 3]
    twin[0, 4] += 1.0  # a little of its own
    assert basis(twin) == [1, 2, 3]
    assert basis(twin, least=1e-6) == [1, 2, 3, 4]


def test_a_share_counts_all_columns_together():
    due = np.array([[0.0, 0.0], [2.0, 1.0]])
    assert share(due, due) == 1.0
    assert share(due, due * [1, 0] + [0, 0.5]) == pytest.approx(0.8)
