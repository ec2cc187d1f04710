"""``progtf probe``: what a head keeps of a state, and pairs of directions of a product."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from progtf.cli.messages import UserError, say
from progtf.cli.problems import AsJson, Questions, read_problems
from progtf.cli.ranges import MOST
from progtf.cli.roles_table import print_table

if TYPE_CHECKING:
    from progtf.analysis.binding import Kept, Shares

KEPT = ("head", "R2", "mean squared error")
READ = (
    "6.1: the encoder's last state, told from one head's value of it, at the symbols of questions."
    " By our\nreading of the paper these are the cross heads of the decoder, which read that state."
)
BOUND = (
    "A.2: the share of the variance of filler ⊗ role that is kept, by head of the encoder. free: by"
    " any\ndirections; products: by the product of two vectors nearest to each of these; unpaired:"
    " by products\nof principal directions of fillers and roles; paired: by the first with the"
    " first, and so on"
)
SHARES = ("head", "free", "products", "unpaired", "paired")


def probe(
    checkpoint: Annotated[
        Path, typer.Argument(help="Of a run of a `[model]`, kind `tp` or `transformer`.")
    ],
    data: Questions,
    limit: Annotated[int, typer.Option(min=4, max=MOST, help="Questions that are read.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Measure what single heads of a learned network keep (Schlag et al. 2019, 6.1 and A.2).

    Appendix A.2 asks for a network with `model.binding = "outer"`, as `runs/cpu/outer.toml`
    trains one; section 6.1 for any of kind `tp` or `transformer`.

    Section 6.1: an affine map leads from the numbers with which one head of the decoder reads the
    encoder's last state back to that state. It is fitted on the first half of the positions. R2,
    the share of the variance that it tells, and its mean squared error are counted on the second
    half. R2 is 1 where a head keeps everything. Errors are comparable within one network only. The
    paper gives their mean over all heads: the last row. It does not say which heads it means; we
    take the cross heads of all layers of the decoder, which alone read the encoder's last state.

    Appendix A.2: what is kept of the variance of filler ⊗ role by as many directions as roles have
    numbers. `free`: any directions, the most that is possible. `products`: of each of them the
    nearest product of two vectors. `unpaired`: products of principal directions of fillers and of
    roles, the strongest. `paired`: the first with the first, and so on. A Hadamard product is the
    best compression where `products` is as much as `free`; `progtf hadamard` converts such a
    network.

    Example: `progtf probe runs/out/tp/checkpoints/step-0002000 --data fractions.txt`
    """
    problems = read_problems(data, limit)
    from progtf.analysis.binding import mean_of  # noqa: PLC0415  quick start of other commands
    from progtf.training.config import RunError  # noqa: PLC0415  torch is slow
    from progtf.training.places import with_heads  # noqa: PLC0415
    from progtf.training.probes import pairs_of_directions, states_told  # noqa: PLC0415

    try:
        model = with_heads(checkpoint)
        told = states_told(model, problems)
        pairs = pairs_of_directions(model, problems)
    except (RunError, ValueError) as error:
        raise UserError(str(error)) from None
    mean = mean_of(told.values())
    if as_json:
        say(json.dumps(_as_json(told, mean, pairs)))
        return
    say(READ)
    rows = [*told.items(), ("mean over heads", mean)]
    print_table(KEPT, [_cells(name, each) for name, each in rows])
    if pairs:
        say(BOUND)
        print_table(SHARES, [_cells(name, each) for name, each in pairs.items()])
    else:
        say(
            'A.2 asks for a network that binds by whole products: `model.binding = "outer"`, as'
            " runs/cpu/outer.toml has it"
        )


def _cells(name: str, numbers: "Kept | Shares") -> list[str]:
    return [name, *(f"{number:.3f}" for number in numbers)]


def _as_json(
    told: "dict[str, Kept]", mean: "Kept", pairs: "dict[str, Shares]"
) -> dict[str, object]:
    rows = [*told.items(), ("mean", mean)]
    return {
        "6.1": {name: {"R2": each.explained, "MSE": each.error} for name, each in rows},
        "A.2": {name: each._asdict() for name, each in pairs.items()},
    }
