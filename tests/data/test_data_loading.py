from itertools import islice

import pytest
import torch
from torch.utils.data import DataLoader

from progtf.data import Batching, Cursor, Live
from progtf.data.loading import CachedBatches, LiveBatches, in_order_of_length
from progtf.data.tokens import PAD

SMALL = Batching(tokens=4000, problems=64)


def same(left, right):
    return len(left) == len(right) and all(
        torch.equal(a.question, b.question)
        and torch.equal(a.answer, b.answer)
        and torch.equal(a.source, b.source)
        and a.after == b.after
        for a, b in zip(left, right, strict=True)
    )


@pytest.mark.parametrize("start", [Cursor(), Cursor(0, 1, 4)])
def test_loader_processes_give_what_one_process_gives(math_cache, start):
    batches = CachedBatches(math_cache.path, pool_size=400, batching=SMALL, start=start, epochs=1)
    alone = list(batches)
    assert same(list(DataLoader(batches, batch_size=None, num_workers=2)), alone)
    assert alone[0].question.dtype == torch.int64
    if start == Cursor():
        assert sum(len(batch.source) for batch in alone) == 71 * 15


def rows_of(batches):
    """Questions and answers without their padding, and their sources."""
    return sorted(
        (question[question != PAD].tolist(), answer[answer != PAD].tolist(), int(source))
        for batch in batches
        for question, answer, source in zip(*batch[:3], strict=True)
    )


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_the_parts_of_a_step_in_order_of_length_have_the_same_questions_and_less_padding(
    math_cache, parts
):
    drawn = list(islice(CachedBatches(math_cache.path, batching=SMALL), parts))
    found = in_order_of_length(drawn)
    assert rows_of(found) == rows_of(drawn)
    assert len(found) == parts
    assert found[-1].after == drawn[-1].after
    longest = [int((batch.question != PAD).sum(dim=1).max()) for batch in found]
    assert longest == sorted(longest)
    assert [batch.question.shape[1] for batch in found] == longest
    padded = [sum(int((batch.question == PAD).sum()) for batch in some) for some in (found, drawn)]
    assert padded[0] < padded[1] or parts == 1


def test_modules_and_ranks_can_be_chosen(math_cache):
    ranks = [
        list(
            CachedBatches(math_cache.path, ("numbers",), batching=SMALL, epochs=1, rank=r, ranks=2)
        )
        for r in range(2)
    ]
    assert len(ranks[0]) == len(ranks[1])
    sizes = [len(batch.source) for rank in ranks for batch in rank]
    assert sum(sizes) == 15 * len(math_cache.of(["numbers"]).sources)


def test_live_batches_resume_with_the_same_loader_processes():
    live = Live(("numbers__gcd",), problems=4)

    def load(start, count):
        loader = DataLoader(LiveBatches(live, start), batch_size=None, num_workers=2)
        return list(islice(loader, count))

    whole = load(Cursor(), 12)
    assert same(load(whole[4].after, 7), whole[5:])
