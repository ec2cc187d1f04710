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
    yield "residual", "semes", "mean R²", "drawn", "seme by seme: R², drawn"
    for row in rows:
        if row["network"] not in ORDER:
            own, drawn = (f"{each:.2f}" for each in row["mean"])
            yield row["network"], str(row["counted"]), own, drawn, ""
    learned = [row for row in rows if row["network"] in ORDER]
    for (network, layer), some in _groups(learned, "layer"):
        each = [
            f"`{seme}` " + ", ".join(_over([row["semes"][seme][n] for row in some]) for n in (0, 1))
            for seme in some[0]["semes"] if all(seme in row["semes"] for row in some)
        ]  # fmt: skip
        own, drawn = (_over([row["mean"][n] for row in some]) for n in (0, 1))
        yield f"{network}, layer {layer}", str(some[0]["counted"]), own, drawn, "; ".join(each)


def _swaps(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    yield "network", "seme", "behind layer", "subspace", "dimensions", "agree, by seed", "random"
    for (network, seme, layer, way), some in _groups(rows, "seme", "layer", "subspace"):
        sizes = sorted({row["dimensions"] for row in some})
        shares = (", ".join(f"{row[key]:.1%}" for row in some) for key in ("agreement", "random"))
        size = "to ".join(dict.fromkeys(map(str, (sizes[0], sizes[-1]))))
        yield network, f"`{seme}`", str(layer), way, size, *shares


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
