"""A program followed from its lexicon to its answer, with the worst that can happen on the way."""

from dataclasses import replace

from progtf.exact.answer import check_answer
from progtf.exact.formats import FORMATS, Format
from progtf.exact.layers import Walk
from progtf.exact.recurrent import after_cell
from progtf.exact.report import Report
from progtf.exact.settle import check_formats
from progtf.exact.stream import embedded
from progtf.program.model import Program

BLIND = 2.0**-6


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
    if dtype not in FORMATS:
        raise ValueError(f"dtype {dtype!r} is none of {', '.join(FORMATS)}")
    if length is not None and length < 1:
        raise ValueError(f"the longest input has 1 token at least; got {length}")
    given, lengths = FORMATS[dtype], (length or program.lengths[0], program.lengths[1])
    best = _checked(program, given, lengths, few=False)
    for number, few in ((given, True), (replace(given, blind=BLIND), True)):
        if best.exact:
            break
        report = _checked(program, number, lengths, few=few)
        best = min(best, report, key=_problems)
    return best


def _problems(report: Report) -> int:
    return len(report.found) + len(report.unproven)


def _checked(program: Program, number: Format, lengths: tuple[int, int], *, few: bool) -> Report:
    report = Report(number.name, lengths[0])
    if program.norm == "layer":
        report.assume("`norm: layer` keeps what the program needs: behind it nothing is derived")
        return report
    if number.blind:
        report.assume(f"errors below 1/{1 / BLIND:g} of a step do not add up")
    walk = Walk(program, number, lengths, report, few=few)
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
