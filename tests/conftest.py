"""What all tests share."""

import io
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

from progtf.cli.main import main
from tests.programs import group_of

torch.set_num_threads(1)  # networks of six dimensions: threads only wait for each other
os.environ.setdefault("OMP_NUM_THREADS", "1")  # nor in processes that tests start

# Where interrupts are ignored, as in the background of a shell, what tests start would ignore them.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What is compiled to bytecode is kept, also where containers forbid it: each process that tests
# start would compile the package anew, and each run the tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Data that is not part of the project; tests that want it say so where it is absent.
_SHARED = Path(__file__).parents[2] / "shared" / "data"
if _SHARED.is_dir():
    os.environ.setdefault("PROGTF_DATA", str(_SHARED))

# What is proven of programs is remembered for one session, by all its processes.
_KEPT = None
if "PYTEST_XDIST_WORKER" not in os.environ:
    _KEPT = tempfile.TemporaryDirectory(prefix="progtf-tests-")
    os.environ["PROGTF_CACHE"] = _KEPT.name

# The same examples on every run, so that a change either passes or does not: a few in `make test`,
# more in `make test-all` (HYPOTHESIS_PROFILE=same). HYPOTHESIS_PROFILE=search looks for new ones.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", _COMMON, max_examples=20, derandomize=True)
settings.register_profile("same", _COMMON, max_examples=40, derandomize=True)
settings.register_profile("search", _COMMON, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))


def pytest_unconfigure():
    if _KEPT is not None:
        _KEPT.cleanup()


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items):
    for item in items:
        given = item.callspec.params.values() if hasattr(item, "callspec") else ()
        group = next(filter(None, map(group_of, given)), None)
        if group and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(group))
    # Groups, which take long, before what fills up the time at the end.
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="write the expected messages anew"
    )


@pytest.fixture
def progtf(monkeypatch, capsys):
    """Runs the command in this process: (status, stdout, stderr)."""

    def run(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["progtf", *map(str, arguments)])
        given = io.BytesIO(stdin.encode(errors="surrogateescape"))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given))
        status = 0
        try:
            main()
        except SystemExit as error:
            status = error.code or 0
        return status, *capsys.readouterr()

    return run
