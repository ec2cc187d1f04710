"""Training as it goes on: curves of what was measured, and which weights left what was written."""

import sys
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from progtf import records
from progtf.notation import spell
from progtf.numbers import plain
from progtf.views.draw import curve_svg
from progtf.weights.changes import changes
from progtf.widgets.base import Data, Widget

if TYPE_CHECKING:
    from progtf.network.model import Model

Record = Mapping[str, Any]
MOST_POINTS = 2000
MOST_CHANGES = 60
MOST_STILL = 12
LARGEST = sys.float_info.max


class TrainingView(Widget):
    """Loss and accuracy over steps, and written against learned weights.

    Args:
        records: dicts with ``step`` and numbers such as ``loss`` and ``accuracy``, or the path of a
            file with one such object a line, as training writes it; the file may be yet to come.
        written: the model before training, to compare with.
        learned: the model as it is now.

    Raises:
        OSError: if the file cannot be read, or its folder is not there.
    """

    def __init__(
        self,
        records: Iterable[Record] | str | Path = (),
        written: "Model | None" = None,
        learned: "Model | None" = None,
    ) -> None:
        self.path = Path(records) if isinstance(records, str | Path) else None
        self.records = [] if isinstance(records, str | Path) else [_numbers(r) for r in records]
        if self.path is not None:
            self.records = read_records(self.path)
        self._changes: tuple[list[Data], int] = ([], 0)
        self._enough = threading.Event()
        self._follower: threading.Thread | None = None
        if written is not None and learned is not None:
            self._changes = _changes(written, learned)
        super().__init__("training", self._data())

    def add(self, record: Record) -> None:
        """Shows one more record."""
        self.records.append(_numbers(record))
        self._show()

    def compare(self, written: "Model", learned: "Model") -> None:
        """Shows how the weights of two models differ, the largest differences first."""
        self._changes = _changes(written, learned)
        self._show()

    def follow(self, seconds: float = 600.0, every: float = 1.0) -> None:
        """Reads the file again and again for some time, in a thread of its own.

        Raises:
            ValueError: if the view was not made from a file.
        """
        if self.path is None:
            raise ValueError("only a view of a file can follow it: TrainingView('metrics.jsonl')")
        self.stop()
        self._enough.clear()
        self._follower = threading.Thread(target=self._follow, args=(seconds, every), daemon=True)
        self._follower.start()

    def stop(self) -> None:
        """Shows what the file says now, and follows it no longer."""
        if self._follower is not None:
            self._enough.set()
            self._follower.join()
            self._follower = None

    def still(self) -> str:
        """The curves as pictures, and the largest changes as a table."""
        names = sorted({n for r in self.records for n in r} - {"step"})
        curves = "".join(f"<p>{curve_svg(name, self._points(name))}</p>" for name in names)
        return curves + self._still_changes()

    def _still_changes(self) -> str:
        changes, count = self._changes
        rows = "".join(
            f"<tr><td>{escape(c['place'])}</td><td>{_side(c, 'before')}</td>"
            f"<td>{_side(c, 'after')}</td></tr>"
            for c in changes[:MOST_STILL]
        )
        head = f"<p>{min(count, MOST_STILL)} of {count} changes</p>" if rows else ""
        titles = "<tr><th>where</th><th>written</th><th>learned</th></tr>"
        return f"{head}<table>{titles}{rows}</table>" if rows else ""

    def _points(self, name: str) -> list[tuple[float, float]]:
        return [(r.get("step", i), r[name]) for i, r in enumerate(self.records) if name in r]

    def _follow(self, seconds: float, every: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self._enough.wait(every):
            self._read_again()
        self._read_again()

    def _read_again(self) -> None:
        assert self.path is not None
        records = read_records(self.path)
        if len(records) != len(self.records):
            self.records = records
            self._show()

    def _show(self) -> None:
        self.data = self._data()

    def _data(self) -> Data:
        changes, count = self._changes
        return {"records": thinned(self.records), "changes": changes, "count": count}


def read_records(path: Path) -> list[dict[str, float]]:
    """The records of a file with one JSON object a line; damaged lines are left out and told."""
    if not path.exists() and path.parent.is_dir():
        return []  # training has not begun to write it
    return [_numbers(record) for record in records.read_records(path)]


def thinned(records: list[dict[str, float]]) -> list[dict[str, float]]:
    """As many records as a picture can show, the last one among them."""
    step = -(-len(records) // MOST_POINTS) or 1
    return records[::-step][::-1]


def _numbers(record: Record) -> dict[str, float]:
    """What of a record can be drawn."""
    numbers = {k: v for k, v in record.items() if isinstance(v, int | float)}
    return {k: float(v) for k, v in numbers.items() if abs(v) <= LARGEST}


def _side(change: Data, when: str) -> str:
    """An entry in the notation; the source of a bias is empty."""
    value, source, target = change[when], change["source"], change["target"]
    if value is None:
        return "nothing"
    amount = plain(value)
    name = f"{source}>{target}" if source else target
    return f"<code>{escape(spell.of_amount(amount, name, first=bool(source)))}</code>"


def _changes(written: "Model", learned: "Model") -> tuple[list[Data], int]:
    found = changes(written.weights, learned.weights)
    return [asdict(change) for change in found[:MOST_CHANGES]], len(found)
