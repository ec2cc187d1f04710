"""Program to model: layout, network, weights, format."""

import torch

from progtf.compiler.free import fix_hybrid
from progtf.compiler.layout import layout_of
from progtf.compiler.model import Model
from progtf.compiler.weights import write_weights
from progtf.program.formats import FormatError
from progtf.program.model import Program

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


def compile(program: Program, dtype: str = "float32") -> Model:  # noqa: A001  it is what it does
    """The torch module that computes what a program means.

    Where a program leaves something to training, what is written asks for no gradient:
    ``progtf.training.trainable`` gives the parameters of a training loop.

    Args:
        program: from ``progtf.load``.
        dtype: how weights are stored: float64, float32, bfloat16 or float16.

    Raises:
        ValueError: for another ``dtype``.
        FormatError: if a weight is too large for it.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype {dtype!r} is none of {', '.join(DTYPES)}")
    model = Model(layout_of(program))
    write_weights(model.network, program)
    return _finite(fix_hybrid(model).stored_as(DTYPES[dtype]), dtype)


def _finite(model: Model, dtype: str) -> Model:
    if all(bool(torch.isfinite(weight).all()) for weight in model.parameters()):
        return model
    largest = torch.finfo(DTYPES[dtype]).max
    raise FormatError(f"some weights are too large for {dtype}, which ends at {largest:,.6g}")
