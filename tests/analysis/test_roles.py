"""Clusters of vectors, and how well they agree with what is known of their positions."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="the extra `roles` is not installed")

from progtf.analysis.roles import Positions, agreement, best, by_character, clusters, shuffled

CHANCE = np.random.default_rng(3)
SEME = CHANCE.integers(0, 2, 400).astype(float)
AT = Positions(np.repeat(np.arange(40), 10), list("12345(/)+-" * 40), np.ones(400, dtype=bool))


def test_vectors_of_two_kinds_are_divided_as_they_were_made():
    vectors = np.outer(SEME, np.ones(8)) + CHANCE.normal(0, 0.1, (400, 8))
    found = agreement(clusters(vectors, 2), SEME.astype(int))
    assert found.ami > 0.99
    assert found.told > 0.99


def test_many_clusters_within_two_values_tell_all_and_have_a_small_ami():
    fine = SEME.astype(np.int64) * 10 + np.arange(400) % 10
    found = agreement(fine, SEME.astype(int))
    assert found.told == pytest.approx(1)
    assert found.ami == pytest.approx(0.37, abs=0.02)


def test_fewer_vectors_than_clusters_have_a_cluster_each():
    assert len(set(clusters(np.repeat(np.eye(3), 4, axis=0), 20).tolist())) == 3


def test_the_division_is_chosen_on_every_second_question_and_scored_on_the_others():
    even = AT.question % 2 == 0
    half = np.where(even, SEME, 0).astype(np.int64)  # right where it is chosen, nothing elsewhere
    (found,) = best({"half": half, "none": np.zeros(400, dtype=np.int64)}, {"seme": SEME}, AT)
    assert found.name == "half"
    assert found.chosen.ami == pytest.approx(1)
    assert found.held_out.ami == pytest.approx(0)


def test_only_counted_positions_count():
    at = AT._replace(counted=np.arange(400) % 10 < 5)
    labels = np.where(at.counted, SEME, 1 - SEME).astype(np.int64)
    (found,) = best({"head": labels}, {"seme": SEME}, at)
    assert found.held_out.ami == pytest.approx(1)


def test_semes_that_do_not_vary_or_are_measures_are_left_out():
    labels = SEME.astype(np.int64)
    assert best({"head": labels}, {"same": np.ones(400), "size": np.arange(400.0)}, AT) == []


def test_shuffled_labels_stay_in_their_question():
    labels = np.arange(400)
    mixed = shuffled(labels, AT)
    assert (mixed // 10 == AT.question).all()
    assert (mixed != labels).any()


def test_every_character_is_a_cluster():
    assert len(set(by_character(AT).tolist())) == 10
