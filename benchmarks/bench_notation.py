"""A large lexicon from text to a checked program: seconds, and how they grow with its size.

And a line of quotes that never close, which careless patterns take the square of its length for.
"""

import statistics
import time

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


def quoted(quotes: int) -> float:
    """Processor seconds to look for a comment behind so many quotes that never close."""
    line = '"\\' * (quotes // 2) + "' \"" * (quotes // 4) + "#"
    start = time.process_time()
    strip_comment(line)
    return time.process_time() - start


def seconds(text: str) -> float:
    """Processor seconds to parse, expand and check a text."""
    start = time.process_time()
    program, found = analyse(text, "lexicon.seme", None)
    assert program is not None, found[:1]
    return time.process_time() - start


def main() -> None:
    """Prints the median of several runs for each size, interleaved, and their ratio."""
    texts = {lines: lexicon(lines) for lines in SIZES}
    seconds(texts[SIZES[0]])
    times: dict[int, list[float]] = {lines: [] for lines in SIZES}
    for _ in range(ROUNDS):
        for lines, text in texts.items():
            times[lines].append(seconds(text))
    medians = {lines: statistics.median(runs) for lines, runs in times.items()}
    for lines, median in medians.items():
        print(f"{lines:7,} lexicon lines: {median:5.2f} s   (aim for 10,000: under 2 s)")
    print(f"twice the lines: {medians[SIZES[1]] / medians[SIZES[0]]:.2f} times the time (aim: 2.2)")
    few, many = (statistics.median(quoted(n) for _ in range(ROUNDS)) for n in QUOTES)
    print(f"{QUOTES[0]:,} quotes: {few:.2f} s; twice as many: {many / few:.2f} times the time")


if __name__ == "__main__":
    main()
