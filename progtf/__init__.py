"""Write the weights of a transformer by hand, in a notation that reads like linguistics."""

from progtf.api import compile, load_model, matrix, save_model, to_text, vector  # noqa: A004
from progtf.notation.diagnostics import SemeError
from progtf.program.load import load, parse_program
from progtf.program.tokens import InputError

__version__ = "0.1.0"
__all__ = [
    "InputError",
    "SemeError",
    "compile",
    "load",
    "load_model",
    "matrix",
    "parse_program",
    "save_model",
    "to_text",
    "vector",
]
