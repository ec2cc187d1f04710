"""The table and the picture of `docs/compositional.md`."""

from pathlib import Path
from statistics import mean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.compositional.plan import ADDED, ALL, RUNS, SPLITS, Arm, told

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "compositional.md"
PICTURE = DOCS / "images" / "compositional.png"
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


def draw(found: list[dict[str, Any]]) -> None:
    """Writes the picture: each split of SCAN by arm, and how jump was learned, or not."""
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    bars, curves = figure.subplots(1, 2, width_ratios=(3, 2))
    found = [row for row in found if told(row).rows == ALL and not told(row).cover]
    for place, arm in enumerate(("written", *RUNS)):
        some = [row for row in found if row["benchmark"] == "SCAN" and row["arm"] == arm]
        if some:
            _bars(bars, some, place)
            _curve(curves, some, place)
    names = [split.replace("_", " ") for split in (*ADDED, *SPLITS)]
    bars.set_xticks(range(len(names)), names, rotation=30, ha="right")
    bars.set(title="SCAN: rows of the test sets", ylabel="right, %", ylim=(0, 104))
    bars.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    curves.set(title="add jump, as it is learned", xlabel="step", ylabel="right, %", ylim=(-3, 104))
    figure.savefig(PICTURE, dpi=110)


def _bars(axes: Axes, some: list[dict[str, Any]], place: int) -> None:
    """The means of an arm, split by split."""
    means = {
        number: mean(right)
        for number, split in enumerate((*ADDED, *SPLITS))
        if (right := [row["accuracy"] for row in some if row["split"] == split])
    }
    places = [number + 0.13 * (place - 2.5) for number in means]
    axes.bar(places, list(means.values()), 0.13, label=some[0]["arm"], color=f"C{place}")


def _curve(axes: Axes, some: list[dict[str, Any]], place: int) -> None:
    """How the first seed of an arm learned, where it was looked at."""
    for row in some:
        if row["split"] == ADDED[0] and row["seed"] == 1 and "curve" in row:
            steps, _, right = zip(*row["curve"], strict=True)
            axes.plot(steps, right, color=f"C{place}", marker=".")
