"""Examines texts for a notebook in a process of its own: one JSON object a line, in and out.

A program that takes too long or too much is stopped with this process; the kernel goes on.
"""

import json
import sys
from pathlib import Path

from progtf.views.editor import examine


def main() -> None:
    """Says that it is ready, and answers until the input ends."""
    print("ready", flush=True)  # noqa: T201  as below
    for line in sys.stdin:
        request = json.loads(line)
        folder = None if request["folder"] is None else Path(request["folder"])
        found = examine(request["text"], request["name"], folder, request["inputs"])
        print(json.dumps(found), flush=True)  # noqa: T201  its output is its answer


if __name__ == "__main__":
    main()
