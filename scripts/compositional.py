"""What is learned where the composition is written: SCAN and COGS, and the page's table.

`python scripts/compositional.py` trains what `docs/experiments/compositional.json` does not have
yet, and writes the table of `docs/compositional.md` from it; `--page`: the table alone. SCAN and
COGS are looked for in `$PROGTF_DATA/scan` and `cogs`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
FOUND = ROOT / "docs" / "experiments" / "compositional.json"
PAGE = ROOT / "docs" / "compositional.md"
BEGIN, END = "<!-- made by scripts/compositional.py -->\n", "<!-- end -->\n"
FEW = (14, 22, 50, 100, 1000)
ALL = 0
SPLITS = (
    "simple", "length", "template_around_right", "template_jump_around_right",
    "template_opposite_right", "template_right",
)  # fmt: skip
SCAN = {"words": "scan_words", "words+numbers": "scan_choices"}
COGS = {"lemmas": "cogs_lemmas", "classes": "cogs_classes"}


class Arm(NamedTuple):
    """One training; ``rows``: 0 are all that are not held back."""

    benchmark: str
    split: str
    arm: str
    seed: int
    rows: int


def arms() -> Iterator[Arm]:
    """All trainings, the small ones first."""
    for split in ("addprim_jump", "addprim_turn_left"):
        for arm in SCAN:
            yield from (Arm("SCAN", split, arm, seed, ALL) for seed in range(1, 6))
    for split in SPLITS:
        for arm in SCAN:
            yield from (Arm("SCAN", split, arm, seed, ALL) for seed in (1, 2, 3))
    for rows in FEW:
        for arm in SCAN:
            yield from (Arm("SCAN", "addprim_jump", arm, seed, rows) for seed in (1, 2, 3))
    for arm in COGS:
        yield from (Arm("COGS", "gen", arm, seed, ALL) for seed in (1, 2, 3))


def trained(arm: Arm) -> dict[str, Any]:
    """One training, as a row of the file; the whole test set is asked."""
    from progtf.training.config import read_run  # noqa: PLC0415  torch is slow
    from progtf.training.log import Log  # noqa: PLC0415
    from progtf.training.pairs import rows_of  # noqa: PLC0415
    from progtf.training.ranks import joined  # noqa: PLC0415
    from progtf.training.setup import set_up  # noqa: PLC0415
    from progtf.training.trainer import Trainer  # noqa: PLC0415

    with TemporaryDirectory() as out, joined() as ranks:
        changes = {f"data.pairs.{key}": value for key, value in _pairs(arm).items()}
        changes |= {"out": out, "seed": arm.seed, "data.seed": arm.seed, "evaluate.every": 1000}
        run = read_run(ROOT / "runs" / f"{(SCAN | COGS)[arm.arm]}.toml", changes)
        result = Trainer(set_up(run, ranks)).train(Log(None, show=False))
        rows = len(rows_of(run.data)["train"])
    accuracy = round(result.scores["extrapolate"], 2)
    return {**arm._asdict(), "rows": rows, "steps": result.step, "accuracy": accuracy}


def _pairs(arm: Arm) -> dict[str, Any]:
    """The rows of a training, as its run file would name them."""
    if arm.benchmark == "COGS":
        return {"rows": arm.rows}
    train, test = f"{arm.split}.train.tsv.gz", f"{arm.split}.test_public.tsv.gz"
    return {"train": train, "extrapolate": test, "rows": arm.rows}


def main() -> None:
    """Trains what is missing, and writes the page."""
    import torch  # noqa: PLC0415

    torch.set_num_threads(1)
    found = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else []
    if "--page" not in sys.argv:
        there = {told(row) for row in found}
        for arm in arms():
            if arm not in there:
                found.append(trained(arm))
                print(json.dumps(found[-1]), flush=True)
                lines = ",\n".join(f" {json.dumps(row)}" for row in found)
                FOUND.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(before + BEGIN + table(found) + END + rest.partition(END)[2], encoding="utf-8")


def told(row: dict[str, Any]) -> Arm:
    """Which training a row of the file is of."""
    arm = Arm(*(row[key] for key in Arm._fields))
    return arm if arm.rows in FEW else arm._replace(rows=ALL)


def table(found: list[dict[str, Any]]) -> str:
    """The means over seeds, a row for each arm and number of training rows."""
    grouped: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in found:
        rows = told(row).rows
        key = row["benchmark"], row["split"], row["arm"], f"{rows:,}" if rows else "all"
        grouped.setdefault(key, []).append(row)
    lines = [
        "| set | learned | training rows | steps | seeds | right, % | each seed |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (benchmark, split, arm, rows), some in grouped.items():
        each = ", ".join(f"{row['accuracy']:g}" for row in some)
        average = mean(row["accuracy"] for row in some)
        lines.append(
            f"| {benchmark} {split} | {arm} | {rows} | {some[0]['steps']} | {len(some)} |"
            f" {average:.1f} | {each} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
