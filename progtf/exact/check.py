"""A program followed from its lexicon to its answer, with the worst that can happen on the way."""

from progtf.exact.answer import check_answer
from progtf.exact.formats import FORMATS
from progtf.exact.layers import Walk
from progtf.exact.recurrent import after_cell
from progtf.exact.report import Report
from progtf.exact.settle import check_formats
from progtf.exact.stream import embedded
from progtf.program.model import Program


def check_exactness(program: Program, dtype: str = "float32", length: int | None = None) -> Report:
    """The bounds of everything in a program, and what is refused because of them.

    Args:
        program: a program without errors.
        dtype: how weights are stored: float64, float32, bfloat16 or float16; arithmetic is float32
            at least.
        length: the longest input in tokens, special ones included; None: as declared.

    Raises:
        ValueError: for another ``dtype`` and for a length below 1.
    """
    if dtype not in FORMATS:
        raise ValueError(f"dtype {dtype!r} is none of {', '.join(FORMATS)}")
    if length is not None and length < 1:
        raise ValueError(f"the longest input has 1 token at least; got {length}")
    report = _checked(program, dtype, length, few=False)
    if report.exact:
        return report
    closer = _checked(program, dtype, length, few=True)  # with one more assumption
    return closer if len(closer.found) < len(report.found) else report


def _checked(program: Program, dtype: str, length: int | None, *, few: bool) -> Report:
    lengths = (length or program.lengths[0], program.lengths[1])
    report = Report(dtype, lengths[0])
    if program.norm == "layer":
        report.assume("`norm: layer` keeps what the program needs: behind it nothing is derived")
        return report
    walk = Walk(program, FORMATS[dtype], lengths, report, few=few)
    check_formats(program, walk.number, report)
    state = embedded(program, walk.number)
    if program.cell is not None:
        state = after_cell(program, program.cell, state, walk)
    memory = walk.stack("encoder", program.encoder, state, {})
    if program.kind in ("seq2seq", "decoder"):
        start = embedded(program, walk.number)
        memory = walk.stack("decoder", program.decoder, start, memory)
    check_answer(walk, memory)
    return report
