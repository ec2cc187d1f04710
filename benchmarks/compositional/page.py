"""The table of `docs/compositional.md`."""

from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.compositional.plan import ADDED, RUNS, SPLITS, Arm, told

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "compositional.md"
BEGIN, END = "<!-- made by python -m benchmarks.compositional -->\n", "<!-- end -->\n"


def write_page(found: list[dict[str, Any]]) -> None:
    """Puts the table in its place in the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(before + BEGIN + table(found) + END + rest.partition(END)[2], encoding="utf-8")


def table(found: list[dict[str, Any]]) -> str:
    """The means over seeds, a row for each arm and number of training rows."""
    grouped: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in found:
        key = row["benchmark"], row["split"], row["arm"], _choice(told(row))
        grouped.setdefault(key, []).append(row)
    lines = [
        "| set | arm | training rows | steps | seeds | right, % | each seed |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (benchmark, split, arm, rows), some in sorted(grouped.items(), key=_place):
        each = ", ".join(f"{row['accuracy']:g}" for row in some)
        right = f"{mean(row['accuracy'] for row in some):.2f}"
        drawn = f"{some[0]['rows']:,}" if rows == "all" else rows
        seeds, steps = (len(some), some[0]["steps"]) if some[0]["steps"] else ("", "")
        lines.append(
            f"| {benchmark} {split} | {arm} | {drawn} | {steps} | {seeds} | {right} | {each} |"
        )
    return "\n".join(lines) + "\n"


def _choice(arm: Arm) -> str:
    """Which training rows there were."""
    if arm.arm == "written":
        return "none"
    if arm.cover:
        return f"each word in {arm.cover}"
    return f"{arm.rows:,}" if arm.rows else "all"


def _place(group: tuple[tuple[str, ...], list[dict[str, Any]]]) -> tuple[bool, int, int]:
    """SCAN first, split by split, arm by arm."""
    benchmark, split, arm, _ = group[0]
    splits = (*ADDED, *SPLITS, "dev", "test", "gen")
    return benchmark != "SCAN", splits.index(split), ["written", *RUNS].index(arm)
