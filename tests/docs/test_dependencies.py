"""Every dependency has its reason on the page on architecture."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("## Dependencies, each with its reason")[2].partition("\n\n`progtf/")[0]
EXTRAS = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
del EXTRAS["all"], EXTRAS["dev"]


def names(lines):
    found = {re.split(r"[><=!\[; ]", line)[0].lower() for line in lines}
    return {"dask.distributed" if name == "distributed" else name for name in found - {"progtf"}}


@pytest.mark.parametrize("extra", EXTRAS)
def test_each_dependency_has_its_reason(extra):
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TABLE.splitlines()]
    told = [row for row in rows if len(row) == 3 and row[1].strip("`") == extra]
    listed = {name.lower() for row in told for name in row[0].split(", ")}
    assert names(EXTRAS[extra]) - listed == set()
    assert all(row[2] for row in told)
