"""The mistakes that the checker once made or might make: what it would believe then."""

from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.refute.flaws import Change, Flaw, always
from progtf.exact.entries import Entries, Sums
from progtf.exact.formats import Format
from progtf.exact.lemmas import Share
from progtf.exact.stream import Terms
from progtf.program.formats import FormatError

SUMMING = ("entries", "summed", "answer", "stream", "recurrent")


def _bias_is_free(was: Any) -> Any:
    def sums(self: Entries, terms: Terms, number: Format) -> Sums:
        kept = self.rows != len(terms.low) - 1
        columns = {n: getattr(self, n)[kept] for n in ("rows", "columns", "meant", "runs", "off")}
        less = was(replace(self, **columns), terms, number)
        return was(self, terms, number)._replace(
            lost=less.lost, most=less.most, products=less.products, terms=less.terms
        )

    return sums


def _each_by_its_size(was: Any) -> Any:
    def lost(terms: Any, most: Any, products: Any, grid: Any, error: Any, number: Format) -> Any:
        small = np.minimum(most, products)
        return was(np.minimum(terms, 1), small, products, grid, error, number)

    return lost


def _nothing_lost(_was: Any) -> Any:
    return lambda terms, *_rest: np.zeros_like(np.asarray(terms, dtype=float))


def _means_are_whole(was: Any) -> Any:
    def filler(self: Any) -> Any:
        whole = self._values.grid[self._wired.fillers]
        none, kept = np.zeros_like(whole), np.ones_like(whole, dtype=bool)
        return was(self)._replace(grid=whole, kept=kept, error=none, relative=none, stray=none)

    return filler


def _stored_freely(_was: Any) -> Any:
    original = Entries.__dict__["of"].__func__
    return classmethod(
        lambda cls, maps, constant: original(cls, [(m, m) for m, _ in maps], constant)
    )


def _one_token(was: Any) -> Any:
    return lambda stream, pool, walk: stream if pool == "sum" else was(stream, pool, walk)


def _beside_the_range(was: Any) -> Any:
    """Numbers of an answer are held against what is declared, not against what they are."""

    def check(walk: Any, stream: Any) -> None:
        index, ranges = walk.program.space.index, walk.program.space.ranges
        sizes = np.ones(len(stream.error))
        for name, column in index.items():
            sizes[column] = max(1.0, abs(ranges[name].low), abs(ranges[name].high))
        was(walk, replace(stream, error=stream.error / sizes))

    return check


def _steps_are_kept(was: Any) -> Any:
    """What is declared with steps keeps to them, whatever it is; nobody says so."""

    def assume(self: Any, text: str, span: Any, held: Any) -> int:
        return 1 if "keeps to its steps" in text else was(self, text, span, held)

    return assume


def _too_large_is_stored(was: Any) -> Any:
    def weights(program: Any, dtype: str) -> Any:
        try:
            return was(program, dtype)
        except FormatError:
            return was(program, "float64")

    return weights


def _in_all(change: Change) -> dict[str, Change]:
    return {f"{module}.lost_in_sum": change for module in SUMMING}


FLAWS = {
    "bias": Flaw("a bias adds no rounding", {"entries.Entries.sums": _bias_is_free}),
    "own_size": Flaw("a sum is rounded by the size of its terms", _in_all(_each_by_its_size)),
    "sums": Flaw("adding up loses nothing", _in_all(_nothing_lost)),
    "means": Flaw(
        "the mean of whole numbers is a whole number",
        {"channels.Channels._filler": _means_are_whole},
    ),
    "matches": Flaw(
        "the shares of equal matches are exact, and nothing else gets any",
        {"heads.shares": always(Share(0.0, 0.0, 0.0, exact=True))},
    ),
    "steps": Flaw(
        "a mean that is declared with steps keeps to them",
        {"report.Report.assume": _steps_are_kept},
    ),
    "spelling": Flaw(
        "what spelling gives is 0",
        {"stream._counted": lambda _was: lambda before, *_rest: before},
    ),
    "sum_pool": Flaw("`pool: sum` is one token", {"answer._pooled": _one_token}),
    "score": Flaw("`score:` is not looked at", {"answer._check_number": always(None)}),
    "range": Flaw(
        "an error is small against the declared range", {"answer._check_numbers": _beside_the_range}
    ),
    "storing": Flaw("storing a weight costs nothing", {"entries.Entries.of": _stored_freely}),
    "gap": Flaw(
        "the gap is as wide as the steps that are declared",
        {"answer._score_errors": always(np.zeros(1))},
    ),
    "formats": Flaw(
        "numbers that a format does not have are stored", {"checked._weights": _too_large_is_stored}
    ),
    "norm": Flaw("`norm: layer` changes nothing", {"checked._is_covered": always(value=True)}),
    "unsaid": Flaw("what is assumed need not be said", {"report.Report.assume": always(1)}),
}
