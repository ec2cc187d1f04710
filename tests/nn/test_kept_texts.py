"""What is kept of texts answers only for the numbers that computed it."""

from copy import deepcopy
from threading import Thread

import pytest
import torch
from torch import nn

from progtf.nn.kept_texts import KeptTexts

SOURCE = torch.tensor([[1, 2, 3], [4, 5, 0]])
REAL = SOURCE > 0


class Table(nn.Module):
    """The vectors of symbols, and how often it was asked for the texts of a batch."""

    def __init__(self):
        super().__init__()
        self.register_buffer("vectors", torch.arange(12.0).view(6, 2))
        self.kept, self.asked = KeptTexts(), []

    def compute(self, source, real):
        del real
        self.asked.append(len(source))
        return self.vectors[source]

    def forward(self, source=SOURCE):
        return self.kept.of(source, source > 0, self.compute, self)


@pytest.fixture
def table():
    return Table()


def due(table, source=SOURCE):
    return table.vectors[source] * (source > 0)[..., None]


def test_a_text_is_computed_once_whatever_stands_behind_it(table):
    assert table().equal(due(table))
    assert table(SOURCE[1:, :2]).equal(due(table, SOURCE[1:, :2]))
    assert table().equal(due(table))
    assert table.asked == [2]


CHANGES = {
    "in its place": lambda vectors: vectors.add_(1),
    "behind torch": lambda vectors: vectors.data.add_(1),
    "by an array": lambda vectors: vectors.numpy().__iadd__(1),
    "the sign of nothing": lambda vectors: vectors.data[0, 0].neg_(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_texts_are_computed_anew_as_soon_as_a_bit_is_another(table, change):
    table()
    change(table.vectors)
    assert table().equal(due(table))
    assert table().equal(due(table))
    assert table.asked == [2, 2]


def test_other_numbers_that_are_told_count_as_well(table):
    told = [torch.zeros(3)]
    for _ in range(2):
        table.kept.of(SOURCE, REAL, table.compute, table, told)
    told[0][1] = 1
    table.kept.of(SOURCE, REAL, table.compute, table, told)
    assert table.asked == [2, 2]


def test_nothing_is_kept_of_what_somebody_looks_at_and_may_change(table):
    before = table().clone()
    handle = table.register_forward_hook(lambda *_: None)
    plain = table.compute
    table.compute = lambda source, real: plain(source, real) + 1
    assert not table().equal(before)
    assert not table().equal(before)
    table.compute = plain
    handle.remove()
    assert table().equal(before)
    assert table.asked == [2, 2, 2]


def test_a_copy_knows_nothing_yet(table):
    table()
    again = deepcopy(table)
    assert not again.kept.rows
    again.vectors.add_(1)
    assert again().equal(due(again))
    assert table().equal(due(table))


def test_threads_that_change_their_numbers_never_get_those_of_others():
    kept, wrong = KeptTexts(), []

    def ask(number):
        table = Table()
        table.vectors += number
        for _ in range(50):
            if not kept.of(SOURCE, REAL, table.compute, table).equal(due(table)):
                wrong.append(number)

    threads = [Thread(target=ask, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
