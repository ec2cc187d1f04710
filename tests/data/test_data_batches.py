from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from progtf.data import (
    LOWERED,
    PAPER,
    Batching,
    Cursor,
    DataError,
    Mixture,
    ModuleFile,
    Problem,
    Shard,
    build_cache,
    open_cache,
    open_layout,
    stream_batches,
)
from progtf.data.batch import LONGEST
from progtf.data.text import text_of
from progtf.data.tokens import PAD

SMALL = Batching(tokens=1500, problems=40)


def problems_in(batches, vocabulary=PAPER):
    return Counter(
        Problem(vocabulary.decode(question), vocabulary.decode(answer))
        for batch in batches
        for question, answer in zip(batch.question, batch.answer, strict=True)
    )


def key(batch):
    return batch.question.tolist(), batch.answer.tolist(), batch.source.tolist(), batch.after


def problems_of(layout):
    return Counter(problem for file in open_layout(layout) for problem in file.problems())


def stream(cache, *, seed=0, size=300, batching=SMALL, **options):
    return stream_batches(Mixture(cache, seed, pool_size=size), batching, **options)


@settings(deadline=None, max_examples=15)
@given(
    seed=st.integers(0, 1000),
    size=st.integers(100, 2000),
    tokens=st.integers(2 * LONGEST, 5000),
    most=st.integers(2, 100),
    ranks=st.integers(1, 4),
    workers=st.integers(1, 3),
)
def test_an_epoch_has_every_problem_once(
    math, math_cache, seed, size, tokens, most, ranks, workers
):
    mixture = Mixture(math_cache, seed, pool_size=size)
    shards = [
        [
            list(stream_batches(mixture, Batching(tokens, most), shard=shard, epochs=1))
            for shard in (Shard(rank, ranks, worker, workers) for worker in range(workers))
        ]
        for rank in range(ranks)
    ]
    batches = [batch for rank in shards for worker in rank for batch in worker]
    assert problems_in(batches) == problems_of(math)
    assert len({sum(map(len, rank)) for rank in shards}) == 1
    for batch in batches:
        assert batch.question.size + batch.answer.size <= tokens
        assert len(batch.question) == len(batch.answer) == len(batch.source) <= most


def test_every_epoch_has_every_problem_in_another_order(math, math_cache):
    epochs: dict = {0: [], 1: [], 2: []}
    for batch in stream(math_cache, epochs=3):
        epochs[batch.after.epoch].append(batch)
    assert all(problems_in(batches) == problems_of(math) for batches in epochs.values())
    orders = [[batch.question.tolist() for batch in batches] for batches in epochs.values()]
    assert orders[0] != orders[1] != orders[2] != orders[0]


def test_a_line_is_start_text_end_padding(math_cache):
    for batch in stream(math_cache, epochs=1):
        for line in (*batch.question.tolist(), *batch.answer.tolist()):
            end = line.index(3)
            assert line[0] == 2
            assert min(line[1:end]) >= 4
            assert set(line[end + 1 :]) <= {PAD}


def test_batches_say_where_their_problems_are_from(math, math_cache):
    for batch in stream(math_cache, epochs=1):
        for question, source in zip(batch.question, batch.source, strict=True):
            split, module, *_ = math_cache.sources[source]
            text = (math / split / f"{module}.txt").read_text()
            assert f"{PAPER.decode(question)}\n" in text


def test_the_lowered_vocabulary_gives_the_same_problems_in_lower_case(math, math_cache):
    batches = list(stream(math_cache, batching=Batching(1500, 40, LOWERED), epochs=1))
    lowered = Counter(Problem(q.lower(), a.lower()) for q, a in problems_of(math).elements())
    assert problems_in(batches, LOWERED) == lowered
    assert max(batch.question.max() for batch in batches) < 58


@settings(deadline=None, max_examples=10)
@given(data=st.data(), rank=st.integers(0, 1))
def test_a_stream_goes_on_after_any_batch_as_if_never_stopped(math_cache, data, rank):
    shard = Shard(rank, 2)
    whole = [key(batch) for batch in stream(math_cache, shard=shard, epochs=3)]
    cut = data.draw(st.integers(0, len(whole) - 1))
    rest = stream(math_cache, start=whole[cut][-1], shard=shard, epochs=3)
    assert [key(batch) for batch in rest] == whole[cut + 1 :]


@pytest.mark.parametrize("start", [Cursor(), Cursor(1, 1, 3)])
def test_the_number_of_loader_processes_changes_nothing(math_cache, start):
    alone = [key(batch) for batch in stream(math_cache, start=start, epochs=2)]
    three = [
        [key(b) for b in stream(math_cache, start=start, epochs=2, shard=Shard(0, 1, worker, 3))]
        for worker in range(3)
    ]
    in_turns = [three[number % 3][number // 3] for number in range(len(alone))]
    assert in_turns == alone


def test_seeds_differ(math_cache):
    first, other = (next(stream(math_cache, seed=seed)) for seed in (0, 1))
    assert key(first) != key(other)
    assert key(next(stream(math_cache, seed=1))) == key(other)


def test_more_ranks_than_problems_is_an_error(math_cache):
    one = math_cache.of(["numbers__gcd"])
    with pytest.raises(ValueError, match="15 problems, one a batch, cannot be dealt to 16 ranks"):
        next(stream(one, shard=Shard(0, 16)))


@pytest.fixture(scope="module")
def uneven(tmp_path_factory):
    """Two modules of unlike size, in several blocks."""
    path = tmp_path_factory.mktemp("uneven") / "x.cache"

    def file(module, count):
        text = text_of([Problem(f"{module} {n}?".replace("_", " "), str(n)) for n in range(count)])
        return ModuleFile("train-easy", module, module, lambda: iter([text]))

    build_cache(path, [file("numbers__gcd", 5000), file("measurement__time", 900)])
    return open_cache(path)


def test_weights_say_how_often_an_epoch_reads_a_module(uneven):
    mixture = Mixture(uneven, 1, {"numbers": 0.5, "measurement": 3}, pool_size=1000)
    counted = [Counter(), Counter()]
    for batch in stream_batches(mixture, SMALL, epochs=2):
        counted[batch.after.epoch] += problems_in([batch])
    for epoch in counted:
        often = Counter(problem.question.split()[0] for problem in epoch.elements())
        assert often["measurement"] == 2700
        assert abs(often["numbers"] - 2500) <= 256
    both = counted[0] + counted[1]
    assert {count for problem, count in both.items() if "numbers" in problem.question} == {1}
    assert {count for problem, count in both.items() if "measurement" in problem.question} == {6}


def test_every_pool_is_a_picture_of_the_whole(uneven):
    mixture = Mixture(uneven, 1, pool_size=1180)
    shares = [
        np.bincount(mixture.pool(0, index).source, minlength=2) for index in range(mixture.pools)
    ]
    assert mixture.pools == 5
    assert np.abs(np.array(shares)[:, 1] - 1000).max() <= 256
    assert np.sum(shares, axis=0).tolist() == [900, 5000]


def test_wrong_weights_are_errors(uneven):
    with pytest.raises(DataError, match="no module is called `numbers__lcm`"):
        Mixture(uneven, weights={"numbers__lcm": 1})
    with pytest.raises(ValueError, match="weights must be 0 or more"):
        Mixture(uneven, weights={"numbers": -1})
    with pytest.raises(ValueError, match="weights must be 0 or more"):
        Mixture(uneven, weights={"numbers": float("nan")})
    with pytest.raises(ValueError, match="all weights are zero"):
        Mixture(uneven, weights={"*": 0})
    with pytest.raises(ValueError, match="pool_size must be 1 or more, not 0"):
        Mixture(uneven, pool_size=0)


@pytest.mark.parametrize("wrong", [{"tokens": LONGEST - 1}, {"problems": 0}])
def test_wrong_sizes_are_errors(wrong):
    with pytest.raises(ValueError, match="must be"):
        Batching(**wrong)


@pytest.fixture(scope="module")
def unlike(tmp_path_factory):
    """Three modules of unlike lengths and sizes."""
    path = tmp_path_factory.mktemp("unlike") / "x.cache"

    def file(module, count, longest):
        problems = [Problem("1" * (longest - n % 5), str(n)) for n in range(count)]
        return ModuleFile("train-easy", module, module, lambda: iter([text_of(problems)]))

    files = [
        file("numbers__gcd", 9000, 20),
        file("numbers__is_prime", 4500, 60),
        file("measurement__time", 1500, 150),
    ]
    build_cache(path, files)
    return open_cache(path)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("rank", "ranks"), [(0, 1), (1, 2)])
def test_the_modules_of_a_batch_are_distributed_as_those_of_the_whole(unlike, seed, rank, ranks):
    mixture, batching = Mixture(unlike, seed), Batching(tokens=10**6, problems=64)
    batches = stream_batches(mixture, batching, shard=Shard(rank, ranks))
    full = (batch.source for batch in batches if len(batch.source) == 64)
    found = np.array([np.bincount(source, minlength=3) for source in islice(full, 200)])
    due = 64 * np.array([source.problems for source in unlike.sources]) / len(unlike)
    squares = float(((found - due) ** 2 / due).sum())
    # Chi-square with 400 degrees of freedom, 200 batches of three modules: 400 and sqrt(800).
    assert abs(squares - 400) < 5 * 800**0.5
