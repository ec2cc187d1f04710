"""Path patching against the edges that are written."""

import progtf
from benchmarks.circuits import Wired, auc
from tests.weights.test_circuit import CHAIN


def wired():
    model = progtf.compile(progtf.parse_program(CHAIN), "float64")
    return Wired(model, progtf.circuit(model), ["x x x", "x"])


def test_direct_effects_are_those_of_edges_and_of_no_other_pair():
    effects = wired().effects("encoder.one.head up", zeroed=True)
    assert effects["encoder.one.rules"] == 1.0
    assert effects["encoder.two.rules"] == 0.0  # which reads only what the rules write
    assert effects["encoder.one.head up"] == 0.0


def test_what_one_writer_hands_on_does_not_count_as_its_own():
    effects = wired().effects("encoder.one.rules", zeroed=True)
    assert [name for name, effect in effects.items() if effect] == ["encoder.two.rules"]


def test_the_area_counts_ties_half():
    assert auc([1.0, 0.0], [True, False]) == 1.0
    assert auc([0.0, 1.0], [True, False]) == 0.0
    assert auc([0.0, 0.0], [True, False]) == 0.5
