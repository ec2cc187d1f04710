"""Counts of certificates by construct and number format."""

from collections import Counter
from collections.abc import Iterable

from rich.table import Table

from benchmarks.refute.attack import Outcome
from progtf.exact import FORMATS

SHOWN = ("exact", "assumed", "false")
ALL = "all"


class Tally:
    """How many certificates there were of each kind.

    Attributes:
        counts: (construct, format, verdict) -> certificates.
        promises: (format, promise) -> how often it was broken.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self.promises: Counter[tuple[str, str]] = Counter()

    def add(self, constructs: Iterable[str], outcomes: Iterable[Outcome]) -> None:
        """One program's certificates."""
        names = (ALL, *constructs)
        for outcome in outcomes:
            self.counts.update((name, outcome.dtype, outcome.verdict) for name in names)
            if outcome.found is not None:
                self.promises[outcome.dtype, outcome.found.promise] += 1

    def of(self, construct: str, dtype: str, *verdicts: str) -> int:
        """How many there were; of no verdict: of any."""
        chosen = verdicts or (*SHOWN, "refused")
        return sum(self.counts[construct, dtype, verdict] for verdict in chosen)

    @property
    def certificates(self) -> int:
        """All that were asked for."""
        return sum(self.of(ALL, dtype) for dtype in FORMATS)

    @property
    def false(self) -> int:
        """Those that were refuted."""
        return sum(self.of(ALL, dtype, "false") for dtype in FORMATS)

    def table(self) -> Table:
        """Constructs down; formats across: asked, exact, exact if assumptions hold, ..., false."""
        table = Table(title="asked / exact / with assumptions / FALSE")
        table.add_column("construct")
        for dtype in FORMATS:
            table.add_column(dtype, justify="right")
        names = sorted({name for name, _, _ in self.counts} - {ALL})
        for name in (ALL, *names):
            table.add_row(name, *(self._cell(name, dtype) for dtype in FORMATS))
        return table

    def _cell(self, name: str, dtype: str) -> str:
        counts = [self.of(name, dtype, verdict) for verdict in SHOWN]
        false = f"[bold red]{counts[-1]}[/]" if counts[-1] else "0"
        return " ".join([f"{self.of(name, dtype)}", *map(str, counts[:-1]), false])
