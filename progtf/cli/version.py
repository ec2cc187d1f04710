"""``progtf --version``: which progtf this is, and the PyTorch that networks run on here.

Nothing is imported for it: what is installed is told by the packages' own records.
"""

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from importlib.util import find_spec

import progtf
from progtf.extras import not_installed


def version() -> str:
    """The version, that of Python, and that of PyTorch."""
    return f"progtf {progtf.__version__}, Python {platform.python_version()}, {_torch()}"


def _torch() -> str:
    if find_spec("torch") is None:
        return not_installed("torch") or "no torch"
    try:
        return f"torch {installed('torch')}"
    except PackageNotFoundError:
        return "torch of an unknown version"
