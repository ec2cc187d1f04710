"""Runs notebooks and keeps what they show: python scripts/notebooks.py [NAME ...]; all without one.

A notebook is written when it has run to its end: one that fails, or is cut off, stays as it was.
"""

import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from progtf.atomic import write
from progtf.tables import Shown, bar

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"
DRAWN = re.compile(r"\bprogtf-[0-9a-f]{32}\b")
"""Where a figure stands: drawn by chance for every run."""


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook with what its cells show, run anew in its folder by the project as it is."""
    notebook = nbformat.read(path, as_version=4)
    about = notebook.metadata.copy()
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    of_kernel = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}  # sums in one order
    place = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(notebook, timeout=1800, resources=place, coalesce_streams=True)
    client.execute(env=of_kernel)
    notebook.metadata = about  # which Python ran it is nobody's concern
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        shown = (
            each.data for each in cell.get("outputs", ()) if "text/html" in each.get("data", ())
        )
        for number, data in enumerate(shown, 1):
            data["text/html"] = DRAWN.sub(f"progtf-{cell.id}-{number}", data["text/html"])
    return notebook


def main() -> None:
    known = {path.stem: path for path in sorted(FOLDER.glob("*.ipynb"))}
    names = sys.argv[1:] or [*known]
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"no notebook is called {unknown[0]!r}; there are {', '.join(known)}")
    with bar(Shown(stderr=True), disable=False) as shown:
        at = shown.add_task("", total=len(names))
        for name in names:
            shown.update(at, description=name)
            write(known[name], nbformat.writes(executed(known[name])).rstrip("\n") + "\n")
            shown.advance(at)


if __name__ == "__main__":
    main()
