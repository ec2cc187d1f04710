"""``progtf solve``: the equations of a word problem, what they come to, and where they point."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from progtf.cli.messages import UserError, say, warn
from progtf.cli.texts import as_text
from progtf.cli.trained import checkpoint_of
from progtf.extras import not_installed
from progtf.numbers import settled, shown
from progtf.tasks.word_problems.numbers import asks, read_text
from progtf.tasks.word_problems.shown import pointed, shown_equations, unknown_name

if TYPE_CHECKING:
    from progtf.tasks.word_problems import WordProblem
    from progtf.training.solve import Solved, Weighed


def solve(
    text: Annotated[str, typer.Argument(help="The problem, in English, with its question.")],
    *,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="A checkpoint of your own, in place of the network of the package.",
            show_default=False,
        ),
    ] = None,
    beams: Annotated[int, typer.Option(min=1, max=20, help="Beginnings that are kept.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page that shows where operands point.")
    ] = None,
) -> None:
    """Solve a word problem with a network that has learned to write equations.

    Prints the equations, their solution, and which word of the text each number was taken from. The
    network may be wrong; what it wrote is solved exactly. One line on stderr says where it is
    unsure: by its own chance, or since its beams disagree. Status 1 if its equations have no
    solution. A network lies in the package; progtf/networks/solve/README.md says what it can do.

    Example: `progtf solve "The sum of 20 and a number is 30. What is it?"`
    """
    checkpoint = checkpoint_of(checkpoint, "solve")
    try:
        problem = read_text(as_text(text))
    except ValueError as error:
        raise UserError(str(error)) from None
    if not asks(problem):
        warn("the text asks for nothing, by no `?` and no word such as `find`; all unknowns follow")
    weighed = _weighed(problem, checkpoint, beams)
    solved = weighed.solved
    if not solved.equations:
        raise UserError(f"the network wrote no equations: {solved.reason}".removesuffix(": "))
    if weighed.unsure:
        warn(_unsure(weighed))
    told = {
        "unsure": weighed.unsure,
        "agreeing beams": round(weighed.share, 4),
        "chance": round(weighed.chance, 4),
    }
    found = _found(solved, problem) | told
    say(json.dumps(found, indent=1) if as_json else _told(found))
    if html is not None:
        _write_page(html, found, problem, solved)
    if not solved.solutions:
        raise UserError(f"the equations have no solution: {solved.reason or 'none is real'}")


def _unsure(weighed: "Weighed") -> str:
    if weighed.least is None:
        share = f"{100 * weighed.share:.0f} %"
        return f"unsure: the beams disagree; {share} of their chance is for what this comes to"
    why = f"its chance is {weighed.chance:.2f}, and has to be {weighed.least:.2f}"
    if weighed.chance >= weighed.least:
        why = "a value is below 0"
    return f"unsure, do not rely on it: {why}"


def _weighed(problem: "WordProblem", checkpoint: Path, beams: int) -> "Weighed":
    """What the network writes, solved, and whether its beams agree."""
    if find_spec("sympy") is None:  # which a child process asks
        raise UserError(not_installed("sympy") or "sympy is not installed")
    from progtf.training.config import RunError  # noqa: PLC0415  quick help
    from progtf.training.solve import load_solving, weighed  # noqa: PLC0415  torch is slow
    from progtf.training.sureness import least_sure  # noqa: PLC0415

    try:
        model, least = load_solving(checkpoint, [problem]), least_sure(checkpoint)
    except RunError as error:
        raise UserError(str(error)) from None
    return weighed(model, problem, beams, least)


def _found(solved: "Solved", problem: "WordProblem") -> dict[str, Any]:
    return {
        "equations": list(shown_equations(solved.tokens, problem)),
        "solutions": [
            {unknown_name(unknown): value for unknown, value in each.items()}
            for each in solved.solutions
        ],
        "points at": [
            {"equation": each.equation, "word": each.word + 1, "says": problem.said(each.number)}
            for each in pointed(solved.tokens, problem)
        ],
        "words": list(problem.words),
    }


def _told(found: dict[str, Any]) -> str:
    """The same for people."""
    words, lines = found["words"], []
    for number, equation in enumerate(found["equations"], start=1):
        lines.append(equation)
        for each in found["points at"]:
            if each["equation"] == number:
                place = each["word"] - 1
                around = " ".join(words[max(place - 3, 0) : place + 4])
                lines.append(f"  {each['says']}: word {each['word']}, in `{around}`")
    return "\n".join([*lines, *map(_solution, found["solutions"])])


def _solution(values: dict[str, float]) -> str:
    return ", ".join(
        f"{name} = {shown(settled(value, 10), digits=10)}" for name, value in values.items()
    )


def _write_page(
    path: Path, found: dict[str, Any], problem: "WordProblem", solved: "Solved"
) -> None:
    from progtf.atomic import write  # noqa: PLC0415  quick start of other commands
    from progtf.tasks.word_problems.page import solution_page  # noqa: PLC0415

    solution = [_solution(each) for each in found["solutions"]]
    pointers = pointed(solved.tokens, problem)
    write(path, solution_page(problem, found["equations"], solution, pointers), named=True)
    warn(f"wrote {path}")
