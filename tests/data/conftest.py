from pathlib import Path

import pytest

from progtf.data import build_cache, open_cache, open_layout


@pytest.fixture(scope="session")
def math():
    """Fifteen problems of each of the 56 + 15 modules, in the published layout."""
    return Path(__file__).parent / "math"


@pytest.fixture(scope="session")
def math_cache(math, tmp_path_factory):
    path = tmp_path_factory.mktemp("cache") / "math.cache"
    build_cache(path, open_layout(math))
    return open_cache(path)
