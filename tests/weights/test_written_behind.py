"""What was proven of weights is not said of others that somebody wrote in their place."""

import ctypes
import warnings

import numpy as np
import pytest
import torch

import progtf
from progtf.weights.folder import load_weights, save_weights
from tests.programs import ROOT

PROGRAMS = ("algorithms/hist", "attention/times", "article/first_matrix", "a_or_an")


def by_torch(array):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says that the array cannot be written
        torch.from_numpy(array).neg_()


def by_address(array):
    other = (~array.view(np.uint8).reshape(-1)).tobytes()
    ctypes.memmove(array.ctypes.data, other, len(other))


def by_one_bit(array):
    first = array.view(np.uint8).reshape(-1)
    ctypes.memmove(first.ctypes.data, bytes([int(first[0]) ^ 1]), 1)


def made(name):
    return progtf.lower(progtf.load(ROOT / f"examples/{name}.seme"))


CASES = [
    (name, number, way)
    for name in PROGRAMS
    for number in range(len(made(name).maps))[:3]
    for way in (by_torch, by_address, by_one_bit)
    if len(list(made(name).maps.values())[number])
]


@pytest.mark.parametrize(("name", "number", "way"), CASES)
def test_numbers_that_were_written_behind_a_proof_are_not_checked(name, number, way, tmp_path):
    weights = load_weights(kept(name, tmp_path))
    assert progtf.compile(weights).outcome.exact
    way(list(weights.maps.values())[number].numbers)
    assert progtf.compile(weights).outcome.verdict == "not checked"
    save_weights(weights, tmp_path / "again")
    assert load_weights(tmp_path / "again").outcome.verdict == "not checked"


def kept(name, folder):
    """A compiled folder, whose numbers are proven."""
    progtf.save_model(progtf.compile(progtf.load(ROOT / f"examples/{name}.seme")), folder / "one")
    return folder / "one"
