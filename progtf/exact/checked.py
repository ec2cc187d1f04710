"""A program followed from its lexicon to its answer, with the worst that can happen on the way."""

from collections.abc import Callable

from progtf.collector import collector_paused
from progtf.exact import problems
from progtf.exact.answer import check_answer
from progtf.exact.ends import check_end
from progtf.exact.formats import FORMATS
from progtf.exact.layers import stack
from progtf.exact.recurrent import after_cell
from progtf.exact.report import Report
from progtf.exact.settle import check_formats, in_range
from progtf.exact.stream import Stream
from progtf.exact.walk import WAYS, Made, Taken, Walk
from progtf.exact.witness import Witness
from progtf.program.clocks import COUNTED
from progtf.program.formats import FormatError
from progtf.program.model import Layer, Program
from progtf.weights.lower import lower
from progtf.weights.weights import Weights

MOST_WALKS, WORK = 24, 60_000
"""So often it is tried to take less for granted, and past so many rules and channels not."""
FEW_WALKS = 8
"""So often where much of it is taken elsewhere."""


@collector_paused()
def check(
    program: Program,
    dtype: str = "float32",
    length: int | None = None,
    *,
    whole: bool = True,
    granted: frozenset[str] = frozenset(),
) -> Report:
    """The worst case of every head and rule of a program, over all inputs.

    What is derived is derived from the weights that run; `docs/exactness.md` has the theorem.

    Args:
        program: from ``progtf.load``.
        dtype: how weights are stored: float64, float32, bfloat16 or float16.
        length: the longest input in tokens, special ones included; None: as declared.
        whole: whether all is told that is found; if not, the report ends with the first problem.
        granted: of which semes and heads more may be taken for granted without trying whether less
            is enough, as it is taken elsewhere: the ``more`` of other reports.

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
    longest = length or program.lengths[0]
    tokens = longest + program.lengths[1] if program.kind == "decoder" else longest
    if tokens > COUNTED:
        report = Report(dtype, longest)
        report.unproven.append(problems.too_many_tokens(program, tokens, COUNTED))
        return report
    try:
        weights = _weights(program, dtype)
    except FormatError as error:
        report = Report(dtype, longest)
        report.found.append(problems.too_large(program, str(error)))
        return report
    made: Made = {}
    witnesses = dict[int, dict[str, Witness]]()

    def walked(taken: Taken, *, goes_on: bool = False) -> tuple[Walk, Stream | None]:
        report = Report(dtype, longest)
        walk = Walk(
            program, weights, report, taken=taken, goes_on=goes_on, made=made, witnesses=witnesses
        )
        return walk, _check(program, walk)

    walk, stream = walked(WAYS[0])
    for taken in WAYS[1:]:
        if walk.report.exact:
            break
        walk, stream = walked(taken, goes_on=whole and taken is WAYS[-1])
    if walk.report.exact and (spare := [each for each in walk.more if each not in granted]):
        walk, stream = _least(walk, stream, walked, spare, FEW_WALKS if granted else MOST_WALKS)
    if whole or walk.report.exact:
        check_end(program, longest, stream, walk.report)
    walk.report.more = frozenset(walk.more)
    return walk.report


def _least(
    walk: Walk,
    stream: Stream | None,
    walked: Callable[[Taken], tuple[Walk, Stream | None]],
    spare: list[str],
    most: int,
) -> tuple[Walk, Stream | None]:
    """The walk that takes no more of these for granted than it needs, of those that are tried."""
    left = [spare]
    for _ in range(min(most, WORK // _size(walk.program))):
        if not left:
            break
        some = left.pop()
        taken = walk.taken._replace(spared=walk.taken.spared | {*some})
        other = walked(taken)
        if other[0].report.exact:
            walk, stream = other
        elif len(some) > 1:
            half = len(some) // 2
            left += [some[half:], some[:half]]
    return walk, stream


def _size(program: Program) -> int:
    """How many rules and channels there are."""
    layers = [each for each in (*program.encoder, *program.decoder) if isinstance(each, Layer)]
    rules = sum(len(each.feedforward.rules) for each in layers if each.feedforward is not None)
    return 1 + rules + sum(len(h.channels) for each in layers for h in (*each.heads, *each.cross))


def _weights(program: Program, dtype: str) -> tuple[Weights, Weights]:
    """What is meant, and what is stored; a number that a format does not have is an error."""
    meant = lower(program, "float64")
    return meant, meant.stored_as(dtype)


def _is_covered(program: Program) -> bool:
    """Whether there is a derivation for all that a program does."""
    return program.norm != "layer"


def _check(program: Program, walk: Walk) -> Stream | None:
    """What is read off at the end, if there is a derivation for all that a program does."""
    if not _is_covered(program):
        walk.report.unproven.append(problems.layer_norm(program))
        return None
    check_formats(program, walk.number, walk.report)
    stream = in_range(walk)
    if program.cell is not None:
        stream = after_cell(program, program.cell, stream, walk)
    memory = stack(walk, "encoder", stream, None)
    if program.kind in ("seq2seq", "decoder"):
        memory = stack(walk, "decoder", in_range(walk), memory)
    check_answer(walk, memory)
    return memory
