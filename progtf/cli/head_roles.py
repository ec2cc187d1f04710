"""``progtf roles`` without a program: the role vectors of one head, which is named, in clusters."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from progtf.atomic import write
from progtf.cli.messages import UserError, say
from progtf.cli.problems import problems_of
from progtf.cli.roles_table import print_table

if TYPE_CHECKING:
    from progtf.training.probes import Cluster, Clustered

SHOWN = 40
"""Texts of the page."""
TITLES = ("cluster", "symbols, %", "what stands there")


class Wanted(NamedTuple):
    """What is read.

    Attributes:
        head: by its name; None: the first of the last layer.
        side: encoder or decoder, of a name that has none.
        clusters: of k-means.
        limit: the most questions.
        right: only those that the network answers right.
    """

    head: str | None
    side: str
    clusters: int
    limit: int
    right: bool = False


def head_roles(
    checkpoint: Path, given: tuple[list[str] | None, Path | None], wanted: Wanted,
    out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Prints the clusters of one head, and writes a page of texts in their colours.

    Args:
        checkpoint: of a network with heads.
        given: questions that were typed, or a file of them.
        wanted: which head, and in how many clusters.
        out: the page; None: there is none.
        as_json: whether JSON is printed, and no table.

    Raises:
        UserError: for a network without heads, a name that is none, and for no questions.
    """
    found = _found(checkpoint, given, wanted)
    rows = [
        [str(each.number), f"{100 * each.share:.1f}", _symbols(each)] for each in found.clusters
    ]
    what = f"{found.of} of {found.head}"
    if as_json:
        say(json.dumps(_as_json(found), ensure_ascii=False))
    else:
        say(f"{what}: {len(rows)} clusters at {sum(map(len, found.texts))} symbols")
        print_table(TITLES, rows)
    if out is not None:
        write(out, _page(checkpoint, found, what, rows), named=True)
        if not as_json:
            say(f"wrote {out}")


def _found(
    checkpoint: Path, given: tuple[list[str] | None, Path | None], wanted: Wanted
) -> "Clustered":
    from progtf.training.config import RunError  # noqa: PLC0415  torch is slow
    from progtf.training.places import with_heads  # noqa: PLC0415
    from progtf.training.probes import cluster_head  # noqa: PLC0415

    try:
        model = with_heads(checkpoint)
        problems = problems_of(model, *given, wanted.limit, right=wanted.right)
        return cluster_head(model, problems, wanted.head, wanted.clusters, wanted.side)
    except (RunError, ValueError) as error:
        raise UserError(str(error)) from None


def _symbols(cluster: "Cluster") -> str:
    from progtf.views.roles import seen_as  # noqa: PLC0415  quick start of other commands

    return ", ".join(f"{seen_as(symbol)} {100 * share:.0f} %" for symbol, share in cluster.symbols)


def _as_json(found: "Clustered") -> dict[str, Any]:
    clusters = [
        {"cluster": each.number, "share": each.share, "symbols": dict(each.symbols)}
        for each in found.clusters
    ]
    texts = [
        {"symbols": text, "clusters": labels}
        for text, labels in zip(found.texts, found.labels, strict=True)
    ]
    return {"head": found.head, "of": found.of, "clusters": clusters, "texts": texts}


def _page(checkpoint: Path, found: "Clustered", what: str, rows: list[list[str]]) -> str:
    from progtf.views.roles import roles_page  # noqa: PLC0415  quick start of other commands

    kind = "answers" if found.decoder else "questions"
    how = f"{checkpoint}: {what}, divided by k-means at every symbol of {len(found.texts)} {kind}."
    texts = list(zip(found.texts[:SHOWN], found.labels, strict=False))
    heading = f"{kind.capitalize()}, coloured by cluster"
    table = [TITLES, *rows]
    return roles_page("Learned roles", (how,), table, texts, heading, maps=found.maps)
