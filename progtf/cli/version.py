"""``progtf --version``: which progtf this is, and the PyTorch that networks run on here.

Nothing is imported for it: what is installed is told by the packages' own records.
"""

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from importlib.util import find_spec

import progtf
from progtf.extras import not_installed
from progtf.running.native.library import library


def version() -> str:
    """The version, that of Python, whether the engine was built, and the version of PyTorch."""
    python = f"Python {platform.python_version()}"
    return f"progtf {progtf.__version__}, {python}, {_engine()}, {_torch()}"


def _engine() -> str:
    return "engine in C" if library() is not None else "engine in numpy"


def _torch() -> str:
    if find_spec("torch") is None:
        return not_installed("torch") or "no torch"
    try:
        return f"torch {installed('torch')}"
    except PackageNotFoundError:
        return "torch of an unknown version"
