"""The table of `docs/roles.md`."""

from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "roles.md"
BEGIN, END = "<!-- made by python -m benchmarks.roles -->\n", "<!-- end -->\n"
NETWORKS = {"tp": "TP-Transformer, roles", "transformer": "Transformer, values"}
CONTROLS = ("values", "untrained", "shuffled", "characters")


def write_page(rows: list[dict[str, Any]]) -> None:
    """Puts the table in its place in the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    text = before + BEGIN + table(rows) + END + rest.partition(END)[2]
    PAGE.write_text(text, encoding="utf-8")


def table(rows: list[dict[str, Any]]) -> str:
    """A line for each network."""
    titles = ("network", "seed", "right, %", "head", "AMI", "told", *CONTROLS)
    lines = [titles, ("---",) * len(titles), *map(_cells, rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    controls = (
        f"{row['control'][name]:.3f}" if name in row["control"] else "" for name in CONTROLS
    )
    own = f"{row['ami']:.3f}", f"{row['told']:.3f}"
    return (
        NETWORKS[row["network"]], str(row["seed"]), f"{row['accuracy']:g}", row["head"], *own,
        *controls,
    )  # fmt: skip
