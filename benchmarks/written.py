"""Puts stored figures into the pages: `python -m benchmarks.written`.

In a page `<!-- = NAME -->2.85<!-- / -->` is the last value of NAME in `history.jsonl`, and
`<!-- rows -->` ... `<!-- end -->` says of all these where, when and of what they were measured.
`tests/docs/test_figures.py` compares pages and rows.
"""

import re
from collections.abc import Iterable
from typing import Any

from benchmarks.figures import ROOT, rows, shown
from progtf.atomic import write

PAGES = sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md")})
FIGURE = re.compile(r"(<!-- = (.+?) -->)(.*?)(<!-- / -->)")
ROWS = re.compile(r"(<!-- rows -->\n).*?(<!-- end -->)", re.DOTALL)

Row = dict[str, Any]


def written(text: str, last: dict[str, Row]) -> str:
    """A page with the figures of the rows.

    Raises:
        KeyError: for a name that has no row.
    """
    text = FIGURE.sub(lambda found: found[1] + shown(last[found[2]]["value"]) + found[4], text)
    used = [last[found[2]] for found in FIGURE.finditer(text)]
    return ROWS.sub(lambda found: found[1] + "".join(_told(used)) + found[2], text)


def last_rows() -> dict[str, Row]:
    """The newest row of each name."""
    return {row["name"]: row for row in rows()}


def _told(used: Iterable[Row]) -> list[str]:
    """A line for all rows that were measured together."""
    lines: dict[str, None] = {}
    for row in used:
        part = row["name"].partition(":")[0]
        machine = f"{row['machine']}, " if "machine" in row else ""
        versions = ", ".join(f"{name} {one}" for name, one in row.get("versions", {}).items())
        left_out = "" if machine else "; machine and versions were not noted then"
        seed = "" if row.get("seed") is None else f", seed {row['seed']}"
        told = f"{machine}{row['cores']} cores{versions and ', '}{versions}{seed}{left_out}"
        lines[
            f"- `python -m benchmarks {part}`: {row['date'][:10]}, commit {row['commit']}, {told}\n"
        ] = None
    return [*lines]


def main() -> None:
    """Writes all pages anew."""
    last = last_rows()
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = written(before, last)
        if after != before:
            write(page, after)
            print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
