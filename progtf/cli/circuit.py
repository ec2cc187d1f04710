"""``progtf circuit``: who writes what that whom reads."""

import json
from pathlib import Path
from typing import Annotated

import typer

from progtf.cli.messages import UserError, write_out
from progtf.cli.sources import read_weights
from progtf.weights.circuit import circuit as circuit_of


def circuit(
    model: Annotated[
        Path, typer.Argument(metavar="FILE", help="A program, compiled folder or checkpoint.")
    ],
    *,
    dot: Annotated[bool, typer.Option("--dot", help="Graphviz in place of JSON.")] = False,
    svg: Annotated[bool, typer.Option("--svg", help="A picture in place of JSON.")] = False,
) -> None:
    """Show who writes what that whom reads: heads, rules, and the semes between them.

    JSON has `nodes`, in the order in which they run, each with the semes that it writes and reads,
    and `edges`: writer, reader, seme, and the fields that read it (`query`, `key`, `value`, `role`;
    `mat1` of rules). They are read off the weights: the truth for methods of circuit discovery.

        progtf circuit examples/math/place_value.seme --svg > circuit.svg
    """
    if dot and svg:
        raise UserError("--dot and --svg: one of both")
    found = circuit_of(read_weights(model, None))
    if svg:
        from progtf.views.circuit import draw  # noqa: PLC0415  only who wants a picture waits

        write_out(draw(found) + "\n")
    else:
        write_out(found.dot() if dot else json.dumps(found.as_data(), indent=1) + "\n")
