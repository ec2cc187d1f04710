"""Worst-case bounds of written programs: would the network ever differ from what is meant?

What is here is imported where it is asked for: the kernel, which is in here too, needs none of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from progtf.exact.checked import check
    from progtf.exact.formats import FORMATS
    from progtf.exact.report import Report

__all__ = ["FORMATS", "Report", "check"]
_HOMES = {"FORMATS": "formats", "Report": "report", "check": "checked"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
