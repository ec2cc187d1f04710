"""Number formats: how numbers are rounded to them and stored, without torch."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from progtf.program.formats import FormatError

Format = Literal["float64", "float32", "bfloat16", "float16"]
FORMATS: tuple[Format, ...] = get_args(Format)
Numbers = NDArray[np.float64]
LARGEST = {"float64": 1.7976931348623157e308, "float32": 3.4028234663852886e38,
           "bfloat16": 3.3895313892515355e38, "float16": 65504.0}  # fmt: skip


def check_format(dtype: str) -> Format:
    """The format itself.

    Raises:
        ValueError: for a word that is none.
    """
    if dtype not in FORMATS:
        raise ValueError(f"dtype {dtype!r} is none of {', '.join(FORMATS)}")
    return dtype


def working(dtype: Format) -> Format:
    """The format of arithmetic with weights stored in ``dtype``: float32 at least."""
    return "float64" if dtype == "float64" else "float32"


def nearest(numbers: Numbers, dtype: Format) -> Numbers:
    """The numbers of a format that stand for others; infinite for those that are too large."""
    with np.errstate(over="ignore"):
        return restored(stored(numbers, dtype), dtype)


def rounded(numbers: Numbers, dtype: Format) -> Numbers:
    """The nearest numbers of a format, halves to even, by way of float32 as torch does it.

    Raises:
        FormatError: if one is too large for the format.
    """
    result = nearest(numbers, dtype)
    if np.isfinite(result).all():
        return result
    most = f"{LARGEST[dtype]:,.6g}"
    raise FormatError(f"some weights are too large for {dtype}, which ends at {most}")


def stored(numbers: Numbers, dtype: Format) -> np.ndarray:
    """Numbers as they are stored; numpy knows no bfloat16: its bits stand in uint16."""
    if dtype == "bfloat16":
        bits = numbers.astype(np.float32).view(np.uint32)
        to_even = ((bits >> 16) & 1) + np.uint32(0x7FFF)
        return ((bits + to_even) >> 16).astype(np.uint16)
    if dtype == "float16":
        return numbers.astype(np.float32).astype(np.float16)
    return numbers.astype(dtype)


def restored(array: np.ndarray, dtype: Format) -> Numbers:
    """Stored numbers in float64.

    Raises:
        ValueError: for an array of another format.
    """
    due = "uint16" if dtype == "bfloat16" else dtype
    if array.dtype != due:
        raise ValueError(f"numbers of {array.dtype}, not of {dtype}")
    if dtype == "bfloat16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)
