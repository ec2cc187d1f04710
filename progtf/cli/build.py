"""``progtf compile | decompile | diff``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from progtf.atomic import write
from progtf.cli.messages import UserError, say, warn, write_out
from progtf.cli.outcome import NoCache, Settled, kept
from progtf.cli.ranges import MOST
from progtf.cli.sources import read_proven, read_weights
from progtf.notation.spell import counted
from progtf.numbers import plain
from progtf.program.formats import common_format
from progtf.weights import decompile as decompiling
from progtf.weights.changes import changes, contrasts, counts, shown
from progtf.weights.folder import save_weights
from progtf.weights.weights import Weights

_Dtype = Annotated[
    str | None,
    typer.Option(
        help="How weights are stored: float64, float32, bfloat16, float16. Without it as in the "
        "folder; of a program float32, or float64 if float32 lacks one of its whole numbers."
    ),
]


def compile_(
    file: Annotated[Path, typer.Argument(help="A `.seme` program.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write.")],
    dtype: Settled = None,
    *,
    no_cache: NoCache = False,
) -> None:
    """Compile a program to a folder of safetensors and JSON that runs without its source.

    What is proven of the program in that format is said, and kept in the folder.
    """
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; name a folder")
    weights = read_proven(file, dtype, kept(no_cache=no_cache))
    save_weights(weights, out)
    say(f"{out}: {weights.count:,} weights in {counted(len(weights.maps), 'map')}")
    say(f"{out}: {weights.outcome}")


def decompile(
    model: Annotated[Path, typer.Argument(help="A compiled folder, a checkpoint or a program.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The file to write, instead of stdout.")
    ] = None,
    dtype: _Dtype = None,
    learned: Annotated[
        float | None,
        typer.Option(
            min=0, max=MOST, help="Also tell, as comments, learned weights larger than this."
        ),
    ] = None,
) -> None:
    """Print a model's weights as a program that compiles to the same bits.

    What is learned on dimensions without names has no place in a program; `--learned 0.5` tells
    its larger weights.
    """
    read = read_weights(model, dtype)
    text = decompiling.decompile(read)
    if learned is not None:
        from progtf.network.learned_lines import learned_lines  # noqa: PLC0415  torch is slow
        from progtf.network.network import Network  # noqa: PLC0415

        found = [*learned_lines(Network(read), learned)]
        lines = found or [f"nothing learned is larger than {plain(learned)}"]
        text += "".join(f"# {line}\n" for line in ("", *lines))
    if out is None:
        write_out(text)
    else:
        write(out, text, named=True)


def _read_both(one: Path, other: Path, dtype: str | None) -> tuple[Weights, Weights]:
    """The weights of both: of a program beside a folder in the format of the folder; in float64
    where a program has numbers that float32 lacks.
    """
    both = read_weights(one, dtype), read_weights(other, dtype)
    formats: dict[bool, list[str]] = {True: [], False: []}
    for path, weights in zip((one, other), both, strict=True):
        formats[path.is_dir()].append(weights.dtype)
    common = dtype or common_format(formats[False], formats[True])
    if common is None or both[0].dtype == both[1].dtype:
        return both
    return read_weights(one, common), read_weights(other, common)


def diff(
    one: Annotated[
        Path, typer.Argument(metavar="A", help="A program, compiled folder or checkpoint.")
    ],
    other: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    dtype: _Dtype = None,
    most: Annotated[
        int,
        typer.Option("--most", "-n", min=0, max=MOST, help="Show so many changes at most; 0: all."),
    ] = 40,
) -> None:
    """Show in notation which weights differ between two models, largest change first.

    Before them stands what the models differ in as a whole: settings, semes, tokens, layers.
    Status 1 if they differ.
    """
    before, after = _read_both(one, other, dtype)
    unlike = list(contrasts(before.layout, after.layout))
    found = changes(before, after)
    for line in unlike:
        say(line)
    if unlike or len(found) > most > 0:
        say(counts(found))
    for change in found[: most or None]:
        say(shown(change))
    if most and len(found) > most:
        say(f"and {len(found) - most:,} more; `--most 0` shows all")
    if found or unlike:
        sys.exit(1)
    learned = "" if before.layout.learn is None else "; learned parts are not compared"
    warn(f"the same: no written weight differs{learned}")
