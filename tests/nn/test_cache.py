"""Cached keys and values never change under those who hold them."""

import torch

from progtf.nn import KeysValues, select_rows


def positions(n):
    return KeysValues(torch.randn(2, 1, n, 3), torch.randn(2, 1, n, 2))


def together(*offered):
    return [torch.cat(parts, dim=-2) for parts in list(zip(*(o[:2] for o in offered), strict=True))]


def same(offered, expected):
    return all(map(torch.equal, offered[:2], expected))


@torch.no_grad()
def test_two_continuations_of_one_state_do_not_disturb_each_other():
    first, left, right = positions(2), positions(1), positions(1)
    held = first.then(positions(1))
    before = [part.clone() for part in held[:2]]
    one, other = held.then(left), held.then(right)
    assert same(held, before)
    assert same(one, together(KeysValues(*before), left))
    assert same(other, together(KeysValues(*before), right))


@torch.no_grad()
def test_chosen_rows_go_on_by_themselves():
    held = positions(2).then(positions(1))
    chosen = select_rows(held, torch.tensor([1]))
    later = positions(1)
    expected = together(KeysValues(*held[:2]), later)
    grown = chosen.then(KeysValues(later.key[1:], later.value[1:]))
    assert same(grown, [part[1:] for part in expected])
    assert same(held.then(later), expected)


@torch.no_grad()
def test_a_long_sequence_one_by_one_is_what_it_is_at_once():
    steps = [positions(1) for _ in range(50)]
    grown = steps[0]
    for step in steps[1:]:
        grown = grown.then(step)
    assert same(grown, together(*steps))


def test_gradients_reach_cached_positions():
    first, later = positions(2), positions(1)
    for part in (*first[:2], *later[:2]):
        part.requires_grad_()
    sum(part.sum() for part in first.then(later)[:2]).backward()
    assert all(torch.equal(p.grad, torch.ones_like(p)) for p in (*first[:2], *later[:2]))


@torch.no_grad()
def test_who_goes_back_takes_the_room_of_what_is_given_up():
    first, wrong, right = positions(2), positions(3), positions(1)
    held = first.then(positions(1))
    before = [part.clone() for part in held[:2]]
    back = held.then(wrong).back(3)
    assert same(back, before)
    assert same(back.then(right), together(KeysValues(*before), right))
