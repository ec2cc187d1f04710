"""What ``progtf.check`` is."""

from progtf.exact.check import check_exactness
from progtf.exact.report import Report
from progtf.program.model import Program


def check(program: Program, dtype: str = "float32", length: int | None = None) -> Report:
    """The worst case of every head and rule of a program, over all inputs.

    Args:
        program: from ``progtf.load``.
        dtype: how weights are stored: float64, float32, bfloat16 or float16.
        length: the longest input in tokens, special ones included; None: as declared.

    Returns:
        A report: ``exact``, ``assumptions``, ``found`` (what is wrong) and ``unproven`` (what could
        not be derived).

    Raises:
        ValueError: for another ``dtype`` and for a length below 1.
    """
    return check_exactness(program, dtype, length)
