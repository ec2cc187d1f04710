"""Values computed once for every object."""

import gc
from threading import Barrier, Thread
from weakref import ref

from progtf.once import once


class Thing:
    """Something that can be told from its likes."""

    def __eq__(self, other):
        return isinstance(other, Thing)

    __hash__ = None


def test_it_is_computed_once_for_every_object_and_again_for_another():
    calls = []

    @once
    def number(thing):
        calls.append(thing)
        return len(calls)

    first, second = Thing(), Thing()
    assert first == second
    assert [number(first), number(second), number(first)] == [1, 2, 1]


def test_what_is_gone_is_forgotten():
    kept = []

    @once
    def something(thing):
        kept.append(id(thing))
        return Thing()

    for _ in range(50):
        something(Thing())
    gc.collect()
    one = Thing()
    assert something(one) is something(one)
    assert len(kept) == 51


def test_a_function_that_is_gone_keeps_nothing_of_objects_that_live():
    thing = Thing()
    something = once(lambda _: Thing())
    found = ref(something(thing))
    assert something(thing) is found()
    del something
    gc.collect()
    assert found() is None
    del thing  # and nothing is left to be called behind it
    gc.collect()


def test_threads_that_ask_at_once_are_all_told_and_nothing_stays_behind():
    calls, found, begun = [], [], Barrier(8)

    @once
    def number(thing):
        calls.append(thing.name)
        return thing.name

    def ask(thing):
        begun.wait()
        found.append(number(thing) == thing.name)

    for turn in range(20):
        thing = Thing()
        thing.name = turn
        threads = [Thread(target=ask, args=(thing,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        before = len(calls)
        assert number(thing) == turn
        assert len(calls) == before
        del thing, threads
        gc.collect()
    assert found == [True] * 160
