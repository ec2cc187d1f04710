"""One page: every figure of speed and memory, as a ratio, beside the one before."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.figures import HISTORY, Figure, Found, Missing, keep, past, shown

_PREFIX = "bench_"
WIDTH = 120  # columns, where there is no terminal


def names() -> list[str]:
    """The benchmarks in this folder: every ``bench_NAME.py`` has ``figures()``.

    One that takes more than a few minutes says so by ``LONG = True``.
    """
    here = Path(__file__).parent
    return sorted(path.stem.removeprefix(_PREFIX) for path in here.glob(f"{_PREFIX}*.py"))


def main(
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help=f"Of {', '.join(names())}.")
    ] = None,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Those too that take long: data, a million lines, ...")
    ] = False,
    history: Annotated[Path, typer.Option(help="Where figures are kept, one a line.")] = HISTORY,
) -> None:
    """Measure what the project claims of speed and memory, print one page, and keep its figures.

    Figures are medians of several turns in one run, and ratios where something can be had beside
    them: a peer, the least that is possible, or the size before. `last` is the last figure of the
    history on a machine of as many cores. A benchmark that needs what is not here says so.

    Examples:
        python -m benchmarks

        python -m benchmarks start answers
    """
    unknown = [name for name in wanted or () if name not in names()]
    if unknown:
        sys.exit(f"no benchmark is called {unknown[0]!r}; there are {', '.join(names())}")
    before, found = past(history), list[Figure]()
    table, left_out = _table(), list[str]()
    try:
        for name in wanted or names():
            for each in _found(name, long=bool(wanted) or everything):
                if isinstance(each, Missing):
                    left_out.append(f"{name}: not measured: {each.why}")
                else:
                    found.append(each)
                    table.add_row(*_row(each, before.get(each.name)))
    finally:
        keep(found, history)
        _print(table, left_out)


def _found(name: str, *, long: bool) -> Iterator[Found]:
    """What one benchmark finds, named after it, as it is found."""
    _say(f"{name} ...")
    try:
        module = import_module(f"benchmarks.{_PREFIX}{name}")
    except ImportError as error:
        yield Missing(str(error))
        return
    if getattr(module, "LONG", False) and not long:
        yield Missing(f"it takes long; `python -m benchmarks {name}`, or --all")
        return
    for each in module.figures():
        if isinstance(each, Missing):
            yield each
        else:
            _say(f"  {each.name}: {shown(each.value)} {each.unit}")
            yield replace(each, name=f"{name}: {each.name}")


def _table() -> Table:
    table = Table(box=SIMPLE, pad_edge=False)
    for column in ("figure", "value", "unit", "against", "last", "change"):
        table.add_column(column, justify="right" if column in {"value", "last"} else "left")
    return table


def _row(figure: Figure, last: float | None) -> list[Text]:
    change = f"{figure.value / last - 1:+.0%}" if last else ""
    before = "" if last is None else shown(last)
    cells = (figure.name, shown(figure.value), figure.unit, figure.against, before, change)
    return [Text(cell) for cell in cells]


def _print(table: Table, left_out: list[str]) -> None:
    console = Console(highlight=False)
    console = Console(highlight=False, width=max(console.width, WIDTH))
    if table.row_count:
        console.print(table)
    for line in left_out:
        console.print(Text(line))


def _say(progress: str) -> None:
    print(progress, file=sys.stderr, flush=True)


if __name__ == "__main__":
    app = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown"
    )
    app.command()(main)
    app(prog_name="python -m benchmarks")
