"""``progtf adopt``: weights in the names of the published code become a checkpoint."""

from pathlib import Path
from typing import Annotated

import typer

from progtf.cli.messages import UserError, say
from progtf.cli.ranges import MOST


def adopt(
    weights: Annotated[
        Path,
        typer.Argument(
            help="Weights in the names of the published code: a .safetensors file, or one of"
            " `torch.save`, as its trainer's `best_eval_model.pt`."
        ),
    ],
    characters: Annotated[
        Path,
        typer.Option(
            help="Its characters in the order of their numbers, from 4 on: a text of one line, or"
            " a .json list or object of all symbols."
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The checkpoint to write.")],
    heads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST, help="Heads of each block, which weights do not tell."),
    ] = None,
) -> None:
    """Take over weights of the published TP-Transformer or Transformer, to be asked in text.

    Their numbering of characters is kept. What is written is a checkpoint, which `progtf run`,
    `eval` and `roles` take. Weights may be all that the file has, or stand under `model` or
    `state_dict`; their names may have a prefix, as `module.`. Nothing in the file is run.
    docs/layers.md lists the names.

    Example: `progtf adopt best_eval_model.pt --characters characters.json -o published`
    """
    from progtf.training.adopt import adopt_published  # noqa: PLC0415  torch is slow
    from progtf.training.config import RunError  # noqa: PLC0415

    try:
        adopt_published(weights, characters, out, heads)
    except RunError as error:
        raise UserError(str(error)) from None
    say(f'{out}\n`progtf run {out} "QUESTION"` asks it')
