"""A table of what roles tell."""

from collections.abc import Sequence


def print_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints rows; what is named by AMI, `told` or `%` stands to the right."""
    from rich.box import SIMPLE  # noqa: PLC0415  rich is slow
    from rich.table import Table  # noqa: PLC0415

    from progtf.tables import Shown  # noqa: PLC0415

    table = Table(box=SIMPLE, pad_edge=False)
    for title in titles:
        numbers = title[:3] in ("AMI", "tol") or title.endswith("%")
        table.add_column(title, justify="right" if numbers else "left")
    for row in rows:
        table.add_row(*row)
    Shown().print(table)
