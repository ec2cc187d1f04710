"""What is kept of a network's numbers holds as long as they do, and nobody watches."""

from copy import deepcopy

import pytest
import torch
from torch import nn

from progtf.nn.bits import Bits
from progtf.nn.derived import Derived
from progtf.nn.hooks import State, answering, state_of, watched


class Counting(nn.Module):
    """Knows the sum of its weights, and how often that was found out."""

    def __init__(self, *, small: bool = False) -> None:
        super().__init__()
        self.part = nn.Linear(2, 1, bias=False)
        self.known: Derived[float] = Derived(small=small)
        self.asked = 0

    def total(self) -> float:
        return self.known.of(self, self._total)

    def _total(self) -> float:
        self.asked += 1
        return float(self.part.weight.detach().sum())


def test_in_one_state_a_fact_is_found_out_once():
    network = Counting()
    for state in (State.of(network), State.of(network)):
        network.asked = 0
        for _ in range(2):
            with answering(state):
                assert network.total() == network.total()
        assert network.asked == 1


def test_where_no_state_is_known_nothing_is_kept():
    network = Counting()
    assert network.total() == network.total()
    assert network.asked == 2
    with answering(None):
        network.total()
    assert network.asked == 3


CHANGES = {
    "in place": lambda weight: weight.fill_(3.0),
    "by data": lambda weight: weight.data.fill_(3.0),
    "by numpy": lambda weight: weight.detach().numpy().fill(3.0),
    "other data": lambda weight: setattr(weight, "data", torch.full((1, 2), 3.0)),
    "a view": lambda weight: weight.view(-1).data.fill_(3.0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@torch.no_grad()
def test_a_fact_of_few_numbers_is_that_of_the_numbers_there_are(change):
    network = Counting(small=True)
    network.total()
    assert network.total() == network.total()
    assert network.asked == 1
    before = network.part.weight.clone()
    change(network.part.weight)
    assert (network.total(), network.total()) == (6.0, 6.0)
    assert network.asked == 2
    network.part.weight.data = before
    assert network.total() == float(before.sum())


def test_whoever_is_watched_finds_out_each_time():
    network = Counting(small=True)
    hook = network.part.register_forward_hook(lambda *_: None)
    network.total()
    network.total()
    assert network.asked == 2
    assert watched(network)
    hook.remove()
    assert not watched(network)


def test_a_part_of_another_network_is_in_no_state():
    network, other = Counting(), Counting()
    other.part.register_forward_hook(lambda *_: None)
    with answering(State.of(network)):
        assert state_of(network.part) is not None
        assert state_of(other) is None
        assert watched(other)
        with answering(None):
            assert state_of(network) is None
        assert state_of(network) is not None


def test_a_copy_knows_nothing_of_the_first():
    network = Counting(small=True)
    network.total()
    copied = deepcopy(network)
    with torch.no_grad():
        copied.part.weight.fill_(1.0)
    assert copied.total() == 2.0


NUMBERS = [torch.tensor([0.0, 1.0, torch.nan]), torch.zeros(2000), torch.tensor(True)]
LAST = torch.zeros(2000).index_fill(0, torch.tensor([1999]), 1e-45)
OTHERS = {
    "a sign": [torch.tensor([-0.0, 1.0, torch.nan]), *NUMBERS[1:]],
    "one of many": [NUMBERS[0], LAST, NUMBERS[2]],
    "a format": [NUMBERS[0], torch.zeros(2000, dtype=torch.int32), NUMBERS[2]],
    "a shape": [NUMBERS[0], torch.zeros(2, 1000), NUMBERS[2]],
    "a truth": [*NUMBERS[:2], torch.tensor(False)],
    "fewer": NUMBERS[:2],
}


@pytest.mark.parametrize("others", OTHERS.values(), ids=OTHERS)
def test_bits_are_told_from_all_others(others):
    bits = Bits.copied(NUMBERS)
    for _ in range(2):
        assert bits.same(NUMBERS)
        assert bits.same([each.clone() for each in NUMBERS])
        assert not bits.same(others)


def test_the_same_memory_seen_otherwise_is_not_the_same():
    weight = torch.arange(9.0).view(3, 3)
    bits = Bits.copied([weight])
    assert bits.same([weight])
    weight.t_()
    assert not bits.same([weight])
    weight.t_()
    assert bits.same([weight])
