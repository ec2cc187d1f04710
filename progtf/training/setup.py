"""What a run begins, or goes on, from: built once, in one order, and then left as it is."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from torch import nn

from progtf.data import Cursor, Vocabulary
from progtf.equality import compared
from progtf.network.free import free_tensors
from progtf.training import checkpoint, config
from progtf.training.build import Plan, begun, hybrid_of
from progtf.training.checkpoint import Progress
from progtf.training.controls import damaged
from progtf.training.evaluation import Asked, tests_of
from progtf.training.extent import sides_in
from progtf.training.keeper import start_of
from progtf.training.pairs import rows_of
from progtf.training.pointers import own_rates
from progtf.training.questions import digests_of, opened, prepare, settled, with_steps
from progtf.training.ranks import Ranks
from progtf.training.recipe import Identity
from progtf.training.sizes import ADAM, check_numbers
from progtf.training.subject import Hybrid, Learned, Subject
from progtf.training.warnings import Drift, Reach, fix_unused

Tests = Mapping[str, Asked]
CALIBRATION = 100


@compared
@dataclass(frozen=True)
class Setup:
    """A run that is ready to step.

    Attributes:
        tests: test questions by split.
        subject: what is trained, with the weights that it begins or goes on with.
        rates: written entries that are trained, with learning rates of their own.
        drift: what written semes were before training; None where nothing can change them.
        reach: which written entries are trained, to tell those that no gradient reaches.
        progress: where the run stands.
        start: the checkpoint that it goes on from, if it does.
        note: what is to be said of that.
    """

    run: config.Run
    ranks: Ranks
    tests: Tests
    subject: Subject
    rates: tuple[tuple[nn.Parameter, float], ...]
    drift: Drift | None
    reach: Reach
    progress: Progress
    start: Path | None
    note: str = ""


def set_up(run: config.Run, ranks: Ranks) -> Setup:
    """Builds everything that a run needs before its first step.

    Raises:
        RunError: for settings that mean nothing, and for questions that cannot be put.
    """
    if ranks.first:
        prepare(run.data)
    ranks.wait()
    run = with_steps(settled(run), ranks.ranks)
    tests = tests_of(run)
    plan, first = begun(run)
    _check_training(run, first, ranks)
    first = first.to(ranks.device)
    check_questions(first, run, tests)
    own = Identity.of(run, first, digests_of(run.data), ranks)
    progress, start = start_of(run, ranks, Progress(0, Cursor(), -1.0, 0, own, control=run.control))
    note = _elsewhere(progress.run.built, own.built)
    progress = replace(progress, run=own)
    subject = _now(run, plan, first, start).to(ranks.device)
    drift, reach, rates = None, Reach({}), ()
    problems = [problem for problem, _ in tests["interpolate"]]
    if isinstance(subject, Hybrid) and isinstance(first, Hybrid):
        drift = Drift.of(subject, first, plan, problems)
        reach, rates = Reach.of(subject.module), tuple(_rates(subject, plan))
        subject.use_cache(wanted=run.cache and not plan.soft)
        if run.control == "random":
            subject.randomise(problems[:CALIBRATION], first, run.seed)
    if isinstance(subject, Learned):
        rates = tuple(own_rates(subject.module, subject.settings))
    fix_unused(subject, *subject.batch(problems[:1], ranks.device))
    return Setup(run, ranks, tests, subject, rates, drift, reach, progress, start, note)


def _check_training(run: config.Run, subject: Subject, ranks: Ranks) -> None:
    """Raises RunError if weights fit into memory, and their gradients and moments do not."""
    if ranks.device.type != "cpu" or run.train.shard:
        return
    trained = sum(each.numel() for each in subject.parameters() if each.requires_grad)
    try:
        check_numbers(ADAM * trained)
    except ValueError as error:
        raise config.RunError(f"`train`: with gradients and moments, {error}") from None


def _elsewhere(before: str, now: str) -> str:
    return "" if before == now else f", by {now}, which was {before}: its bits are others now"


def _now(run: config.Run, plan: Plan, first: Subject, start: Path | None) -> Subject:
    """The same with the weights of a checkpoint, or with those that are damaged."""
    if start is not None and not isinstance(first, Hybrid):
        return checkpoint.with_weights_of(start, first)
    if not isinstance(first, Hybrid):
        return first
    if start is not None:
        return hybrid_of(checkpoint.weights_in(start, first), plan, run)
    if run.damage == config.Damage() and run.control != "random":  # which looks at it later
        return first
    return hybrid_of(damaged(first.weights(), run.damage, run.seed)[0], plan, run)


def check_tests(subject: Subject, tests: Tests) -> None:
    """Raises RunError if the subject cannot take a question of the tests, or give its answer."""
    for split, asked in tests.items():
        subject.check_problems(split, [problem for problem, _ in asked])


def check_questions(subject: Subject, run: config.Run, tests: Tests) -> None:
    """Raises RunError if the subject cannot take one of the questions, or give an answer."""
    check_tests(subject, tests)
    if not isinstance(subject, Hybrid):  # any other takes all questions
        return
    if isinstance(subject.vocabulary, Vocabulary) and run.data.pairs is None:
        subject.check(sides_in(opened(run.data), subject.vocabulary))
    else:
        subject.check_problems("train", rows_of(run.data)["train"])


def _rates(subject: Hybrid, plan: Plan) -> list[tuple[nn.Parameter, float]]:
    """The vectors of trained entries, each with the lowest rate of the entries in it."""
    return [
        (free.parameter, min(
            group.learning_rate for group in plan.groups
            if any(key in group.marks and group.marks[key][n] for key, n in free.entries)
        ))
        for free in free_tensors(subject.module.network.held)
    ]  # fmt: skip
