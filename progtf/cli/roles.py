"""``progtf roles``: what the roles that a network has learned are, beside what a program knows."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from progtf.atomic import write
from progtf.cli.data import mistakes_told
from progtf.cli.head_roles import Wanted, head_roles
from progtf.cli.messages import UserError, say
from progtf.cli.outcome import NoCache, kept
from progtf.cli.problems import LEAST, AsJson, read_problems, right_ones
from progtf.cli.ranges import MOST
from progtf.cli.roles_table import print_table
from progtf.cli.sources import read_model
from progtf.cli.word_roles import word_roles
from progtf.extras import needed
from progtf.tasks.comprehension import has_passages

if TYPE_CHECKING:
    from progtf.analysis.conjunctions import Said
    from progtf.analysis.roles import Found
    from progtf.data.problem import Problem
    from progtf.network.model import Model
    from progtf.training.roles import Reading

SHOWN = 40
"""Questions of the page."""
_SIDES = {False: "encoder", True: "decoder"}
LISTED = 15
"""Semes of the table, where none is named."""
WORDS = ("role", "digits, %", "where it is", "F1 where chosen", "F1 held out")
TITLES = ("of", "best", "seme", "AMI where chosen", "AMI held out", "told")


def roles(  # noqa: PLR0913  each is an option
    checkpoint: Annotated[
        Path, typer.Argument(help="Of a run of a `[model]`, kind `tp`, `transformer` or `reader`.")
    ],
    texts: Annotated[
        list[str] | None, typer.Argument(help="Questions, in place of a file of them.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="A file of questions and answers in turns, a line each, or of pairs (.tsv); of a"
            " `reader` passages."
        ),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            help="The head that is read, as `encoder layer 1 head 3` or `decoder layer 0 cross"
            " head 1`; numbers begin at 0. Else the first of the last layer, and beside a program"
            " the best."
        ),
    ] = None,
    program: Annotated[
        Path | None,
        typer.Option(help="A `.seme` program that reads these questions by characters."),
    ] = None,
    tags: Annotated[
        Path | None, typer.Option(help="Of passages, by scripts/tag_passages.mjs.")
    ] = None,
    seme: Annotated[
        list[str] | None, typer.Option(help="A seme of the program; else all that vary.")
    ] = None,
    decoder: Annotated[
        bool,
        typer.Option(
            "--decoder", help="Heads of the decoder, where characters of answers are due."
        ),
    ] = False,
    clusters: Annotated[int, typer.Option(min=2, max=MOST, help="Clusters of k-means.")] = 20,
    limit: Annotated[int, typer.Option(min=4, max=MOST, help="Questions that are read.")] = 200,
    right: Annotated[
        bool,
        typer.Option("--right", help="Only questions of the file that the network answers right."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="A page with coloured questions.")
    ] = None,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Cluster the role vectors of heads, and tell which seme of a written program they know.

    The vectors are divided by k-means (Schlag et al. 2019, section 5.1). Without a program those of
    one head are, at every symbol and both ends of a question, and it is told which symbols stand in
    each cluster. A Transformer has no roles: what its head retrieves is divided.

    With `--program` every head is, at the characters of questions, and clusters are held against a
    seme at digits only, by adjusted mutual information (AMI): the
    head is chosen on every second question and scored on the others. Beside it stand controls: the
    same network untrained, what heads retrieve instead of roles, clusters that changed places
    within their question, and the characters themselves. `told` is the share of the seme's
    entropy that clusters tell. Every cluster of the best head is said in words, too: the shortest
    conjunction of at most two semes, and its F1 at digits. The page shows where the head looks in
    the first three questions (section 5.2), with a program and without.

    Of a network that reads passages the words of every role and of every symbol are told, and
    their parts of speech where there are tags.

    Examples: `progtf roles runs/out/tp/checkpoints/step-0002000 --data fractions.txt
    --head "encoder layer 1 head 3" -o roles.html`;
    the same with `--program mul_div_multiple.seme --seme turned`
    """
    if data is not None and has_passages(data):
        if right:
            raise UserError("`--right` is of questions and answers; these are passages")
        with mistakes_told():
            word_roles(checkpoint, data, tags, limit, out, as_json=as_json)
        return
    needed("sklearn")
    side = _SIDES[decoder or (head or "").startswith("decoder")]
    if program is None:
        head_roles(
            checkpoint, (texts, data), Wanted(head, side, clusters, limit, right), out, as_json
        )
        return
    if texts or data is None:
        raise UserError("beside a program questions come from a file: give `--data`, and no text")
    problems = read_problems(data, None if right else limit)
    if right:
        problems = _right(checkpoint, problems, limit)
    written = read_model(program, None, kept(no_cache=no_cache))
    reading = _read(checkpoint, written, problems, (clusters, seme or (), side, head))
    rows = [_row(name, each) for name, found in reading.found.items() for each in found[:LISTED]]
    if as_json:
        keys = ("of", "head", "seme", "chosen", "ami", "told")
        say(json.dumps([dict(zip(keys, row, strict=True)) for row in rows]))
    else:
        print_table(TITLES, _cells(rows))
        say(f"clusters of {reading.shown}, at digits")
        print_table(WORDS, [_words(each) for each in reading.words])
    if out is not None:
        write(out, _page(checkpoint, program, reading, rows, side), named=True)
        say(f"wrote {out}")


def _right(checkpoint: Path, problems: "list[Problem]", limit: int) -> "list[Problem]":
    from progtf.training.config import RunError  # noqa: PLC0415  torch is slow
    from progtf.training.places import with_heads  # noqa: PLC0415

    try:
        return right_ones(with_heads(checkpoint), problems, limit, LEAST)
    except (RunError, ValueError) as error:
        raise UserError(str(error)) from None


def _read(
    checkpoint: Path, written: "Model", problems: "list[Problem]", wanted: tuple[Any, ...]
) -> "Reading":
    from progtf.training.config import RunError  # noqa: PLC0415  torch is slow
    from progtf.training.roles import read_roles  # noqa: PLC0415

    try:
        return read_roles(checkpoint, written, problems, *wanted)
    except (RunError, ValueError) as error:
        raise UserError(str(error)) from None


def _words(each: "Said") -> list[str]:
    numbers = f"{each.share:.1f}", f"{each.chosen:.2f}", f"{each.held_out:.2f}"
    return [str(each.cluster), numbers[0], each.words, *numbers[1:]]


Row = tuple[str, str, str, float, float, float]


def _row(name: str, found: "Found") -> Row:
    numbers = (found.chosen.ami, found.held_out.ami, found.held_out.told)
    ami, held_out, told = (round(number, 3) for number in numbers)
    return name, found.name, found.seme, ami, held_out, told


def _cells(rows: list[Row]) -> list[list[str]]:
    return [[*row[:3], *(f"{number:.3f}" for number in row[3:])] for row in rows]


def _page(checkpoint: Path, program: Path, reading: "Reading", rows: list[Row], side: str) -> str:
    from progtf.views.roles import roles_page  # noqa: PLC0415  quick start of other commands

    name = reading.shown
    labels, start, texts = reading.heads[name].tolist(), 0, []
    for text in reading.texts:
        texts.append((text, labels[start : start + len(text)]))
        start += len(text)
    what = "questions" if side == "encoder" else "answers"
    where = f"{checkpoint}: the vectors of every head of the {side}, divided by k-means, and held"
    where += f" against semes of {program.name} at digits."
    how = f"Heads were chosen on half of {len(texts)} {what}, and scored on the others."
    shown = f"The {what} below are coloured by the clusters of {name}."
    table = [TITLES, *_cells(rows)]
    heading = f"{what.capitalize()}, coloured by cluster"
    said = (where, how, shown)
    return roles_page("Learned roles", said, table, texts[:SHOWN], heading, maps=reading.maps)
