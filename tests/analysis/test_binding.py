"""What a head keeps of a state, and what a Hadamard product keeps of a whole one."""

import numpy as np
import pytest

from progtf.analysis.binding import compressed, explained_together, kept, shares

POSITIONS = 400


@pytest.fixture
def chance():
    return np.random.default_rng(3)


def whole(filler, role, out):
    return np.einsum("pv,pr->pvr", filler, role).reshape(len(filler), -1) @ out


def told(filler, role, out, rounds, count=4):
    pairs = compressed(filler, role, out, count, rounds)
    return explained_together(whole(filler, role, out), pairs.update(filler, role))


def test_a_value_that_holds_a_state_tells_all_of_it_and_one_that_holds_half_tells_half(chance):
    states = chance.normal(size=(POSITIONS, 6))
    fitted = np.arange(POSITIONS) % 2 == 0
    turned = states @ chance.normal(size=(6, 6)) + 5
    assert kept(turned, states, fitted).explained == pytest.approx(1, abs=1e-4)
    half = kept(states[:, :3], states, fitted)
    assert half.explained == pytest.approx(0.5, abs=0.05)
    assert half.error == pytest.approx(0.5, abs=0.1)


def test_what_does_not_vary_is_not_counted(chance):
    states = np.concatenate([chance.normal(size=(POSITIONS, 2)), np.ones((POSITIONS, 1))], axis=1)
    fitted = np.arange(POSITIONS) < POSITIONS // 2
    assert kept(states, states, fitted).explained == pytest.approx(1, abs=1e-4)


def paired_off(chance):
    """Fillers and roles whose products vary along e1 ⊗ e1, e2 ⊗ e2 and so on alone, turned."""
    choice = chance.integers(4, size=POSITIONS)
    sizes = chance.normal(size=(POSITIONS, 1)) * (1 + choice[:, None])
    turns = [np.linalg.qr(chance.normal(size=(4, 4)))[0] for _ in range(2)]
    return sizes * np.eye(4)[choice] @ turns[0], np.eye(4)[choice] @ turns[1]


def test_where_principal_directions_pair_off_hadamard_is_the_best_compression(chance):
    filler, role = paired_off(chance)
    found = shares(filler, role, 4)
    assert found.free == pytest.approx(1)
    assert found.products == pytest.approx(1)
    assert told(filler, role, chance.normal(size=(16, 5)), rounds=0) == pytest.approx(1)


def test_where_they_do_not_pair_off_it_keeps_less(chance):
    filler, role = (chance.normal(size=(POSITIONS, 4)) for _ in range(2))
    found = shares(filler, role, 4)
    assert found.paired < found.free - 0.05
    assert max(found.products, found.unpaired, found.paired) <= found.free < 0.5


def test_more_rounds_of_fitting_never_raise_the_error(chance):
    filler, role = (chance.normal(size=(POSITIONS, 4)) for _ in range(2))
    out = chance.normal(size=(16, 5))
    scores = [told(filler, role, out, rounds) for rounds in (0, 1, 2, 5, 20)]
    assert scores == sorted(scores)
    assert scores[-1] > scores[0] + 0.05


def test_a_head_that_reads_a_few_products_alone_loses_nothing(chance):
    filler, role = (chance.normal(size=(POSITIONS, 4)) + 1 for _ in range(2))
    m, n, o = (chance.normal(size=(2, size)) for size in (4, 4, 5))
    out = np.einsum("cv,cr,co->vro", m, n, o).reshape(16, 5)
    assert told(filler, role, out, rounds=0) < 0.9
    assert told(filler, role, out, rounds=200) == pytest.approx(1, abs=1e-3)


def test_a_head_that_always_writes_the_same_writes_it_still(chance):
    filler, role = np.ones((POSITIONS, 3)), np.ones((POSITIONS, 2))
    out = chance.normal(size=(6, 5))
    pairs = compressed(filler, role, out, 3, 5)
    assert pairs.update(filler, role) == pytest.approx(whole(filler, role, out), abs=1e-9)
