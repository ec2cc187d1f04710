"""The tables of `docs/comprehension.md`."""

from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.comprehension.plan import ARMS, WINDOW
from benchmarks.draws import interval
from benchmarks.rows import read_rows

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "comprehension.md"
COST = DOCS / "experiments" / "comprehension_cost.json"
BEGIN, END = "<!-- made by python -m benchmarks.comprehension -->\n", "<!-- end -->\n"
BESIDE = (
    ("TPR", "narrow LSTM"),
    ("TPR, written roles", "TPR"),
    ("TPR", "LSTM"),
    ("TPR, no regulariser", "TPR"),
    ("TPRLSTM", "TPR"),
)
PROBES = {
    "roles": "learned roles, from left to right",
    "untrained": "the same before training",
    "components": "20 principal components of states",
    "untrained components": "the same before training",
    "outputs": "all 100 numbers of states",
    "usual tag": "the tag that the word usually has",
    "commonest": "the commonest tag",
    "ambiguous": "**ambiguous words**: learned roles",
    "untrained ambiguous": "roles before training",
    "usual tag, ambiguous": "the tag that the word usually has",
    "outside": "**words of which nothing is written**: learned roles",
    "covered": "words of which something is written, %",
    "control task": "**control**: a tag drawn for each word type, read off learned roles",
    "told": "**largest role**: share of the tags' entropy that it tells",
    "told of control": "of that of drawn tags",
    "role squares": "**one-hot?** mean Σa² of roles",
    "roles above 0.9": "words with a role above 0.9, %",
    "symbol squares": "mean Σa² of symbols",
    "symbols above 0.9": "words with a symbol above 0.9, %",
}
Row = dict[str, Any]


def write_page(found: list[Row]) -> None:
    """Puts the tables in their place in the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    text = before + BEGIN + tables(found) + END + rest.partition(END)[2]
    PAGE.write_text(text, encoding="utf-8")


def tables(found: list[Row]) -> str:
    """Scores, arms beside each other, what roles tell, what steps cost."""
    parts = (
        _scores(found), _curves(found), _pairs(found), _probes(found), _cost(read_rows(COST)),
    )  # fmt: skip
    return "\n".join(line for part in parts for line in (*part, ""))


def _order(row: Row) -> tuple[int, int, int]:
    names = (WINDOW, *ARMS)
    return row["epochs"], names.index(row["arm"]), row["seed"]


def _scores(found: list[Row]) -> Iterator[str]:
    yield (
        "| arm | times all questions | seeds | F1 | each seed | EM | parameters | of these in the"
        " phrase layer | CPU seconds for all questions once |"
    )
    yield "| --- " * 9 + "|"
    groups: dict[tuple[int, str], list[Row]] = {}
    for row in sorted(found, key=_order):
        groups.setdefault((row["epochs"], row["arm"]), []).append(row)
    for (epochs, arm), rows in groups.items():
        each = ", ".join(f"{row['f1']:.1f}" for row in rows)
        sizes = [f"{rows[0][key]:,}" if key in rows[0] else "" for key in ("parameters", "phrase")]
        times = [row["seconds_an_epoch"] for row in rows if row.get("seconds_an_epoch")]
        seconds = f"{mean(times):.0f}" if times else ""
        f1, em = (mean(row[key] for row in rows) for key in ("f1", "em"))
        yield (
            f"| {arm} | {epochs or ''} | {len(rows) if epochs else ''} | {f1:.1f} | {each} |"
            f" {em:.1f} | {sizes[0]} | {sizes[1]} | {seconds} |"
        )


def _curves(found: list[Row]) -> Iterator[str]:
    """How many of the first questions have an annotator's words, as training went on."""
    rows = sorted((row for row in found if "curve" in row), key=_order)
    steps = sorted({step for row in rows for step, _ in row["curve"]} - {0})
    yield "| an annotator's words, %, after steps | seed | " + " | ".join(map(str, steps)) + " |"
    yield "| --- " * (2 + len(steps)) + "|"
    for row in rows:
        at = dict(row["curve"])
        cells = " | ".join(f"{at[step]:.1f}" if step in at else "" for step in steps)
        yield f"| {row['arm']}, × {row['epochs']} | {row['seed']} | {cells} |"


def _pairs(found: list[Row]) -> Iterator[str]:
    yield "| arm | beside | times all questions | seeds | F1 more | 95 % of draws of paragraphs |"
    yield "| --- " * 6 + "|"
    rows = {(row["arm"], row["epochs"], row["seed"]): row for row in found}
    for epochs in sorted({row["epochs"] for row in found} - {0}):
        for one, other in BESIDE:
            seeds = sorted(
                seed
                for name, e, seed in rows
                if (name, e) == (one, epochs) and (other, epochs, seed) in rows
            )
            if seeds:
                pairs = [(rows[one, epochs, s], rows[other, epochs, s]) for s in seeds]
                more, low, high = difference(pairs)
                yield (
                    f"| {one} | {other} | {epochs} | {len(seeds)} | {more:+.1f} |"
                    f" {low:+.1f} to {high:+.1f} |"
                )


def _probes(found: list[Row]) -> Iterator[str]:
    """A column for each arm, the mean over its seeds."""
    groups: dict[tuple[int, str], list[Row]] = {}
    for row in sorted((row for row in found if "probe" in row), key=_order):
        groups.setdefault((row["epochs"], row["arm"]), []).append(row["probe"])
    heads = " | ".join(f"{arm}, × {epochs}" for epochs, arm in groups)
    yield f"| what tells parts of speech, % right | {heads} |"
    yield "| --- " * (1 + len(groups)) + "|"
    for key, title in PROBES.items():
        values = [[row[key] for row in rows if key in row] for rows in groups.values()]
        yield f"| {title} | " + " | ".join(_mean(each) for each in values) + " |"


def _mean(numbers: list[float]) -> str:
    return f"{mean(numbers):.3g}" if numbers else ""


def _cost(rows: list[Row]) -> Iterator[str]:
    yield "| arm at width 100 | parameters | in the phrase layer | CPU seconds a step | × LSTM |"
    yield "| --- " * 5 + "|"
    for row in rows:
        yield (
            f"| {row['arm']} | {row['parameters']:,} | {row['phrase']:,} | {row['seconds']:.2f} |"
            f" {row['beside_lstm']:.2f} |"
        )


def difference(pairs: list[tuple[Row, Row]]) -> tuple[float, float, float]:
    """The difference of F1, the mean over seeds, and its interval over draws of paragraphs."""
    count = np.array([n for n, _ in pairs[0][0]["each"]], dtype=float)
    sums = [[[f1 for _, f1 in row["each"]] for row in pair] for pair in pairs]
    gain = np.mean([np.subtract(*pair) for pair in sums], axis=0)
    return float(gain.sum() / count.sum()), *interval(gain, count)
