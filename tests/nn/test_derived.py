"""What is kept of a network's numbers holds as long as they do, and nobody watches."""

from copy import deepcopy

import pytest
import torch
from torch import nn

from progtf.nn.derived import Derived
from progtf.nn.hooks import Unchanged, stamp, watched


class Counting(nn.Module):
    """Knows the sum of its weights, and how often that was found out."""

    def __init__(self) -> None:
        super().__init__()
        self.part = nn.Linear(2, 1, bias=False)
        self.known: Derived[float] = Derived()
        self.asked = 0

    def total(self) -> float:
        return self.known.of(self, self._total)

    def _total(self) -> float:
        self.asked += 1
        return float(self.part.weight.detach().sum())


@pytest.fixture
def network():
    return Counting()


def asked_by(unchanged, network):
    with unchanged.during(network):
        return network.total()


@pytest.mark.parametrize("sure", [True, False])
def test_a_fact_is_found_out_once_until_a_number_changes(network, sure):
    unchanged = Unchanged()
    ask = (lambda: asked_by(unchanged, network)) if sure else network.total
    assert ask() == ask()
    assert network.asked == 1
    with torch.no_grad():
        network.part.weight.fill_(3.0)
    assert (ask(), ask()) == (6.0, 6.0)
    assert network.asked == 2
    network.part.weight.data = torch.ones(1, 2)
    assert ask() == 2.0


def test_a_part_that_is_put_in_the_place_of_another_counts(network):
    unchanged = Unchanged()
    asked_by(unchanged, network)
    network.part = nn.Linear(2, 1, bias=False)
    assert asked_by(unchanged, network) == float(network.part.weight.detach().sum())
    assert network.asked == 2


def test_whoever_is_watched_finds_out_each_time(network):
    unchanged = Unchanged()
    hook = network.part.register_forward_hook(lambda *_: None)
    asked_by(unchanged, network)
    asked_by(unchanged, network)
    assert network.asked == 2
    with unchanged.during(network):
        assert watched(network)
        assert stamp(network) is None
    hook.remove()
    with unchanged.during(network):
        assert not watched(network)
        assert stamp(network) is not None


def test_another_network_within_an_answer_is_asked_for_itself(network):
    other = Counting()
    other.part.register_forward_hook(lambda *_: None)
    with Unchanged().during(network):
        assert watched(other)
        with Unchanged().during(other):
            assert watched(other)
        network.total()
        assert network.total() == network.known.of(network, lambda: -1.0)


def test_a_copy_knows_nothing_of_the_first(network):
    unchanged = Unchanged()
    asked_by(unchanged, network)
    copied, again = deepcopy((network, unchanged))
    with torch.no_grad():
        copied.part.weight.fill_(1.0)
    assert asked_by(again, copied) == 2.0
