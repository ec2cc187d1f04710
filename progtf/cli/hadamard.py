"""``progtf hadamard``: whole products of a network made into Hadamard ones."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from progtf.cli.messages import UserError, say
from progtf.cli.problems import AsJson, Questions, read_problems
from progtf.cli.ranges import MOST
from progtf.cli.roles_table import print_table

if TYPE_CHECKING:
    from progtf.training.hadamard import Converted

TITLES = ("head", "v ⊗ r kept, %", "update kept, %")


def hadamard(
    checkpoint: Annotated[
        Path, typer.Argument(help='Of a run of a `[model]` with `binding = "outer"`.')
    ],
    data: Questions,
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder of the new checkpoint.")],
    limit: Annotated[int, typer.Option(min=4, max=MOST, help="Questions that are read.")] = 1000,
    rounds: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST,
            help="The most rounds of fitting; 0: principal directions, as appendix A.2 has them.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Convert a network that binds by whole tensor products into one that binds by Hadamard ones.

    It asks for a network with `model.binding = "outer"`, as `runs/cpu/outer.toml` trains one.

    Appendix A.2 of Schlag et al. 2019: of filler ⊗ role each head keeps as many directions as it
    has numbers, each a product m ⊗ n. M goes into the map of values and N into that of roles; the
    output map reads their elementwise product. All else stays. The directions begin as the
    principal ones of filler ⊗ role, and are then fitted to what the head writes.

    Every second question is fitted to. On the others it is counted what the directions keep of the
    variance of filler ⊗ role, what is kept of what each head writes, and how many answers are right
    before and after. The new checkpoint is one like others: `progtf run` and `eval` take it, and a
    run goes on from it by `model.start`.

    Example: `progtf hadamard runs/out/outer/checkpoints/step-0001500 --data fractions.txt
    -o runs/out/converted`
    """
    if out.exists():
        raise UserError(f"{out}: something is there; name a folder that is not")
    problems = read_problems(data, limit)
    from progtf.training.config import RunError  # noqa: PLC0415  torch is slow
    from progtf.training.hadamard import ROUNDS, to_hadamard  # noqa: PLC0415

    try:
        found = to_hadamard(checkpoint, problems, ROUNDS if rounds is None else rounds)
        found.save(out)
    except (RunError, ValueError) as error:
        raise UserError(str(error)) from None
    if as_json:
        say(json.dumps(_as_json(found)))
        return
    rows = [[name, *(f"{100 * each:.1f}" for each in cost)] for name, cost in found.costs.items()]
    print_table(TITLES, rows)
    say(
        f"right answers to {found.questions} other questions: {found.before:.1f} % before,"
        f" {found.after:.1f} % after\nwrote {out}"
    )


def _as_json(found: "Converted") -> dict[str, object]:
    costs = {name: cost._asdict() for name, cost in found.costs.items()}
    numbers = {"before": found.before, "after": found.after, "questions": found.questions}
    return {"heads": costs, **numbers}
