"""Linear probes, their controls, and what is ambiguous."""

import numpy as np
import pytest

from progtf.analysis.probes import Probe, ambiguous, discreteness, drawn, principal, probed, usual


def test_a_probe_reads_what_is_linear_on_other_words_and_no_more():
    chance = np.random.default_rng(1)
    vectors = chance.normal(size=(600, 5)).astype(np.float32) * [1, 100, 1, 1, 1]
    tags = np.where(vectors[:, 0] > 0, "x", "y").tolist()
    assert Probe(vectors[:400], tags[:400]).right(vectors[400:], tags[400:]).mean() > 0.95
    noise = chance.permutation(tags).tolist()
    assert Probe(vectors[:400], noise[:400]).right(vectors[400:], noise[400:]).mean() < 0.65


def test_principal_directions_are_those_of_most_variance():
    rows = np.random.default_rng(1).normal(size=(500, 4)).astype(np.float32)
    rows[:, 2] *= 10
    mean, directions = principal(rows + 3, 2)
    assert mean == pytest.approx(rows.mean(axis=0) + 3, abs=1e-4)
    assert np.abs(directions[:, 0]).argmax() == 2
    assert directions.shape == (4, 2)


def test_words_tags_and_controls():
    words = ["run"] * 10 + ["dog"] * 20 + ["odd"] * 4
    tags = ["NOUN"] * 4 + ["VERB"] * 6 + ["NOUN"] * 19 + ["VERB"] + ["NOUN", "VERB"] * 2
    each, most = usual(words, tags)
    assert (each["run"], each["dog"], most) == ("VERB", "NOUN", "NOUN")
    assert ambiguous(words, tags) == {"run"}  # `dog` too seldom otherwise, `odd` too seldom
    control = drawn(words, tags)
    assert len(set(zip(words, control, strict=True))) == 3
    assert {tuple(drawn(words, tags, seed)) for seed in range(20)} != {tuple(control)}


def test_discreteness_is_that_of_one_hots():
    attention = np.array([[1, 0, 0], [0.5, 0.5, 0.0]])
    assert discreteness(attention) == pytest.approx((0.75, 0.5))


def test_a_probe_reads_semes_and_what_is_drawn_for_tokens_only_where_tokens_are_read():
    chance = np.random.default_rng(1)
    kinds = chance.choice([*"abcdefgh"], 600)
    semes = np.column_stack([chance.integers(0, 3, 600), np.ones(600)]).astype(float)
    token = (kinds[:, None] == np.unique(kinds)).astype(float)
    fitted = np.arange(600) < 300
    for rows, control in ((semes, 0.0), (np.column_stack([semes, token]), 1.0)):
        (told,) = probed(rows, semes, ["seme", "still"], kinds.tolist(), fitted)
        assert told.seme == "seme"
        assert told.explained > 0.999
        assert told.control == pytest.approx(control, abs=0.1)
