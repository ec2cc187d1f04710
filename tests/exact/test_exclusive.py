"""What never holds together, in groups."""

from hypothesis import given
from hypothesis import strategies as st

from progtf.exact.exclusive import contradict, exclusive

whole = st.integers(-5, 5)
windows = st.tuples(whole, st.integers(1, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))
others = st.sampled_from([{}, {("flag", "f", 1): 2}, {("flag", "f", 1): 1}])


def things(facts):
    """Things of which each tells a window of one sum, and perhaps something of a flag."""
    pairs = st.lists(st.tuples(windows, facts), max_size=12)
    return pairs.map(lambda many: [({("sum", "n"): window, **more},) for window, more in many])


@given(st.one_of(things(st.just({})), things(st.just({("flag", "f", 1): 2})), things(others)))
def test_of_a_group_one_at_most_holds(cases):
    groups = exclusive(cases)
    assert sorted(place for group in groups for place in group) == list(range(len(cases)))
    for group in groups:
        for one in group:
            assert all(contradict(cases[one], cases[other]) for other in group if other != one)


@given(things(st.just({})))
def test_windows_of_one_number_are_in_as_few_groups_as_meet_at_a_point(cases):
    ends = [case["sum", "n"] for (case,) in cases]
    meet = (sum(low <= point < high for low, high in ends) for point, _ in ends)
    assert len(exclusive(cases)) == max(meet, default=0)
