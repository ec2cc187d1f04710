"""Questions whose characters are coloured by clusters, as the figures of Schlag et al. 2019 are."""

from collections.abc import Sequence
from html import escape

from progtf.views.page import plain_page

_STYLE = """<style>
.roles { font: 15px/1.9 ui-monospace, Menlo, "DejaVu Sans Mono", monospace; max-width: none; }
.roles span { border-radius: 3px; padding: 2px 1px; }
.scores { border-collapse: collapse; font-size: 14px; }
.scores :is(td, th) { border-bottom: 1px solid light-dark(#e2e6ec, #2c3341);
  padding: 4px 14px 4px 0; text-align: left; }
.scores td + td { font-variant-numeric: tabular-nums; }
</style>"""
_GOLDEN = 137.508  # degrees: neighbours in number lie far apart in colour


def roles_page(
    title: str,
    said: Sequence[str],
    rows: Sequence[Sequence[str]],
    questions: Sequence[tuple[str, Sequence[int]]],
) -> str:
    """A page with a table and questions.

    Args:
        title: of the page.
        said: paragraphs above the table.
        rows: of the table; the first is its head.
        questions: each with the cluster of every character.
    """
    paragraphs = "".join(f"<p>{escape(each)}</p>" for each in said)
    lines = "".join(f"<div>{_coloured(*each)}</div>" for each in questions)
    body = (
        f"{_STYLE}<h1>{escape(title)}</h1>{paragraphs}{_table(rows)}"
        f'<h2>Questions, coloured by cluster</h2><div class="roles">{lines}</div>'
    )
    return plain_page(title, body)


def _coloured(text: str, clusters: Sequence[int]) -> str:
    """Every character on the colour of its cluster, whose number shows when it is pointed at."""
    return "".join(
        f'<span title="cluster {number}" style="background: light-dark('
        f"hsl({number * _GOLDEN % 360:.0f} 75% 82%), hsl({number * _GOLDEN % 360:.0f} 45% 30%))"
        f'">{escape(character)}</span>'
        for character, number in zip(text, clusters, strict=True)
    )


def _table(rows: Sequence[Sequence[str]]) -> str:
    first, *rest = rows
    head = "".join(f"<th>{escape(cell)}</th>" for cell in first)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rest
    )
    return f'<table class="scores"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
