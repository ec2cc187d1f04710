"""The picture of `docs/word_problems.md`."""

from statistics import mean

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.word_problems.page import DOCS, Rows, grouped, seeds_of
from benchmarks.word_problems.plan import FOLDS, SETS

PICTURE = DOCS / "images" / "word_problems.png"
BARS = (
    ("lstm", "off", "C3"),
    ("lstm", "hybrid", "C0"),
    ("transformer", "off", "C7"),
    ("bert", "off", "C1"),
    ("bert", "hybrid", "C9"),
)
"""Encoder, arm, colour."""


def draw(found: Rows) -> None:
    """Writes the picture: what is solved of every set, and from how many training rows."""
    figure = Figure(figsize=(11, 4), layout="constrained")
    bars, curves = figure.subplots(1, 2, width_ratios=(4, 3))
    _bars(bars, found)
    _curves(curves, found)
    figure.savefig(PICTURE, dpi=120)


def _bars(axes: Axes, found: Rows) -> None:
    """What each arm solves of each set of which every fold is measured; a point a seed."""
    groups = {key: rows for key, rows in grouped(found).items() if _is_whole(rows)}
    for place, (encoder, arm, colour) in enumerate(BARS):
        left = 0.17 * (place - 2)
        each = {
            x + left: seeds_of(groups[key])
            for x, name in enumerate(SETS)
            if (key := (name, encoder, arm, 100)) in groups
        }
        means = [mean(some) for some in each.values()]
        label = f"{encoder}, {arm}" if each else None
        drawn = axes.bar([*each], means, 0.16, color=colour, label=label, alpha=0.75)
        axes.bar_label(drawn, fmt="%.1f", fontsize=7, label_type="center")
        _points(axes, each, "k")
    axes.set_xticks(range(len(SETS)), [*SETS])
    axes.set(title="Test problems solved, strict, %", ylim=(0, 100))
    axes.legend(fontsize=8, ncols=2, loc="upper left", frameon=False)


def _curves(axes: Axes, found: Rows) -> None:
    """What is solved of ALG514 after training on a share of the rows."""
    groups = sorted(grouped(found).items())
    for _, arm, colour in BARS[:2]:
        each: dict[float, list[float]] = {
            part: seeds_of(rows)
            for (name, encoder, which, part), rows in groups
            if (name, encoder, which) == ("ALG514", "lstm", arm)
        }
        axes.plot([*each], [mean(some) for some in each.values()], color=colour, label=arm)
        _points(axes, each, colour)
    axes.set(title="ALG514, lstm: solved, strict, %", xlabel="training rows, %", ylim=(0, 100))
    axes.set_xlim(0, 105)
    axes.legend(fontsize=8, loc="upper left", frameon=False)


def _is_whole(rows: Rows) -> bool:
    """Whether every fold is there."""
    return len({row["fold"] for row in rows}) == FOLDS[rows[0]["data"]]


def _points(axes: Axes, each: dict[float, list[float]], colour: str) -> None:
    pairs = [(x, y) for x, some in each.items() for y in some]
    axes.scatter([x for x, _ in pairs], [y for _, y in pairs], 12, colour, zorder=3)
