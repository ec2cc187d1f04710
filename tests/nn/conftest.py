"""Shapes are checked at run time in these tests: the hook must come before the first import."""

import pytest
import torch
from jaxtyping import install_import_hook

from tests.nn import typecheck

with install_import_hook("progtf.nn", f"{typecheck.__name__}.check"):
    import progtf.nn  # noqa: F401


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(7)
