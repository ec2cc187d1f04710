"""The answer: its logit gap, or how far its numbers lie off."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from progtf.exact import problems
from progtf.exact.entries import Entries, missed
from progtf.exact.lemmas import lost_in_sum
from progtf.exact.outputs import Scores, identical, scores_of
from progtf.exact.report import OutputRow
from progtf.exact.stream import Stream
from progtf.exact.walk import Walk
from progtf.notation.diagnostics import Span
from progtf.numbers import FINE
from progtf.program.forms import Form
from progtf.program.model import Program
from progtf.program.outcome import Held


def check_answer(walk: Walk, stream: Stream) -> None:
    """The row of the answer; what is wrong with it is reported."""
    program = walk.program
    if program.classify is not None:
        pooled = _pooled(stream, program.classify.pool, walk)
        if program.classify.number:
            _check_number(walk, pooled)
        else:
            _check_scores(walk, pooled, program.classify.forms, "classify")
            walk.promised(program.classify.forms.values(), stream, _place(walk, "classify"))
    elif program.outputs:
        _check_scores(walk, stream, program.outputs, "output")
        walk.promised(program.outputs.values(), stream, _place(walk, "output"))
    else:
        _check_numbers(walk, stream)


def _place(walk: Walk, key: str) -> Span:
    """Where scores stand."""
    return walk.program.places.get(f"{key}:") or problems.somewhere(walk.program)


def _pooled(stream: Stream, pool: str, walk: Walk) -> Stream:
    """One row for a whole text (lemma 8)."""
    length, number = walk.lengths[0], walk.number
    size = np.maximum(-stream.low, stream.high) + stream.error
    match pool:
        case "sum":
            low, high = (
                np.minimum(length * stream.low, stream.low),
                np.maximum(length * stream.high, stream.high),
            )
            most, terms = length * size, np.full(len(size), length)
            error = length * stream.error
            lost = lost_in_sum(terms, most, np.zeros_like(most), stream.grid, error, number)
            return replace(stream, low=low, high=high, error=error + lost, stray=error + lost)
        case "mean":
            error = stream.error + (length + 2) * number.roundoff * size
            grid = np.where(size > 0, 0.0, stream.grid)
            return replace(
                stream, grid=grid, error=error, stray=error, kept=stream.kept & (size == 0)
            )
        case _:
            return stream


def _score_errors(walk: Walk, stream: Stream, key: str) -> np.ndarray:
    """How far every score lies off (lemmas 1 to 3)."""
    maps = walk.maps((key,))
    classify = walk.program.classify
    forms = walk.program.outputs if classify is None else classify.forms
    entries = Entries.of([maps["score"]], walk.program.width)
    entries = entries.besides(missed([*forms.values()], walk.program.space))
    sums = entries.sums(stream.terms, walk.number)
    walk.overflows(np.append(sums.most, stream.sizes), _place(walk, key), "scores")
    return sums.error + sums.lost


def _check_scores(walk: Walk, stream: Stream, outputs: Mapping[str, Form], key: str) -> None:
    program, report = walk.program, walk.report
    place = _place(walk, key)
    same = identical(outputs)
    if same is not None and program.learn is None:
        report.found.append(problems.same_score(place, *same))
    pool = program.classify.pool if program.classify is not None else "last"
    pooled = pool in ("max", "mean")
    error = float(_score_errors(walk, stream, key).max(initial=0.0))
    found = scores_of(outputs, program.space, error, pooled=pooled, summed=pool == "sum")
    notes = _assumed(found, pool, walk)
    if found.raw is not None and found.gap is not None and found.gap <= 0:
        problem = problems.logit_gap(place, found.raw, found.error, walk.number.name)
        ideal = float(_score_errors(walk, stream.exactly(), key).max(initial=0.0))
        if found.raw > 2 * ideal:
            report.unproven.append(problems.unproven(problem))
        else:
            report.found.append(problem)
    gap = None if pool == "mean" else found.gap
    report.output = OutputRow(key, gap, found.error, notes)


def _assumed(found: Scores, pool: str, walk: Walk) -> tuple[int, ...]:
    assume = walk.report.assume
    place = _place(walk, "output" if walk.program.classify is None else "classify")
    notes = [
        assume(f"of `{stem}` one holds at a token", place, Held("hot", stem))
        for stem in found.families
    ]
    ahead = f"the best score is ahead of the others by more than {2 * found.error:.3g}"
    taken = ""
    if pool == "mean":
        taken = f"{ahead}: a mean can be anything"
    elif found.raw is None:
        taken = f"{ahead}: they read what has no steps"
    elif found.tie is None:
        taken = "the best score is not shared"
    elif found.tie:
        taken = f"the best score is not shared, as it would be by {found.tie}"
    least = 2 * found.error if taken.startswith(ahead) else 0.0
    return (*notes, assume(taken, None, Held("score", least=least))) if taken else tuple(notes)


def _check_number(walk: Walk, stream: Stream) -> None:
    """The answer is a score itself."""
    maps = walk.maps(("classify",))
    sums = Entries.of([maps["score"]], walk.program.width).sums(stream.terms, walk.number)
    error = float((sums.error + sums.lost)[0])
    walk.overflows(np.append(sums.most, stream.sizes), _place(walk, "classify"), "scores")
    if error > FINE:
        place = walk.program.places.get("classify:") or problems.somewhere(walk.program)
        problem = problems.inexact_answer(place, "score", error, walk.number.name)
        walk.report.unproven.append(problems.unproven(problem))
    walk.report.output = OutputRow("score", None, error, ())


def _check_numbers(walk: Walk, stream: Stream) -> None:
    """The residual is the answer: every number of it."""
    program = walk.program
    walk.overflows(stream.sizes, None, "numbers of the answer")
    worst, where = 0.0, ""
    for name in program.space.names[: program.semes]:
        bound = stream.at(program.space.index[name])
        error = max(bound.error - bound.relative * bound.size, bound.relative)
        if error > worst:
            worst, where = error, name
    if worst > FINE and not (walk.report.found or walk.report.unproven):
        _refuse_number(program, where, worst, walk)
    walk.report.output = OutputRow("residual", None, worst, ())


def _refuse_number(program: Program, name: str, error: float, walk: Walk) -> None:
    place = program.places.get(name) or problems.somewhere(program)
    dtype = walk.number.name
    walk.report.found.append(problems.inexact_answer(place, name, error, dtype))
