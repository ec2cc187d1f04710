"""Write the weights of a transformer by hand, in a notation that reads like linguistics."""

from typing import TYPE_CHECKING, Any

from progtf.program.shown import drawn_by

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from progtf.api import (
        ChainError,
        ChainStep,
        EndlessError,
        InputError,
        NotExactError,
        Outcome,
        SemeError,
        ablated,
        added,
        circuit,
        compile,  # noqa: A004
        decompile,
        diff,
        interchange,
        interpret,
        load_model,
        lower,
        matrix,
        save_model,
        scaled,
        set_to,
        swapped,
        to_text,
        value_at,
        vector,
    )
    from progtf.building.load import parse_program
    from progtf.compiled import load
    from progtf.exact import Report, check

__version__ = "0.1.0"
__all__ = [
    "ChainError",
    "ChainStep",
    "EndlessError",
    "InputError",
    "NotExactError",
    "Outcome",
    "Report",
    "SemeError",
    "ablated",
    "added",
    "check",
    "circuit",
    "compile",
    "decompile",
    "diff",
    "interchange",
    "interpret",
    "load",
    "load_model",
    "lower",
    "matrix",
    "parse_program",
    "save_model",
    "scaled",
    "set_to",
    "swapped",
    "to_text",
    "value_at",
    "vector",
]


def __getattr__(name: str) -> object:
    """Imports what is asked for when it is asked for: numpy and the grammar take their time."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("Report", "check"):
        from progtf import exact as home  # noqa: PLC0415  only who checks waits
    elif name == "load":
        from progtf import compiled as home  # noqa: PLC0415  what was read before needs no grammar
    elif name == "parse_program":
        from progtf.building import load as home  # noqa: PLC0415  which needs no numpy
    else:
        from progtf import api as home  # noqa: PLC0415  as said
    return getattr(home, name)


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
