"""A bar for every module, as in figure 2 of Schlag et al. 2019, beside the published means."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from progtf import terminal
from progtf.analysis.report import Published, published_beside
from progtf.analysis.scores import ModuleScore, by_split, summarise
from progtf.atomic import replacing
from progtf.data import modules_of
from progtf.numbers import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"interpolate": "#0072b2", "extrapolate": "#d55e00"}
_OTHER = "#009e73"

PICTURES = (".png", ".svg", ".pdf")
"""Endings of file names that say which kind of picture is wanted."""


def draw_chart(scores: Sequence[ModuleScore], model: str, path: Path) -> None:
    """Writes a chart of scores; the ending of `path` (.png, .svg, .pdf) decides its format.

    Raises:
        ValueError: There are no scores, or the ending is no picture's.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415  slow, and few charts are drawn

    if not scores:
        raise ValueError("there are no scores to draw")
    figure = Figure(figsize=(max(9.0, 4 + 0.22 * len(scores)), 7.5), layout="constrained")
    ratios = (max(len(scores), 12), 2 * len(published_beside(scores)) or 3)
    bars, means = figure.subplots(1, 2, width_ratios=ratios, sharey=True)
    _draw_modules(bars, scores, model)
    _draw_means(means, scores, model)
    with replacing(path, named=True) as file:
        figure.savefig(file, dpi=120, format=path.suffix.removeprefix("."))


def _draw_modules(axes: "Axes", scores: Sequence[ModuleScore], model: str) -> None:
    """One bar a module, the splits side by side, the best first."""
    place = 0
    names: dict[int, str] = {}
    for split, some in by_split(scores).items():
        ranked = sorted(some, key=lambda score: -score.percent)
        places = range(place, place + len(ranked))
        colour = COLOURS.get(split, _OTHER)
        axes.bar(places, [score.percent for score in ranked], color=colour, label=_shown(split))
        names |= dict(zip(places, (_shown(score.module) for score in ranked), strict=True))
        place += len(ranked) + 1
    axes.set_xticks(list(names), list(names.values()), rotation=90, fontsize=7)
    axes.set(
        title=f"{_shown(model)}: exact match by module", ylabel="right answers, %", ylim=(0, 112)
    )
    axes.set_yticks(range(0, 101, 20))
    axes.axhline(95, color="grey", linewidth=0.8, linestyle="--")
    axes.legend(loc="upper right", ncols=2)


def _draw_means(axes: "Axes", scores: Sequence[ModuleScore], model: str) -> None:
    """The mean over modules, below those that were published."""
    names: list[str] = []
    for row in published_beside(scores):
        _pair(axes, len(names), {"interpolate": row.interpolate, "extrapolate": row.extrapolate})
        names.append(label(row))
    own = by_split(scores)
    _pair(axes, len(names), {split: summarise(some).mean for split, some in own.items()})
    names.append(_shown(f"{model}\n{coverage(scores)}"))
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes.set_title("mean over modules")


def _shown(name: str) -> str:
    """A name that somebody gave, as a picture can show it: no formula, no half of a character."""
    return terminal.plain(name).replace("$", r"\$")


def _pair(axes: "Axes", place: int, means: dict[str, float]) -> None:
    width = 0.8 / len(means)
    for number, (split, mean) in enumerate(means.items()):
        x = place - 0.4 + width * (number + 0.5)
        axes.bar(x, mean, width, color=COLOURS.get(split, _OTHER))
        axes.text(x, mean, f"{mean:.0f}", ha="center", va="bottom", fontsize=7)


def label(row: Published) -> str:
    """Returns the name of a published row: model, size, training."""
    return f"{row.model} {plain(row.parameters)}M, {row.steps}k steps\n{row.source}"


def coverage(scores: Sequence[ModuleScore]) -> str:
    """Returns how many of each split's modules were scored; of one's own just how many."""
    known = bool(published_beside(scores))
    return "\n".join(
        f"{split}: {len(some)}" + (f" of {len(modules_of(split))}" if known else "")
        for split, some in by_split(scores).items()
    )
