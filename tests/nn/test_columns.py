"""Residuals whose columns lie apart in memory: other speed, the same numbers."""

import pytest
import torch

from progtf.nn.affine import Affine, SharedSums, apart, beside, columns


def in_columns(residual):
    return beside(columns(residual).contiguous())


@pytest.fixture
def residual():
    return torch.randn(3, 5, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_the_same_residual_in_columns(residual):
    other = in_columns(residual)
    assert torch.equal(other, residual)
    assert apart(other)
    assert not apart(residual)


@pytest.mark.parametrize("reads", [None, torch.tensor([6, 0, 2])])
def test_maps_give_the_same(residual, reads):
    affine = Affine(7 if reads is None else 3, 4, reads).double()
    image = affine(in_columns(residual))
    assert apart(image)
    torch.testing.assert_close(image, affine(residual), rtol=0, atol=1e-14)


@torch.no_grad()
def test_shared_sums_give_the_same(residual):
    sums = SharedSums(7, torch.tensor([0, 0, 1, 2, 1])).double()
    image = sums(in_columns(residual))
    assert apart(image)
    torch.testing.assert_close(image, sums(residual), rtol=0, atol=1e-14)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("writes", [None, torch.tensor([1, 5])])
@torch.no_grad()
def test_updates_are_added_to_the_same(residual, writes, in_place):
    affine = Affine(7, 7 if writes is None else 2, None, writes).double()
    update, other = affine(residual), in_columns(residual)
    expected = affine.add_to(residual, update)
    found = affine.add_to(other, affine(other), in_place=in_place)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-14)
    assert apart(found)
    assert torch.equal(other, residual) is not in_place
