"""The tables of `docs/word_problems.md`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.draws import Gains, chance, interval

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "word_problems.md"
BEGIN, END = "<!-- made by python -m benchmarks.word_problems -->\n", "<!-- end -->\n"
Rows = list[dict[str, Any]]
Pairs = list[tuple[dict[str, Any], dict[str, Any]]]


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
        "| set | encoder | arm | of training | folds × seeds | strict, % | each seed | folds |"
        " lenient | not leaked | unused number | no solution | CPU seconds a run |"
    )
    yield "| --- " * 13 + "|"
    for (data, encoder, arm, part), rows in sorted(grouped(found).items()):
        folds, seeds = (_means(rows, key) for key in ("fold", "seed"))
        each = ", ".join(f"{one:.1f}" for one in seeds)
        means = " | ".join(
            f"{_mean(rows, key):.1f}" for key in ("lenient", "clean", "unused", "invalid")
        )
        measured = [row["cpu_seconds"] for row in rows if row["cpu_seconds"] is not None]
        seconds = f"{mean(measured):.0f}" if measured else "not measured"
        yield (
            f"| {data} | {encoder} | {arm} | {part} % | {len(folds)} × {len(seeds)} |"
            f" {_mean(rows, 'strict'):.1f} | {each} | {min(folds):.1f} to {max(folds):.1f} |"
            f" {means} | {seconds} |"
        )


def seeds_of(rows: Rows) -> list[float]:
    """Percent solved, of every seed."""
    return _means(rows, "seed")


def _means(rows: Rows, key: str) -> list[float]:
    """Of every fold, or of every seed."""
    groups: dict[int, Rows] = {}
    for row in sorted(rows, key=lambda row: row[key]):
        groups.setdefault(row[key], []).append(row)
    return [_mean(some, "strict") for some in groups.values()]


def _mean(rows: Rows, key: str) -> float:
    """The mean over all problems that were tested."""
    return sum(row[key] * row["problems"] for row in rows) / sum(row["problems"] for row in rows)


def _pairs(found: Rows) -> Iterator[str]:
    """Each arm beside others, on the same problems."""
    yield (
        "| set | encoder | arm | beside | problems × seeds | gain, points | 95 % of draws |"
        " p | of an unused number | of none |"
    )
    yield "| --- " * 10 + "|"
    groups = grouped(found)
    for (data, encoder, arm, part), rows in sorted(groups.items()):
        for other, share in _beside(arm, part):
            if pairs := _paired(rows, groups.get((data, encoder, other, share), [])):
                names = f"{_named(arm, part)} | {_named(other, share)}"
                yield f"| {data} | {encoder} | {names} | {_compared(pairs)} |"


def _beside(arm: str, part: int) -> list[tuple[str, int]]:
    """Arms and shares of the training rows that an arm stands beside."""
    others = {("off", part), ("off", 100)} | ({("rules", part)} if arm != "off" else set())
    return sorted(others - {(arm, part)})


def _named(arm: str, part: int) -> str:
    return arm if part == 100 else f"{arm}, {part} %"


def _paired(rows: Rows, others: Rows) -> Pairs:
    """Rows of the same fold and seed."""
    same = {(row["fold"], row["seed"]): row for row in others}
    return [(row, same[key]) for row in rows if (key := (row["fold"], row["seed"])) in same]


def _compared(pairs: Pairs) -> str:
    """What the first of each pair solves more, a problem's mean over seeds, and how sure it is."""
    gains = gains_of(pairs)
    problems, seeds = len(gains), len({row["seed"] for row, _ in pairs})
    low, high = (100 * end for end in interval(gains, np.ones(problems)))
    unused, others = (gain(pairs, unused=which) for which in (True, False))
    return (
        f"{problems} × {seeds} | {100 * gains.mean():+.1f} | {low:+.1f} to {high:+.1f} |"
        f" {chance(gains):.4f} | {unused:+.1f} | {others:+.1f}"
    )


def gains_of(pairs: Pairs) -> Gains:
    """Of every problem: by how much more often it is solved, the mean over seeds."""
    folds: dict[int, Pairs] = {}
    for pair in pairs:
        folds.setdefault(pair[0]["fold"], []).append(pair)
    return np.concatenate([_of_fold(some) for some in folds.values()])


def _of_fold(pairs: Pairs) -> Gains:
    """Problems that nobody solves are 0, behind the others."""
    gains = Counter[tuple[str, int]]()
    for one, other in pairs:
        gains.update(_told_apart(one["right"]))
        gains.subtract(_told_apart(other["right"]))
    found = np.zeros(pairs[0][0]["problems"])
    found[: len(gains)] = [count / len(pairs) for count in gains.values()]
    return found


def _told_apart(names: list[str]) -> list[tuple[str, int]]:
    """MAWPS has problems of one name twice in a fold."""
    return [(name, names[:place].count(name)) for place, name in enumerate(names)]


def gain(pairs: Pairs, *, unused: bool) -> float:
    """Points gained of problems that have a number that is not used, or of those that have none."""
    solved = [[_solved(row, unused=unused) for row in pair] for pair in pairs]
    count = sum(_count(row, unused=unused) for row, _ in pairs)
    return sum(one - other for one, other in solved) / max(count, 1)


def _count(row: dict[str, Any], *, unused: bool) -> int:
    return row["with_unused"] if unused else row["problems"] - row["with_unused"]


def _solved(row: dict[str, Any], *, unused: bool) -> float:
    """Percent times problems."""
    of_unused = row["unused"] * row["with_unused"]
    return of_unused if unused else row["strict"] * row["problems"] - of_unused
