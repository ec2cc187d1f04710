"""Values computed once for every object."""

import gc

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
