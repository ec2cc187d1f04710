"""Shapes are checked at run time in these tests: the hook must come before the first import."""

import pytest
import torch
from jaxtyping import install_import_hook

with install_import_hook("progtf.nn", "tests.nn.typecheck.check"):
    import progtf.nn  # noqa: F401


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(7)
