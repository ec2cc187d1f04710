"""`progtf data`: make, look at and cache the Mathematics Dataset; published sets are brought."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from progtf import data
from progtf.cli.getting import THERE_ARE, bring, list_sets, named
from progtf.cli.messages import say, warn
from progtf.cli.progress import progress_bar
from progtf.cli.ranges import MOST
from progtf.data.cache import MAGIC
from progtf.data.generator import CHUNK
from progtf.data.make import files_of
from progtf.published import NAMED
from progtf.tables import print_table

app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", add_completion=False)


@app.callback()
def about() -> None:
    """Make, look at and cache the Mathematics Dataset (Saxton et al. 2019); get other sets."""


ALL_MODULES = tuple(dict.fromkeys(data.MODULES + data.EXTRAPOLATION_MODULES))

Modules = Annotated[
    list[str] | None,
    typer.Option(
        "--modules",
        "-m",
        help="Modules (`numbers__gcd`), areas (`numbers`) or patterns (`'*_composed'`), joined by"
        " commas or given several times. All, if left out.",
    ),
]
Splits = Annotated[
    list[str] | None,
    typer.Option(
        "--split",
        "-s",
        help="train-easy, train-medium, train-hard, interpolate, extrapolate; `train` for the"
        " first three, `all` for five. Joined by commas or given several times.",
    ),
]


@contextmanager
def mistakes_told() -> Iterator[None]:
    """Ends the program with one message and status 1 where a person's data is at fault."""
    try:
        yield
    except data.DataError as error:
        warn(f"error: {error}")
        raise typer.Exit(1) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        warn(f"error: {where}{error.strerror or error}")
        raise typer.Exit(1) from None


SHOWN_AT_MOST = 20
"""Records that are named."""


def tell_passed(told: data.Told, read: int) -> bool:
    """Names what was passed over, and says in the last line how much; whether a record was.

    Args:
        told: What has heard of it.
        read: How many records were read.
    """
    if told.passed:
        named, more = told.passed[:SHOWN_AT_MOST], len(told.passed) - SHOWN_AT_MOST
        rest = f" and {more} more" if more > 0 else ""
        warn(f"passed over, as no texts of yours: {', '.join(named)}{rest}")
    for error in told.doubtful:
        warn(f"note: {error}")
    for error in told.refused[:SHOWN_AT_MOST]:
        warn(str(error))
    if told.count > SHOWN_AT_MOST:
        warn(f"and {told.count - SHOWN_AT_MOST} more")
    if told.count:
        warn(f"{told.count} of {read + told.count} records refused")
    return told.count > 0


@app.command()
def make(
    out: Annotated[Path, typer.Option(help="Folder to put `SPLIT/MODULE.txt` files in.")],
    modules: Modules = None,
    split: Splits = None,
    count: Annotated[int, typer.Option(min=1, max=MOST, help="Questions for each file.")] = 1000,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST, help="Other seeds give other questions.")
    ] = 0,
    exclude: Annotated[
        list[Path] | None,
        typer.Option(help="Folder whose questions must not occur; may be given several times."),
    ] = None,
    cores: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes; all cores, if left out.")
    ] = None,
) -> None:
    """Generate questions in the published layout.

    The same options give the same bytes, on any number of cores. No question comes twice in the
    files of a module, test questions not in training files either. After a kill the same command
    goes on where it was.

    Example: `progtf data make --out math -s train,interpolate -m numbers --count 100000`
    """
    with mistakes_told():
        order = data.Order(
            out=out,
            splits=data.choose_splits(split or ["all"]),
            modules=data.choose_modules(modules or [], ALL_MODULES),
            count=count,
            seed=seed,
            exclude=tuple(exclude or ()),
        )
        files = files_of(order)
        if not files:
            raise data.DataError(
                f"{', '.join(order.splits)} has none of these modules: {', '.join(order.modules)}",
                help="`progtf data modules` lists what each split has",
            )
        with progress_bar(len(files) * count) as report:
            made = data.make(order, cores or all_cores(), report)
    _tell_made(made, count)


def all_cores() -> int:
    """Returns how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tell_made(made: list[data.Made], count: int) -> None:
    for file in made:
        if file.problems < count:
            warn(f"note: {file.path} has all {file.problems} questions found")
    say(f"{sum(file.problems for file in made)} questions in {len(made)} files")


@app.command()
def cache(
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="Folder or .tar.gz of the published layout.")
    ],
    out: Annotated[
        Path, typer.Option(help="File to write; about 0.6 GB for ten million questions.")
    ],
    split: Splits = None,
    modules: Modules = None,
) -> None:
    """Put the questions of a split in one file to train from; `train`, if no split is given.

    The file appears under its name when it is whole. Every line is checked on the way.

    Example: `progtf data cache mathematics_dataset-v1.0.tar.gz --out train.cache`
    """
    with mistakes_told():
        files = data.open_layout(source, data.choose_splits(split or ["train"]), modules or ())
        with progress_bar(None) as report:
            data.build_cache(out, files, report, named=True)
        built = data.open_cache(out)
    say(f"{len(built)} questions of {len(built.sources)} files in {out}")


@app.command()
def inspect(
    path: Annotated[Path, typer.Argument(metavar="DATA", help="Folder, .tar.gz or cache.")],
    split: Splits = None,
    modules: Modules = None,
    check: Annotated[bool, typer.Option(help="Compare a cache with its checksums.")] = False,
) -> None:
    """Count the questions of each file, reading and checking every line of a folder or archive.

    What is no question and answer is named; then the status is 1.
    """
    told = data.Told()
    with mistakes_told():
        if _is_cache(path):
            opened = data.open_cache(path).of(modules or ())
            if check:
                opened.check()
            rows = [(s.split, s.module, s.problems) for s in opened.sources]
        else:
            wanted = path, data.choose_splits(split or ["all"]), modules or ()
            files = data.open_layout(*wanted, told=told)
            counts = ((f, sum(len(text.question_length) for text in f.text())) for f in files)
            rows = [(f.split, f.module, count) for f, count in counts]
    table = Table("split", "module", "questions")
    for row in sorted(rows, key=lambda row: data.place_of(*row[:2])):
        table.add_row(*map(str, row))
    table.add_section()
    count = sum(row[2] for row in rows)
    table.add_row("", f"{len(rows)} files", str(count))
    print_table(table)
    if tell_passed(told, count):
        raise typer.Exit(1)


def _is_cache(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


@app.command()
def get(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help=f"{', '.join(NAMED)}.", show_default=False),
    ] = None,
    *,
    listed: Annotated[
        bool, typer.Option("--list", help="Say what there is: size, licence, home, what needs it.")
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FOLDER|ARCHIVE|URL",
            show_default=False,
            help="Take the files from a folder or an archive, wherever they are in there (a clone"
            " of the set's home, or a download), or from the address of either.",
        ),
    ] = None,
) -> None:
    """Bring published data sets from their homes into your data folder.

    That is the folder that `PROGTF_DATA` names, or else your own; `--list` says where it is. Each
    file has to have its checksum; what programs and runs read is made of them. After a kill the
    same command goes on where it was.

    Example: `progtf data get scan cogs`
    """
    if listed:
        list_sets()
        return
    if not names:
        warn(f"error: name what to get\n  help: {THERE_ARE}")
        raise typer.Exit(1)
    with mistakes_told():
        if source is not None and not source:
            raise data.DataError("--from names nothing", help="a folder, an archive or an address")
        for name in names:  # before the first comes
            named(name)
    for name in dict.fromkeys(names):
        with mistakes_told():
            told = bring(name, source or "")
        say(told)


@app.command("modules")
def list_modules() -> None:
    """List the modules, and which splits have each."""
    table = Table("module", "train, interpolate", "extrapolate", "live")
    for module in sorted(ALL_MODULES):
        marks = (
            module in names
            for names in (data.MODULES, data.EXTRAPOLATION_MODULES, data.FAST_MODULES)
        )
        table.add_row(module, *("yes" if mark else "" for mark in marks))
    print_table(table)


@app.command()
def sample(
    module: Annotated[str, typer.Argument(help="Such as numbers__gcd.")],
    split: Annotated[
        str, typer.Option("--split", "-s", help="The split whose questions are shown.")
    ] = "interpolate",
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=CHUNK)] = 5,
    seed: Annotated[int, typer.Option(min=0, max=MOST)] = 0,
) -> None:
    """Print a few questions and answers of a module."""
    with mistakes_told():
        for chosen in data.choose_splits([split]):
            for name in data.choose_modules([module], data.modules_of(chosen)):
                for problem in data.generate(chosen, name, seed, 0)[:count]:
                    say(f"{problem.question}\n{problem.answer}")
