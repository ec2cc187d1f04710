"""Learned heads in semes, probes and swaps beside controls.

    python -m benchmarks.heads PLACES FRACTIONS [PART ...]

The folders are those of `benchmarks.interchange` and `benchmarks.roles`, whose networks are read,
three seeds of each. The same is done with compiled programs whose residual was turned, of which
all must come back. What was found is written to ``docs/experiments/heads.json``, and its tables to
``docs/inside.md``.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from benchmarks.heads.learned import heads, probes
from benchmarks.heads.page import DOCS, write_page
from benchmarks.heads.swaps import swaps
from benchmarks.heads.tasks import TASKS, Network, networks
from benchmarks.heads.turned import turned, turned_probes
from benchmarks.networks import last_of

FOUND = DOCS / "experiments" / "heads.json"
Rows = Iterator[dict[str, Any]]
WRITTEN: dict[str, Callable[[], Rows]] = {"turned": turned, "probes": turned_probes}
LEARNED: dict[str, Callable[[Network], Rows]] = {"probes": probes, "swaps": swaps, "heads": heads}


def main(
    places: Path, fractions: Path, parts: Annotated[list[str] | None, typer.Argument()] = None
) -> None:
    """Measures all parts that are named (turned, probes, swaps, heads), or all."""
    torch.set_num_threads(1)
    folders = dict(zip(TASKS, (places, fractions), strict=True))
    found = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    parts = parts or [*dict.fromkeys([*WRITTEN, *LEARNED])]
    for network in networks(folders) if any(part in LEARNED for part in parts) else ():
        last_of(network.run)  # nothing is written before all are known to be there
    for part in parts:
        if part in WRITTEN:
            _keep(found, part, {}, WRITTEN[part]())
        for network in networks(folders) if part in LEARNED else ():
            _keep(found, part, network.name, LEARNED[part](network))


def _keep(found: dict[str, Any], part: str, name: dict[str, Any], rows: Rows) -> None:
    """Puts rows in the place of those that the same network has."""
    new = [{**name, **row} for row in rows]
    same = [{key: row[key] for key in ("network", "seed") if key in row} for row in new]
    old = [
        row for row in found.get(part, []) if not any(each.items() <= row.items() for each in same)
    ]
    found[part] = old + new
    print(json.dumps({part: new}), flush=True)
    FOUND.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    write_page(found)


if __name__ == "__main__":
    typer.run(main)
