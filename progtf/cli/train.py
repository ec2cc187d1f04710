"""``progtf train RUN.toml``: train what a program leaves to training."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from progtf.cli.messages import UserError, say, warn
from progtf.cli.ranges import MOST
from progtf.extras import needed

if TYPE_CHECKING:
    from progtf.training.config import Run


def train(
    file: Annotated[
        Path, typer.Argument(metavar="RUN.toml", help="What to train, on what; see runs/.")
    ],
    control: Annotated[
        str | None,
        typer.Option(
            help="off: without the written part; random: random features in its place;"
            " trainable: it is trained as well."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The folder to write, if not RUN.toml's.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=MOST, help="Begin from another seed than RUN.toml's.")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a setting of RUN.toml, as train.steps=100."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be trained, and its memory.")
    ] = False,
    threads: Annotated[
        int, typer.Option(min=0, max=1024, help="CPU threads; 0: as many as PyTorch takes.")
    ] = 0,
) -> None:
    """Train the learned part of a program, or a whole model, on questions with their answers.

    Questions are those of the Mathematics Dataset, or files of pairs.

    Run it again to go on with a run that was killed: the result is the same, bit by bit. Several
    processes: `torchrun --nproc-per-node 2 -m progtf.cli.main train RUN.toml`.

    Example: `progtf train runs/place_value.toml --seed 2`
    """
    needed("tensorboard")
    import torch  # noqa: PLC0415  torch is slow

    from progtf.training.config import RunError, read_run  # noqa: PLC0415
    from progtf.training.describe import describe  # noqa: PLC0415

    if threads:
        torch.set_num_threads(threads)
    given = {"control": control, "seed": seed, "out": None if out is None else str(out.absolute())}
    settings = {key: value for key, value in given.items() if value is not None}
    try:
        changes = dict(map(_setting, change or []))
        if twice := settings.keys() & changes.keys():
            key = min(twice)
            raise UserError(f"`{key}` is given by `--{key}` and by `--set`: leave one of them out")
        settings |= changes
        run = read_run(file, settings)
        if dry_run:
            say(describe(run))
        else:
            _train(run)
    except RunError as error:
        raise UserError(str(error)) from None


def _train(run: "Run") -> None:
    """Trains, as one process or as one of several."""
    from progtf.training.log import Log  # noqa: PLC0415
    from progtf.training.ranks import alone_in, joined, leave  # noqa: PLC0415
    from progtf.training.report import write_report  # noqa: PLC0415
    from progtf.training.setup import set_up  # noqa: PLC0415
    from progtf.training.trainer import Trainer  # noqa: PLC0415

    with joined() as ranks, alone_in(run.out, ranks):
        if ranks.first:
            _prepare(run)
        try:
            result = Trainer(set_up(run, ranks)).train(Log(run.out if ranks.first else None))
        except KeyboardInterrupt:
            if ranks.first:
                warn(f"stopped; {_again(run)}")
            raise
        if ranks.first:
            shown = ", ".join(f"{split} {score:.1f} %" for split, score in result.scores.items())
            say(f"step {result.step}: {shown}; {result.stopped}\n{result.folder}")
            write_report(run, result, ranks.ranks)
    leave(ranks)


def _again(run: "Run") -> str:
    """What the same command would do."""
    from progtf.training.checkpoint import checkpoints  # noqa: PLC0415

    if found := checkpoints(run.out / "checkpoints"):
        return f"the same command goes on after {found[-1].name}"
    return "the same command begins anew: there is no checkpoint yet (`checkpoints.every`)"


def _prepare(run: "Run") -> None:
    """Makes the questions on all cores, with a bar where there are any to make.

    Files of a person's own are read when the run is set up; what takes long of that is said.
    """
    from progtf.cli.data import all_cores  # noqa: PLC0415
    from progtf.cli.progress import progress_bar  # noqa: PLC0415
    from progtf.training.questions import prepare, prepared  # noqa: PLC0415

    if run.data.pairs is None and not run.data.generate:
        how = "unpacking and reading" if run.data.folder.is_file() else "reading"
        warn(f"{how} the questions of {run.data.folder}")
        return
    if prepared(run.data):
        return
    warn(f"making questions in {run.data.folder}")
    with progress_bar(None) as report:
        prepare(run.data, all_cores(), report)


def _setting(text: str) -> tuple[str, Any]:
    """``train.steps=100``; a value is JSON, or else a word."""
    key, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"--set {text}: write KEY=VALUE, as train.steps=100")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
