from itertools import islice

import pytest

from progtf.data import (
    FAST_MODULES,
    MODULES,
    PAPER,
    Cursor,
    DataError,
    Live,
    Order,
    Shard,
    digest,
    generate,
    live,
    make,
    open_layout,
    stream_live,
)

LIVE = Live(("numbers__gcd", "arithmetic__mul"), problems=4, seed=3)


def key(batch):
    return batch.question.tolist(), batch.answer.tolist(), batch.source.tolist(), batch.after


def some(count=40, **options):
    return [key(batch) for batch in islice(stream_live(LIVE, **options), count)]


def questions(batches):
    return [PAPER.decode(q) for batch in batches for q in batch.question]


def test_batches_hold_what_the_generator_draws():
    drawn = {p for chunk in range(2) for p in generate("train-hard", "numbers__gcd", 3, chunk)}
    batches = list(islice(stream_live(LIVE), live.BATCHES))
    read = {
        (PAPER.decode(q), PAPER.decode(a))
        for batch in batches
        for q, a, source in zip(batch.question, batch.answer, batch.source, strict=True)
        if source == LIVE.chosen.index("numbers__gcd")
    }
    assert read == drawn
    assert all(len(batch.question) == 4 for batch in batches)


def test_modules_come_in_equal_parts():
    sources = [s for batch in islice(stream_live(LIVE), live.BATCHES) for s in batch.source]
    assert sources.count(0) == sources.count(1) == live.BATCHES * 2


@pytest.mark.parametrize("begun", [1, 31, 32, 33])
@pytest.mark.parametrize("shard", [Shard(), Shard(1, 2, 1, 2)])
def test_a_stream_goes_on_as_if_never_stopped(begun, shard):
    whole = some(40, shard=shard)
    # With two loader processes each has every other batch, in turns.
    start = whole[begun - 1][-1]._replace(batch=begun * shard.workers)
    assert some(40 - begun, start=start, shard=shard) == whole[begun:]


def test_ranks_and_loader_processes_draw_different_questions():
    seen = [
        question
        for rank in range(2)
        for worker in range(2)
        for question in questions(islice(stream_live(LIVE, shard=Shard(rank, 2, worker, 2)), 16))
    ]
    assert len(set(seen)) > 0.99 * len(seen)


def test_excluded_questions_are_not_drawn(tmp_path):
    order = Order(tmp_path, ("train-hard",), ("numbers__gcd",), count=64, seed=3)
    make(order, cores=1)
    excluded = {p.question for file in open_layout(tmp_path) for p in file.problems()}
    plain = Live(("numbers__gcd",), problems=8, seed=3)
    without = Live(("numbers__gcd",), problems=8, seed=3, exclude=(tmp_path,))
    assert len(excluded & set(questions(islice(stream_live(plain), live.BATCHES)))) == 64
    assert not excluded & set(questions(islice(stream_live(without), live.BATCHES)))


def test_a_stream_has_no_end_and_says_where_it_is():
    assert [batch[-1] for batch in some(20)] == [Cursor(batch=n) for n in range(1, 21)]


def test_the_fast_modules_are_modules():
    assert set(FAST_MODULES) < set(MODULES)
    assert Live().chosen == FAST_MODULES


def test_an_unknown_module_is_an_error():
    with pytest.raises(DataError, match="no module is called `numbers__gdc`"):
        next(stream_live(Live(("numbers__gdc",))))


def test_a_digest_is_the_same_in_every_process():
    assert digest.digest("What?") == 10117900146546756632
