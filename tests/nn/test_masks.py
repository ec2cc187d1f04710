"""Masks that heads share are those of each by itself, and leave nothing behind."""

import gc
import weakref

import pytest
import torch
from torch._subclasses import FakeTensorMode

from progtf.nn import masks as kept
from progtf.nn.masks import LAST_RESORT, masks
from progtf.nn.written import WrittenSoftmax, WrittenSoftmaxOverReaders


@pytest.fixture(autouse=True)
def nothing_kept():
    kept._shared.cache_clear()


def heads(null: float = 0.5) -> WrittenSoftmax:
    return WrittenSoftmax(3, [5.0, 5.0], ["before", "before"], [null, null])


def read(pattern, length: int = 8):
    return pattern(*(torch.randn(2, 2, length, 3, dtype=torch.float64) for _ in range(3)))


def test_heads_that_look_alike_share_one_mask_and_others_do_not():
    rest = torch.tensor([4.0, 4.0])
    one, same = (masks(("before", "before"), rest).of(5, 5) for _ in range(2))
    assert one is same
    assert one.shape[0] == 1
    others = [
        masks(("before", "upto"), rest).of(5, 5),
        masks(("before", "before"), torch.tensor([4.0, 3.0])).of(5, 5),
        masks(("before", "before"), rest.double()).of(5, 5),
        masks(("before", "before"), rest).of(4, 5),
        masks(("before", "before"), rest).of(5, 5, turned=True),
    ]
    assert all(other is not one for other in others)
    assert one[0, 2, :6].tolist() == [0.0, 0.0, -torch.inf, -torch.inf, -torch.inf, 4.0]
    assert others[1][:, 2, 5].tolist() == [4.0, 3.0]


def test_gradients_of_one_network_are_not_those_of_another():
    read(heads())
    mine = heads()
    mine.null_score.requires_grad_()
    read(mine).pow(2).sum().backward()
    assert mine.null_score.grad is not None
    assert mine.null_score.grad.abs().sum() > 0
    assert not read(heads()).requires_grad


def test_what_has_no_numbers_leaves_no_mask_behind():
    ready = heads()
    read(ready)
    with FakeTensorMode(allow_non_fake_inputs=True):
        read(ready, 6)
    given = [torch.randn(2, 2, 6, 3, dtype=torch.float64) for _ in range(3)]
    filled = heads()(*given)
    kept._shared.cache_clear()
    assert torch.equal(filled, heads()(*given))


def test_shapes_alone_go_through():
    pattern = WrittenSoftmaxOverReaders([5.0], ["all"]).to("meta")
    assert pattern(*(torch.empty(2, 1, 6, 3, device="meta") for _ in range(3))).shape == (
        2,
        1,
        6,
        3,
    )


def test_a_large_mask_goes_with_its_heads(monkeypatch):
    monkeypatch.setattr(kept, "LARGE", 100)
    own = masks(("before",), torch.tensor([LAST_RESORT]))
    mask = weakref.ref(own.of(16, 16))
    assert own.of(16, 16) is mask()
    del own
    gc.collect()
    assert mask() is None


def test_of_more_masks_than_are_kept_each_group_has_its_last():
    groups = [masks(("before",), torch.tensor([float(n)])) for n in range(kept.MOST + 9)]
    first = [group.of(16, 16) for group in groups]
    again = [group.of(16, 16) for group in groups]
    assert all(one is other for one, other in zip(first, again, strict=True))
    assert kept._shared.cache_info().currsize == kept.MOST


def test_what_was_seen_as_a_shape_is_numbers_again_for_the_same_heads():
    own = masks(("before",), torch.tensor([LAST_RESORT]))
    with FakeTensorMode(allow_non_fake_inputs=True):
        own.of(5, 5)
    assert (
        own.of(5, 5).tolist() == masks(("before",), torch.tensor([LAST_RESORT])).of(5, 5).tolist()
    )


def test_a_mask_of_inference_mode_is_not_that_of_gradients():
    rest = torch.tensor([LAST_RESORT])
    with torch.inference_mode():
        made = masks(("before",), rest.clone()).of(5, 5)
    assert made.is_inference()
    assert not masks(("before",), rest).of(5, 5).is_inference()
