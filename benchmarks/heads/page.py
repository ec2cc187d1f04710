"""The tables of `docs/inside.md`."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.heads.tasks import TASKS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "inside.md"
END = "<!-- end -->\n"
MATTERS = 0.01
"""What silence adds to the loss, if a head matters."""
WAYS = ("probe", "means", "digits")
SHOWN = ("digit", "rank", "asked", "hit", "divides", "divisions", "turned", "term")
Row = dict[str, Any]
Table = list[tuple[str, ...]]
ORDER = [kind for task in TASKS.values() for kind in task.networks]


def write_page(found: dict[str, list[Row]]) -> None:
    """Puts tables in their places in the page."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in TABLES.items():
        begin = f"<!-- {name}, made by python -m benchmarks.heads -->\n"
        before, mark, rest = text.partition(begin)
        if mark and name in found:
            titles, *lines = table(found[name])
            every = [titles, ("---",) * len(titles), *lines]
            rows = "".join(f"| {' | '.join(line)} |\n" for line in every)
            text = before + begin + rows + END + rest.partition(END)[2]
    PAGE.write_text(text, encoding="utf-8")


def _turned(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    yield "program", "head", "explained", "right with its mean alone", "right when put back"
    for row in rows:
        right = row["right"]
        name, head = row["network"].rpartition("/")[2], row["head"].removeprefix("encoder / ")
        yield (
            name,
            head,
            f"{row['explained']:.3f}",
            f"{right['ablated']:.0%}",
            f"{right['whole']:.0%}",
        )


def _groups(rows: list[Row], *keys: str) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    """Rows that differ in their seeds, or heads, alone."""

    def key(row: Row) -> tuple[Any, ...]:
        return (ORDER.index(row["network"]), *(row[each] for each in keys))

    for found, some in groupby(sorted(rows, key=key), key):
        yield (ORDER[found[0]], *found[1:]), list(some)


def _over(numbers: Sequence[float], form: str = ".2f") -> str:
    """The mean, and the least and the greatest."""
    least, most = min(numbers), max(numbers)
    return f"{mean(numbers):{form}} ({least:{form}} to {most:{form}})"


def _probes(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    yield "residual", "semes", "mean R²", "drawn", "some of them: R², and that of what was drawn"
    for row in rows:
        if row["network"] not in ORDER:
            own, drawn = (f"{each:.2f}" for each in row["mean"])
            yield row["network"], str(row["counted"]), own, drawn, ""
    learned = [row for row in rows if row["network"] in ORDER]
    for (network, layer), some in _groups(learned, "layer"):
        shown = [seme for seme in SHOWN if all(seme in row["semes"] for row in some)]
        each = "; ".join(
            f"`{seme}` {_probed([row['semes'][seme] for row in some])}" for seme in shown
        )
        own, drawn = (_over([row["mean"][n] for row in some]) for n in (0, 1))
        yield f"{network}, layer {layer}", str(some[0]["counted"]), own, drawn, each


def _probed(scores: list[list[float]]) -> str:
    own, drawn = zip(*scores, strict=True)
    return f"{_over(own)}, {mean(drawn):.2f}"


def _swaps(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    yield "network", "seme", "behind layer", *WAYS, "random, at most"
    for (network, seme, layer), some in _groups(rows, "seme", "layer"):
        ways = [[row for row in some if row["subspace"] == way] for way in WAYS]
        random = max(row["random"] for row in some)
        yield network, f"`{seme}`", str(layer), *map(_agreed, ways), f"{random:.1%}"


def _agreed(rows: list[Row]) -> str:
    """By seed, and in how many dimensions."""
    shares = ", ".join(f"{100 * row['agreement']:.0f}" for row in rows)
    return f"{shares} % ({max(row['dimensions'] for row in rows)})"


def _heads(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    yield (
        "network", "heads", "reads: explained", "and writes: explained", "matter",
        "reads: won back", "worse than silence", "and writes: won back", "worse than silence",
    )  # fmt: skip
    for (network, heads), some in _groups(rows, "heads"):
        shares = (_over([row["explained"][form] for row in some]) for form in ("reads", "whole"))
        matter = [row for row in some if row["loss"]["ablated"] - row["loss"]["original"] > MATTERS]
        back = [
            str(sum(good(row["recovered"][form]) for row in matter))
            for form in ("reads", "whole")
            for good in (lambda share: share >= 0.9, lambda share: share < 0)
        ]
        yield network, heads, *shares, f"{len(matter)} of {len(some)}", *back


TABLES: dict[str, Callable[[list[Row]], Iterator[tuple[str, ...]]]] = {
    "turned": _turned, "probes": _probes, "swaps": _swaps, "heads": _heads,
}  # fmt: skip
