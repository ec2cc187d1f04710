"""``python -m benchmarks.refute``: options, a bar, counts, and files of differences."""

import sys
import time
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.refute.tally import Tally
from benchmarks.refute.work import Tried, results
from progtf.exact import FORMATS

PROCESSES = 2


def main(
    certificates: Annotated[int, typer.Option(help="How many are asked for.")] = 20_000,
    seed: Annotated[int, typer.Option(help="The same programs for the same seed.")] = 0,
    minutes: Annotated[float, typer.Option(help="No longer than that.")] = 30.0,
    out: Annotated[Path, typer.Option(help="Where differences are written.")] = Path("refuted"),
    flaws: Annotated[str, typer.Option(help="Mistakes to put back, by name; or `all`.")] = "",
) -> None:
    """Attacks the certificates of random programs. Status 1 if one of them is false."""
    torch.set_num_threads(1)
    if flaws:
        from benchmarks.refute.flaws import show_flaws  # noqa: PLC0415  it patches by name

        sys.exit(show_flaws(seed, flaws.split(), PROCESSES))
    console = Console()
    tally = gathered(seed, certificates, 60 * minutes, out, console)
    console.print(tally.table())
    for (dtype, promise), number in sorted(tally.promises.items()):
        console.print(f"{dtype}: {promise} not kept: {number}")
    sys.exit(1 if tally.false else 0)


def gathered(seed: int, certificates: int, seconds: float, out: Path, console: Console) -> Tally:
    """Counts of so many certificates, or of as many as there is time for; differences as files."""
    tally, stop = Tally(), time.monotonic() + seconds
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        bar = progress.add_task("no difference", total=certificates)
        for each in results(seed, PROCESSES):
            tally.add(each.constructs, each.outcomes)
            if each.smallest is not None:
                write(out, each)
            shown = f"{tally.false} false" if tally.false else "no difference"
            progress.update(bar, advance=len(FORMATS), description=shown)
            if tally.certificates >= certificates or time.monotonic() > stop:
                break
    return tally


def write(folder: Path, each: Tried) -> None:
    """The smallest program that differs as a file, with its inputs and both answers as comments."""
    case = each.smallest
    assert case is not None
    found = case.found
    folder.mkdir(parents=True, exist_ok=True)
    others = ", ".join(o.dtype for o in each.outcomes if o.found is not None)
    head = [f"program {each.place}; false in {others}; here {found.dtype}: {found.promise}"]
    head += [f"input: {text}" for text in found.texts[-1:]]
    head += [f"beside it in the batch: {text}" for text in found.texts[:-1]]
    head += [f"meant: {found.meant}", f"got:   {found.got}"]
    lines = "".join(f"# {line}\n" for line in head)
    (folder / f"{each.place}-{found.dtype}-{found.promise}.seme").write_text(lines + case.text)


if __name__ == "__main__":
    typer.run(main)
