"""Examines the texts of figures in a process of its own: one JSON object a line, in and out.

A program that takes too long or too much is stopped with this process; the kernel goes on. Pages do
the same in a worker. What has not changed since the last answer is neither read nor sent again.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from progtf.building.edits import Edits
from progtf.collector import collect_seldom
from progtf.views.editor import examine

Data = dict[str, Any]
STACKS = ("encoder", "decoder")
MOST_FIGURES = 8
"""Of which something is kept; the others are read anew."""


def parts_of(found: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What was found of a text, in parts that change by themselves: stacks layer by layer."""
    program = found["program"]
    yield from (("names", found["names"]), ("problems", found["problems"]))
    yield "program", program is not None
    for key, value in (program or {}).items():
        if key not in STACKS:
            yield f"program/{key}", value
            continue
        yield f"program/{key}", len(value)
        yield from ((f"program/{key}/{place}", stage) for place, stage in enumerate(value))


def joined(parts: Mapping[str, Any]) -> Data:
    """What was found of a text, put together again."""
    program = {
        name: [parts[f"{key}/{place}"] for place in range(value)] if name in STACKS else value
        for key, value in parts.items()
        if (name := key.removeprefix("program/")) != key and "/" not in name
    }
    return {
        "names": parts["names"],
        "problems": parts["problems"],
        "program": program if parts["program"] else None,
    }


class Figures:
    """The texts of several figures; of each what was found of it, and what was told of it."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[Edits, dict[str, str]]] = {}

    def answer(self, request: Data) -> str:
        """What changed in what there is to say of a text, as JSON; at first all of it.

        Args:
            request: ``figure``, ``text``, ``name``, ``folder`` and ``inputs``.
        """
        kept, told = self.known.pop(request["figure"], None) or (Edits(), {})
        folder = None if request["folder"] is None else Path(request["folder"])
        found = examine(request["text"], request["name"], folder, request["inputs"], kept)
        parts = {key: json.dumps(value) for key, value in parts_of(found)}
        changed = (f"{json.dumps(k)}: {part}" for k, part in parts.items() if told.get(k) != part)
        said = f'{{"changed": {{{", ".join(changed)}}}}}'
        self.known[request["figure"]] = kept, told | parts
        if len(self.known) > MOST_FIGURES:
            del self.known[next(iter(self.known))]
        return said


def main() -> None:
    """Says that it is ready, and answers until the input ends."""
    collect_seldom()
    figures = Figures()
    print("ready", flush=True)  # noqa: T201  as below
    for line in sys.stdin:
        print(figures.answer(json.loads(line)), flush=True)  # noqa: T201  its output is its answer


if __name__ == "__main__":
    main()
