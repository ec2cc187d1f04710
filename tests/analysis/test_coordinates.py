"""Residuals in the coordinates of semes."""

import numpy as np
import pytest

from progtf.analysis.coordinates import Coordinates, explained, regressed

NAMES = ("free", "other", "still", "twin", "twin2")


def semes(count=60):
    """Two semes that vary alone, one that is always 3, two that are always the same."""
    draw = np.random.default_rng(1)
    free, other, twin = draw.integers(0, 3, (3, count)).astype(float)
    return np.stack([free, other, np.full(count, 3.0), twin, twin], axis=1)


def turned(width=8):
    return np.linalg.qr(np.random.default_rng(2).normal(size=(width, width)))[0][: len(NAMES)]


def test_what_never_varies_and_what_varies_with_others_is_left_out_and_named():
    told = Coordinates.of(semes() @ turned(), semes(), NAMES)
    assert told.names == ("free", "other")
    assert told.still == ("still",)
    assert told.bound == ("twin", "twin2")


@pytest.mark.parametrize("width", [5, 8, 11])
def test_maps_of_a_turned_residual_come_back(width):
    turn = turned(width)
    told = Coordinates.of(semes() @ turn, semes(), NAMES)
    reads = np.array([[2.0, 0.0], [0.0, -1.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    found, bias = told.reads(turn.T @ reads, np.array([0.5, 0.0]))
    assert found == pytest.approx(reads[:2])
    assert bias == pytest.approx([0.5, 3.0])  # what never varies is a constant
    writes = np.array([[0.0, 4.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 2.0, 2.0]])
    assert told.writes(writes @ turn) == pytest.approx(writes[:, :2])


def test_what_is_written_where_no_residual_goes_is_not_told():
    told = Coordinates.of(semes() @ turned(), semes(), NAMES)
    writes = np.array([[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, -1.0]])
    assert np.isnan(told.writes(writes @ turned())).all()


def test_semes_are_told_of_residuals_that_were_not_seen():
    told = Coordinates.of(semes() @ turned(), semes(), NAMES)
    others = semes(90)[60:]
    assert told.told(others @ turned()) == pytest.approx(others[:, :2])


def test_a_ridge_shrinks_and_least_squares_do_not():
    given = np.random.default_rng(3).normal(size=(50, 2))
    due = given @ np.array([[1.0], [2.0]]) + 5
    slopes, base = regressed(given, due)
    assert slopes.ravel() == pytest.approx([1, 2])
    assert base == pytest.approx([5])
    assert np.abs(regressed(given, due, ridge=1.0)[0]).sum() < 2


def test_all_of_a_variance_is_explained_or_none_of_it():
    due = np.array([[0.0, 1.0], [2.0, 1.0]])
    assert explained(due, due)[0] == 1
    assert explained(due, np.ones((2, 2)))[0] == 0
    assert np.isnan(explained(due, due)[1])
