"""Heads by place: moved where every share is 1 to the last bit, otherwise a softmax."""

import pytest
import torch

from progtf.nn.embedding import clock
from progtf.nn.moves import WrittenByPlace
from progtf.nn.written import WrittenSoftmax

PERIODS = (8.0, 64.0)
PLACES, FILLERS = 11, 3


def given(distances, texts=4, sharpness=512.0, null=True, seed=1):
    """Patterns of both kinds; queries, keys, values and padding of some texts."""
    rng = torch.Generator().manual_seed(seed)
    hands = clock(PERIODS, 64, torch.float64)
    key = hands[20 : 20 + PLACES].expand(texts, len(distances), -1, -1)
    query = torch.stack([hands[20 + d : 20 + d + PLACES] for d in distances])[None]
    below = [len(PERIODS) - 0.2 if null else None] * len(distances)
    patterns = [
        kind(FILLERS, [sharpness] * len(distances), ["all"] * len(distances), below)
        for kind in (WrittenByPlace, WrittenSoftmax)
    ]
    for pattern in patterns:
        pattern.null_filler.copy_(torch.randn(FILLERS, generator=torch.Generator().manual_seed(2)))
    value = torch.randn(texts, len(distances), PLACES, FILLERS, generator=rng).double()
    lengths = torch.tensor([PLACES, 1, 2, 7][:texts])
    present = torch.arange(PLACES) < lengths[:, None]
    return patterns, query.expand(texts, -1, -1, -1), key, value, present


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("distances", [[-1], [1, 3, -4], [0], [-15, 15, 2]])
@torch.no_grad()
def test_what_is_moved_is_what_the_softmax_gives(distances, padded):
    (moved, computed), query, key, value, present = given(distances, sharpness=4096.0)
    assert moved._sources(moved.ready(query), query, key) is not None
    real = present if padded else None
    found, expected = moved(query, key, value, real), computed(query, key, value, real)
    read = present[:, None, :, None] if padded else torch.ones(1, dtype=torch.bool)
    assert torch.equal(found * read, expected * read)


@torch.no_grad()
def test_padding_between_real_places_is_seen_by_all_heads():
    (moved, computed), query, key, value, present = given([-2, 1, 0], sharpness=4096.0)
    present = torch.ones_like(present)
    present[:, 3:5] = False
    found, expected = (each(query, key, value, present) for each in (moved, computed))
    assert torch.equal(found, expected)


@pytest.mark.parametrize(("sharpness", "null"), [(8.0, True), (4096.0, False)])
@torch.no_grad()
def test_what_is_no_copy_is_computed(sharpness, null):
    (moved, computed), query, key, value, present = given([1, -2], sharpness=sharpness, null=null)
    assert moved._sources(moved.ready(query), query, key) is None
    assert torch.equal(moved(query, key, value, present), computed(query, key, value, present))


@torch.no_grad()
def test_a_text_whose_queries_are_changed_is_seen():
    (moved, computed), query, key, value, _ = given([1, -2], sharpness=4096.0)
    query = query.clone()
    query[2, 0, 3] = query[2, 0, 9]
    assert torch.equal(moved(query, key, value), computed(query, key, value))


@torch.no_grad()
def test_queries_that_are_rounded_otherwise_are_moved_too():
    (moved, computed), query, key, value, _ = given([1, -2], sharpness=4096.0)
    rng = torch.Generator().manual_seed(3)
    off = 1e-14 * (torch.rand(query.shape, generator=rng).double() - 0.5)
    query = query + off
    assert not torch.equal(query[0], query[1])
    assert moved._sources(moved.ready(query), query, key) is not None
    assert torch.equal(moved(query, key, value), computed(query, key, value))
    assert moved._sources(moved.ready(query), query + 1e4 * off, key) is None


@torch.no_grad()
def test_where_rounding_could_change_a_share_nothing_is_moved():
    (moved, computed), query, key, value, _ = given([1, -2], sharpness=4096.0)
    far = 1e9 * torch.ones_like(query[..., :1])
    query = torch.cat([query, far, -far], dim=-1)  # what both add to a score is 0, up to rounding
    key = torch.cat([key, far, far], dim=-1)
    assert moved._sources(moved.ready(query), query, key) is None
    assert torch.equal(moved(query, key, value), computed(query, key, value))
