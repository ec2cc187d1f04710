"""Clusters in words."""

import numpy as np
import pytest

from progtf.analysis.conjunctions import said


def semes(count=400):
    draw = np.random.default_rng(1)
    return {
        "up": draw.integers(0, 2, count).astype(float),
        "turned": draw.integers(0, 2, count).astype(float),
        "level": draw.integers(0, 4, count).astype(float),
        "still": np.zeros(count),
        "many": np.arange(count, dtype=float),
    }


def halves(count=400):
    even = np.arange(count) % 2 == 0
    return even, ~even


def words(labels):
    return {each.cluster: each for each in said(labels.astype(np.int64), semes(), *halves())}


def test_one_seme_is_enough_where_it_says_all():
    found = words(semes()["up"])
    assert {number: each.words for number, each in found.items()} == {1: "up", 0: "!up"}
    assert all(each.held_out == each.chosen == 1 for each in found.values())


def test_two_semes_are_named_where_one_says_less():
    known = semes()
    found = words((known["level"] == 2) & (known["turned"] == 0))
    assert {*found[1].words.split(" & ")} == {"level = 2", "!turned"}
    assert found[1].held_out == 1


def test_chance_is_not_held_out():
    labels = np.random.default_rng(2).integers(0, 10, 400)
    found = words(labels)
    assert np.mean([each.held_out for each in found.values()]) < 0.3
    assert sum(each.share for each in found.values()) == pytest.approx(100)
    assert not any("still" in each.words or "many" in each.words for each in found.values())
