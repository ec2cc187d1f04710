"""A program followed from its lexicon to its answer, with the worst that can happen on the way."""

from progtf.exact import problems
from progtf.exact.answer import check_answer
from progtf.exact.formats import FORMATS, Format
from progtf.exact.layers import Walk
from progtf.exact.recurrent import after_cell
from progtf.exact.report import Report
from progtf.exact.settle import check_formats
from progtf.exact.stream import embedded
from progtf.program.formats import FormatError
from progtf.program.model import Program
from progtf.weights.lower import lower
from progtf.weights.weights import Weights


def check(program: Program, dtype: str = "float32", length: int | None = None) -> Report:
    """The worst case of every head and rule of a program, over all inputs.

    What is derived is derived from the weights that run; `docs/exactness.md` has the theorem.

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
    number, lengths = FORMATS[dtype], (length or program.lengths[0], program.lengths[1])
    meant = lower(program, "float64")
    try:
        weights = meant, meant.stored_as(dtype)
    except FormatError as error:
        report = Report(dtype, lengths[0])
        report.found.append(problems.too_large(program, str(error)))
        return report
    best = _checked(program, weights, number, lengths, few=False)
    if not best.exact:
        best = min(best, _checked(program, weights, number, lengths, few=True), key=_problems)
    return best


def _problems(report: Report) -> int:
    return len(report.found) + len(report.unproven)


def _checked(
    program: Program,
    weights: tuple[Weights, Weights],
    number: Format,
    lengths: tuple[int, int],
    *,
    few: bool,
) -> Report:
    report = Report(number.name, lengths[0])
    if program.norm == "layer":
        report.unproven.append(problems.layer_norm(program))
        return report
    check_formats(program, number, report)
    walk = Walk(program, weights, number, lengths, report, few=few)
    stream = embedded(program, number)
    if program.cell is not None:
        stream = after_cell(program, program.cell, stream, walk)
    memory = walk.stack("encoder", stream, None)
    if program.kind in ("seq2seq", "decoder"):
        memory = walk.stack("decoder", embedded(program, number), memory)
    check_answer(walk, memory)
    return report
