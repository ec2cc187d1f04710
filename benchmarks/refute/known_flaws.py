"""The mistakes that the checker might make: what it would believe then."""

from dataclasses import replace
from typing import Any

from benchmarks.refute.flaws import Flaw, always


def _nothing_leaks(was: Any) -> Any:
    return lambda head, sight: replace(was(head, sight), leak=0.0, noise=0.0)


def _exact(was: Any) -> Any:
    return lambda *given, **named: was(*given, **named)._replace(error=0.0)


FREE = {f"{module}.rounding": always(0.0) for module in ("bounds", "heads", "rules")}
FLAWS = {
    "sums": Flaw("adding up loses nothing", FREE),
    "products": Flaw("products lose nothing", {"heads.product": _exact}),
    "storing": Flaw(
        "storing a weight costs nothing",
        {"formats.Format.stored": lambda _was: lambda _self, value: value},
    ),
    "leaks": Flaw(
        "attention never leaks, and matches share it exactly", {"layers.attend": _nothing_leaks}
    ),
    "numbers": Flaw("numbers of an answer are exact", {"answer._check_numbers": always(None)}),
    "formats": Flaw("formats count as far as ranges go", {"check.check_formats": always(None)}),
    "exclusive": Flaw("flags never hold together", {"exclusive.contradict": always(value=True)}),
    "unsaid": Flaw("what is assumed need not be said", {"report.Report.assume": always(1)}),
}
