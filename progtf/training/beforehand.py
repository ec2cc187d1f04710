"""What a run would refuse at its start, as far as that can be told without any of its work."""

import os
from pathlib import Path

from progtf.atomic import LOCK, check_not_linked
from progtf.training.config import Run, RunError
from progtf.training.evaluation import tests_of
from progtf.training.keeper import checked, checkpoints_of
from progtf.training.questions import check_orders, digests_of, prepared, with_steps
from progtf.training.ranks import INSIDE, Ranks, alone_in, told_by_environment
from progtf.training.recipe import Identity
from progtf.training.setup import check_questions, check_tests
from progtf.training.subject import Subject


def check_places(run: Run) -> Ranks:
    """Looks at the folders of a run, at what lies there, and at the processes that it has.

    Nothing is made or written.

    Raises:
        RunError: as the run would.
    """
    ranks = told_by_environment()
    try:
        _check_folder("out", run.out)
        if (run.out / LOCK).is_symlink() or (run.out / LOCK).exists():
            with alone_in(run.out, ranks):
                pass
        for inside in INSIDE:
            check_not_linked(run.out / inside)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise RunError(f"`out`: {error.filename or run.out}: {why}") from None
    if run.data.pairs is None and run.data.generate and not run.data.folder.is_file():
        _check_folder("data.folder", run.data.folder)
        check_orders(run.data)
    return ranks


def check_start(run: Run, subject: Subject, ranks: Ranks) -> None:
    """Looks at the questions that are there already, and at the checkpoint to go on from.

    Args:
        run: its settings, `settled`.
        subject: what is trained, before any step.
        ranks: the processes that it has.

    Raises:
        RunError: as the run would.
    """
    if not prepared(run.data):
        return
    run = with_steps(run, ranks.ranks)
    if run.data.pairs is None:
        check_tests(subject, tests_of(run))
    else:
        check_questions(subject, run, tests_of(run))
    if found := checkpoints_of(run):
        checked(run, found[-1], Identity.of(run, subject, digests_of(run.data), ranks))


def _check_folder(key: str, folder: Path) -> None:
    """Raises RunError if a folder is not there and cannot be made, or cannot be written to."""
    there = next((p for p in (folder, *folder.absolute().parents) if os.path.lexists(p)), folder)
    if not there.is_dir():
        raise RunError(f"`{key}`: {there} is no folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise RunError(f"`{key}`: {there}: nothing can be written there")
