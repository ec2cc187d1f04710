"""The tables of `docs/word_problems.md`."""

from collections.abc import Iterator
from math import comb
from pathlib import Path
from statistics import mean
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "word_problems.md"
BEGIN, END = "<!-- made by python -m benchmarks.word_problems -->\n", "<!-- end -->\n"
Rows = list[dict[str, Any]]


def write_page(found: Rows) -> None:
    """Puts the tables in their place in the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    whole = before + BEGIN + tables(found) + END + rest.partition(END)[2]
    PAGE.write_text(whole, encoding="utf-8")


def tables(found: Rows) -> str:
    """Accuracies, and arms beside each other."""
    return "\n".join((*_accuracies(found), "", *_pairs(found), ""))


def grouped(found: Rows) -> dict[tuple[str, str, str, int], Rows]:
    """Rows by set, encoder, arm and share of the training rows."""
    groups: dict[tuple[str, str, str, int], Rows] = {}
    for row in found:
        key = row["data"], row["encoder"], row["arm"], row["part"]
        groups.setdefault(key, []).append(row)
    return groups


def _accuracies(found: Rows) -> Iterator[str]:
    yield (
        "| set | encoder | arm | of training | folds × seeds | strict, % | each fold | lenient |"
        " not leaked | unused number | no solution | CPU seconds a run |"
    )
    yield "| --- " * 12 + "|"
    for (data, encoder, arm, part), rows in sorted(grouped(found).items()):
        each = ", ".join(f"{row['strict']:.1f}" for row in sorted(rows, key=lambda r: r["fold"]))
        folds, seeds = ({row[key] for row in rows} for key in ("fold", "seed"))
        means = " | ".join(
            f"{_mean(rows, key):.1f}" for key in ("lenient", "clean", "unused", "invalid")
        )
        measured = [row["cpu_seconds"] for row in rows if row["cpu_seconds"] is not None]
        seconds = f"{mean(measured):.0f}" if measured else "not measured"
        yield (
            f"| {data} | {encoder} | {arm} | {part} % | {len(folds)} × {len(seeds)} |"
            f" {_mean(rows, 'strict'):.1f} | {each} | {means} | {seconds} |"
        )


def _mean(rows: Rows, key: str) -> float:
    """The mean over all problems that were tested."""
    return sum(row[key] * row["problems"] for row in rows) / sum(row["problems"] for row in rows)


def _pairs(found: Rows) -> Iterator[str]:
    """Each arm beside `off`, on the same problems."""
    yield (
        "| set | of training | arm beside `off` | problems | both right | it alone |"
        " `off` alone | p |"
    )
    yield "| --- " * 8 + "|"
    groups = grouped(found)
    for (data, encoder, arm, part), rows in sorted(groups.items()):
        others = groups.get((data, encoder, "off", part), [])
        if arm == "off" or not others:
            continue
        same = {(row["fold"], row["seed"]): row for row in others}
        pairs = [(row, same[key]) for row in rows if (key := (row["fold"], row["seed"])) in same]
        both, alone, theirs = _compared(pairs)
        count = sum(row["problems"] for row, _ in pairs)
        yield (
            f"| {data} | {part} % | {arm}, {encoder} | {count} | {both} | {alone} | {theirs} |"
            f" {sign_test(alone, theirs):.3f} |"
        )


def _compared(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> tuple[int, int, int]:
    """How many problems both solve, the first alone, the second alone."""
    sets = [(set(one["right"]), set(other["right"])) for one, other in pairs]
    both = sum(len(mine & theirs) for mine, theirs in sets)
    return both, sum(len(m - t) for m, t in sets), sum(len(t - m) for m, t in sets)


def sign_test(some: int, others: int) -> float:
    """How likely so uneven a split is, or a more uneven one, if either side is as likely."""
    count, fewest = some + others, min(some, others)
    tail = sum(comb(count, n) for n in range(fewest + 1)) / 2**count
    return min(1.0, 2 * tail)
