"""Write the weights of a transformer by hand, in a notation that reads like linguistics."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from progtf.program.shown import drawn_by

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from progtf.api import (
        compile,  # noqa: A004
        decompile,
        diff,
        interpret,
        load_model,
        lower,
        matrix,
        save_model,
        to_text,
        vector,
    )
    from progtf.building.load import load, parse_program
    from progtf.exact.check import check
    from progtf.exact.report import Report
    from progtf.notation.diagnostics import SemeError
    from progtf.program.tokens import InputError

__version__ = "0.1.0"
__all__ = [
    "InputError",
    "Report",
    "SemeError",
    "check",
    "compile",
    "decompile",
    "diff",
    "interpret",
    "load",
    "load_model",
    "lower",
    "matrix",
    "parse_program",
    "save_model",
    "to_text",
    "vector",
]

_HOMES = {
    "progtf.api": (
        "compile",
        "decompile",
        "diff",
        "interpret",
        "load_model",
        "lower",
        "matrix",
        "save_model",
        "to_text",
        "vector",
    ),
    "progtf.exact.check": ("check",),
    "progtf.exact.report": ("Report",),
    "progtf.notation.diagnostics": ("SemeError",),
    "progtf.building.load": ("load", "parse_program"),
    "progtf.program.tokens": ("InputError",),
}


def __getattr__(name: str) -> object:
    """Imports what is asked for when it is asked for: numpy and the grammar take their time."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What the package offers, imported or not."""
    return sorted(__all__)


def _picture(program: Any) -> dict[str, Any]:
    """What a notebook shows of a program."""
    from progtf.views.still import bundle  # noqa: PLC0415  only where a notebook asks

    return bundle(program)


drawn_by(_picture)


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """``%load_ext progtf``: the cell magic ``%%seme``."""
    from progtf.widgets.magic import register  # noqa: PLC0415  not everyone has notebooks

    register(shell)
