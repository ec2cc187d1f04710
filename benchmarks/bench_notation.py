"""A large lexicon from text to a checked program: seconds, and how they grow with its size.

And a line of quotes that never close, which careless patterns take the square of its length for.
"""

from collections.abc import Iterator
from functools import partial
from statistics import median

from benchmarks.figures import Figure
from benchmarks.timing import interleaved, ratio
from progtf.building.load import analyse
from progtf.notation.outline import strip_comment

ROUNDS = 5
SIZES = (10_000, 20_000)
QUOTES = (200_000, 400_000)


def lexicon(lines: int) -> str:
    """A program with so many lexicon lines of four terms each."""
    families = 50
    semes = " ".join(f"kind{number}" for number in range(families))
    entries = "\n".join(
        f"  word{n}: +noun +kind{n % families} -0.5pl +{1 + n % 7}size" for n in range(lines)
    )
    return f"semes: noun pl {semes}\n  size: 0..9\nlexicon:\n{entries}\n"


def quoted(quotes: int) -> str:
    """A line of so many quotes that never close, and a comment behind them."""
    return '"\\' * (quotes // 2) + "' \"" * (quotes // 4) + "#"


def read(text: str) -> None:
    """Parses, expands and checks a text."""
    program, found = analyse(text, "lexicon.seme", None)
    assert program is not None, found[:1]


def figures() -> Iterator[Figure]:
    """Each at one size and at twice the size, in turns."""
    few, many = SIZES
    times = interleaved({size: partial(read, lexicon(size)) for size in SIZES}, ROUNDS)
    yield Figure(f"{few:,} lexicon lines", median(times[few]), "s", "aim: under 2")
    growth = ratio(times[many], times[few])
    yield Figure(f"{many:,} lexicon lines", growth, "x", f"{few:,}; aim: at most 2.2")
    few, many = QUOTES
    times = interleaved({size: partial(strip_comment, quoted(size)) for size in QUOTES}, ROUNDS)
    yield Figure(f"{many:,} quotes", ratio(times[many], times[few]), "x", f"{few:,}")
