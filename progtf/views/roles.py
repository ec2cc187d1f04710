"""Questions whose characters are coloured by clusters, as the figures of Schlag et al. 2019 are."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol

from progtf.views.page import plain_page

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STYLE = """<style>
.roles { font: 15px/1.9 ui-monospace, Menlo, "DejaVu Sans Mono", monospace; max-width: none; }
.roles span { border-radius: 3px; padding: 2px 1px; }
.scores { border-collapse: collapse; font-size: 14px; }
.scores :is(td, th) { border-bottom: 1px solid light-dark(#e2e6ec, #2c3341);
  padding: 4px 14px 4px 0; text-align: left; }
.scores td:first-child { white-space: nowrap; }
.looks { border-collapse: collapse; font: 12px ui-monospace, Menlo, monospace; margin: 0 0 20px; }
.looks td { width: 15px; height: 15px; border: 1px solid light-dark(#eef1f5, #232a37); padding: 0; }
.looks th { font-weight: normal; padding: 0 2px; white-space: nowrap; }
.scores td + td { font-variant-numeric: tabular-nums; }
</style>"""
_GOLDEN = 137.508  # degrees: neighbours in number lie far apart in colour


class Attention(Protocol):
    """Where a head looks: the shares of attention (dst src), and what stands on both sides."""

    @property
    def dst(self) -> Sequence[str]: ...
    @property
    def src(self) -> Sequence[str]: ...
    @property
    def shares(self) -> "NDArray[np.float64]": ...


def roles_page(
    title: str,
    said: Sequence[str],
    rows: Sequence[Sequence[str]],
    questions: Sequence[tuple[Sequence[str], Sequence[int]]],
    heading: str = "Questions, coloured by cluster",
    names: Sequence[str] = (),
    maps: Sequence["Attention"] = (),
) -> str:
    """A page with a table and questions.

    Args:
        title: of the page.
        said: paragraphs above the table.
        rows: of the table; the first is its head.
        questions: each with the cluster of every character, or of every word.
        heading: above them.
        names: of clusters, where they have any.
        maps: where a head looks in some of the questions.
    """
    paragraphs = "".join(f"<p>{escape(each)}</p>" for each in said)
    lines = "".join(f"<div>{_coloured(*each, names)}</div>" for each in questions)
    body = (
        f"{_STYLE}<h1>{escape(title)}</h1>{paragraphs}{_table(rows)}"
        f'<h2>{escape(heading)}</h2><div class="roles">{lines}</div>{_maps(maps)}'
    )
    return plain_page(title, body)


def seen_as(symbol: str) -> str:
    """A symbol as it can be seen: a space is ␣."""
    return symbol.replace(" ", "\N{OPEN BOX}")


def _coloured(text: Sequence[str], clusters: Sequence[int], names: Sequence[str]) -> str:
    """Every part on the colour of its cluster, whose name shows when it is pointed at."""
    return "".join(
        f'<span title="{_name(number, names)}" style="background: light-dark('
        f"hsl({number * _GOLDEN % 360:.0f} 75% 82%), hsl({number * _GOLDEN % 360:.0f} 45% 30%))"
        f'">{escape(character)}</span>'
        for character, number in zip(text, clusters, strict=True)
    )


def _name(cluster: int, names: Sequence[str]) -> str:
    return escape(names[cluster]) if names else f"cluster {cluster}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    first, *rest = rows
    head = "".join(f"<th>{escape(cell)}</th>" for cell in first)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rest
    )
    return f'<table class="scores"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _maps(maps: Sequence[Attention]) -> str:
    """A table for each: a row for who reads, a column for what is read, dark where it looks."""
    if not maps:
        return ""
    said = "Where this head looks: a row is a place that reads, a column a place that is read."
    return f"<h2>Attention</h2><p>{said}</p>{''.join(map(_map, maps))}"


def _map(one: Attention) -> str:
    head = "".join(f"<th>{escape(seen_as(src))}</th>" for src in one.src)
    lines = zip(one.dst, one.shares.tolist(), strict=True)
    body = "".join(
        f"<tr><th>{escape(seen_as(dst))}</th>{_shares(dst, one.src, row)}</tr>"
        for dst, row in lines
    )
    return (
        f'<table class="looks"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def _shares(dst: str, sources: Sequence[str], row: Sequence[float]) -> str:
    return "".join(
        f'<td title="{escape(f"{seen_as(dst)} looks at {seen_as(src)}: {share:.2f}", quote=True)}"'
        f' style="background: rgb(37 99 235 / {share:.2f})"></td>'
        for src, share in zip(sources, row, strict=True)
    )
