"""The answer: its logit gap, or how far its numbers lie off."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from progtf.exact import problems
from progtf.exact.bounds import Bound
from progtf.exact.outputs import Scores, identical, scores_of
from progtf.exact.report import OutputRow
from progtf.exact.stream import exactly
from progtf.program.forms import Form
from progtf.program.model import Program

if TYPE_CHECKING:
    from progtf.exact.layers import Walk

# How far a number of the answer may lie off, as a share of the larger of 1 and its amount: what
# `progtf test` allows.
FINE, COARSE = 1e-4, 1e-2


def check_answer(walk: "Walk", state: Mapping[str, Bound]) -> None:
    """The row of the answer; what is wrong with it is reported."""
    program = walk.program
    if program.classify is not None:
        outputs = program.classify.forms
        _check_scores(walk, state, outputs, "classify")
    elif program.outputs:
        _check_scores(walk, state, program.outputs, "output")
    else:
        _check_numbers(walk, state)


def _check_scores(
    walk: "Walk", state: Mapping[str, Bound], outputs: Mapping[str, Form], key: str
) -> None:
    program, report = walk.program, walk.report
    place = program.places.get(f"{key}:")
    same = identical(outputs)
    if same is not None and place is not None:
        report.found.append(problems.same_score(place, *same))
    pool = program.classify.pool if program.classify is not None else "last"
    pooled = pool in ("max", "mean")
    found = scores_of(outputs, state, program.space, walk.number, pooled=pooled)
    notes = _assumed(found, pool, walk)
    if found.raw is not None and found.gap is not None and found.gap <= 0 and place is not None:
        problem = problems.logit_gap(place, found.raw, found.error, walk.number.name)
        ideal = scores_of(outputs, exactly(state), program.space, walk.number, pooled=pooled)
        if ideal.gap is not None and ideal.gap > 0:
            report.unproven.append(problems.unproven(problem))
        else:
            report.found.append(problem)
    gap = None if pool == "mean" else found.gap
    report.output = OutputRow(key, gap, found.error, notes)


def _assumed(found: Scores, pool: str, walk: "Walk") -> tuple[int, ...]:
    assume = walk.report.assume
    notes = [assume(f"of `{stem}` one holds at a token") for stem in found.families]
    if pool == "mean":
        notes.append(assume("the best score is ahead of the others: a mean can be anything"))
    elif found.raw is None:
        notes.append(assume("the best score is ahead of the others: they read what has no steps"))
    elif found.tie is None:
        notes.append(assume("the best score is not shared"))
    elif found.tie:
        notes.append(assume(f"the best score is not shared, as it would be by {found.tie}"))
    return tuple(notes)


def _check_numbers(walk: "Walk", state: Mapping[str, Bound]) -> None:
    """The residual is the answer: every number of it."""
    program = walk.program
    allowed = FINE if walk.number.bits >= 24 else COARSE
    worst, where = 0.0, ""
    for name in program.space.names[: program.semes]:
        bound = state[name]
        share = bound.error / max(1.0, bound.size if math.isfinite(bound.size) else 1.0)
        if share > worst:
            worst, where = share, name
    if worst > allowed:
        _refuse_number(program, where, state[where].error, walk)
    walk.report.output = OutputRow("residual", None, worst, ())


def _refuse_number(program: Program, name: str, error: float, walk: "Walk") -> None:
    place = program.places.get(name)
    if place is not None:
        dtype = walk.number.name
        walk.report.found.append(problems.inexact_answer(place, name, error, dtype))
