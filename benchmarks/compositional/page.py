"""The tables and the picture of `docs/compositional.md`."""

from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.compositional.plan import ALL, RUNS, SCRATCH, SPLITS, told

Row = dict[str, Any]
DOCS = Path(__file__).parents[2] / "docs"
PAGE, PICTURE = DOCS / "compositional.md", DOCS / "images" / "compositional.png"
BEGIN, END = "<!-- made by python -m benchmarks.compositional -->\n", "<!-- end -->\n"
NAMES = {"addprim_jump": "add jump", "addprim_turn_left": "add turn left"} | {
    split: split.removeprefix("template_").replace("_", " ") for split in SPLITS
}
COMPARED = {
    ("written",): "written",
    ("words", "lemmas"): "composition written, words learned",
    ("scratch-transformer",): "learned from scratch",
}
PUBLISHED = {"add jump": 1.0, "COGS": 81.4}  # trained Transformers; docs/compositional.md
CURVES = (
    ("add jump: words", "words", "addprim_jump"),
    ("add jump: words and numbers", "words+numbers", "addprim_jump"),
    ("COGS: roles of arguments", "roles", "gen"),
    ("COGS: lemmas", "lemmas", "gen"),
)


def write_page(found: list[Row]) -> None:
    """Puts the tables in their place in the page, and draws the picture."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    text = before + BEGIN + tables(found) + END + rest.partition(END)[2]
    PAGE.write_text(text, encoding="utf-8")
    _draw(found)


def tables(found: list[Row]) -> str:
    """What is right of each set after all training rows, and after few."""
    return f"{_by_split(found)}\n{_by_rows(found)}"


# ------------------------------------------------------------------ tables


def _by_split(found: list[Row]) -> str:
    """All training rows: what each arm gets right of each set, an arm a line."""
    whole = [row for row in found if not _is_few(row)]
    columns = [("SCAN", split) for split in NAMES] + [("COGS", "gen")]
    names = [NAMES.get(split, "COGS gen") for _, split in columns]
    lines = [_line("right, %", *names), _line(*["---"] * (len(names) + 1))]
    for arm in ("written", *RUNS):
        here = [row for row in whole if row["arm"] == arm]
        cells = [_right(row for row in here if _set(row) == column) for column in columns]
        lines += [_line(arm, *cells)] if any(cells) else []
    return "\n".join(lines) + "\n"


def _by_rows(found: list[Row]) -> str:
    """Few training rows: what is right, a choice of rows a line."""
    few = sorted(filter(_is_few, found), key=lambda row: (told(row).cover, told(row).rows))
    columns = [(b, arm) for b in ("SCAN", "COGS") for arm in RUNS if _has(few, b, arm)]
    heads = [f"{benchmark} {arm}" for benchmark, arm in columns]
    lines = [_line("training rows", *heads), _line(*["---"] * (len(heads) + 1))]
    for choice in dict.fromkeys(map(_choice, few)):
        here = [row for row in few if _choice(row) == choice]
        cells = [_right(r for r in here if (r["benchmark"], r["arm"]) == c) for c in columns]
        lines.append(_line(choice, *cells))
    return "\n".join(lines) + "\n"


def _has(rows: list[Row], benchmark: str, arm: str) -> bool:
    return any((row["benchmark"], row["arm"]) == (benchmark, arm) for row in rows)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _right(rows: Iterable[Row]) -> str:
    """The mean, and what each seed got if they differ."""
    each = [row["accuracy"] for row in rows]
    if not each:
        return ""
    seeds = f" ({', '.join(f'{a:g}' for a in each)})" if min(each) < max(each) else ""
    return f"{mean(each):.4g}{seeds or (f' × {len(each)}' if len(each) > 1 else '')}"


def _is_few(row: Row) -> bool:
    arm = told(row)
    return arm.rows != ALL or bool(arm.cover)


def _is_chosen(row: Row) -> bool:
    """Whether its training rows were chosen by their words, as its run file may say."""
    arm = told(row)
    return bool(arm.cover) or (arm.arm, arm.rows) == ("lemmas", ALL)


def _choice(row: Row) -> str:
    arm = told(row)
    return f"each word in {arm.cover}" if arm.cover else f"{arm.rows:,} at random"


def _set(row: Row) -> tuple[str, str]:
    return row["benchmark"], row["split"]


# ------------------------------------------------------------------ the picture


def _draw(found: list[Row]) -> None:
    """Writes the picture: what is right of sets that ask for the new, and from how few rows."""
    figure = Figure(figsize=(11, 4), layout="constrained")
    bars, curves = figure.subplots(1, 2, width_ratios=(4, 3))
    _bars(bars, [row for row in found if not _is_few(row)])
    _curves(curves, found)
    figure.savefig(PICTURE, dpi=120)


def _bars(axes: Axes, whole: list[Row]) -> None:
    """What is right of each set, written, with words learned, from scratch, and as published."""
    sets = [("SCAN", split) for split in SCRATCH] + [("COGS", "gen")]
    names = [NAMES.get(split, "COGS") for _, split in sets]
    compared: dict[str, dict[int, float]] = {}
    for arms, label in COMPARED.items():
        each = [
            [r["accuracy"] for r in whole if r["arm"] in arms and _set(r) == one] for one in sets
        ]
        compared[label] = {x: mean(right) for x, right in enumerate(each) if right}
    compared["the same, published"] = {names.index(name): y for name, y in PUBLISHED.items()}
    for place, (label, heights) in enumerate(compared.items()):
        left = 0.21 * (place - 1.5)
        drawn = axes.bar([x + left for x in heights], list(heights.values()), 0.2, label=label)
        axes.bar_label(drawn, fmt="{:.3g}", fontsize=6)
    axes.set_xticks(range(len(names)), [name.replace(" ", "\n", 1) for name in names])
    axes.set(title="Test rows right, %", ylim=(0, 108))
    axes.legend(
        fontsize=7.5,
        ncols=4,
        columnspacing=1,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        frameon=False,
    )


def _curves(axes: Axes, found: list[Row]) -> None:
    """What is right after training on few rows, a point each training; hollow: chosen rows."""
    for place, (label, arm, split) in enumerate(CURVES):
        some = [row for row in found if row["arm"] == arm and row["split"] == split]
        drawn, chosen = ([r for r in some if _is_chosen(r) == one] for one in (False, True))
        for rows, filled in ((drawn, f"C{place}"), (chosen, "none")):
            x, y = [row["rows"] for row in rows], [row["accuracy"] for row in rows]
            axes.scatter(x, y, 90 - 18 * place, filled, edgecolors=f"C{place}", zorder=3)
        counts = sorted({row["rows"] for row in drawn})
        means = [mean(r["accuracy"] for r in drawn if r["rows"] == one) for one in counts]
        axes.plot(counts, means, color=f"C{place}", linewidth=4 - place, label=label)
    axes.scatter([], [], 40, facecolors="none", edgecolors="k", label="rows chosen by their words")
    axes.set_xscale("log")
    axes.set(title="Right after training on few rows, %", xlabel="training rows", ylim=(-4, 108))
    axes.legend(fontsize=8, loc="center right")
