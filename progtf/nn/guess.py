"""What an answer may look like that is not written yet: guesses, which are held against it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice, repeat

MISSES = 2
"""Drafts that were wrong, after which no more are made."""


class Guess:
    """What may be written next, of symbols of which many look alike.

    Those that look otherwise part an answer: commas, blanks. For every part there is room for the
    longest that was asked, or has been written, with the same end. A decoder that counts parts, and
    characters in each, writes them in their rooms whatever fills these. So what was written in all
    of them, behind the first mistake, too, is a draft of the answer, and the next guess.

    Attributes:
        looks: how those symbols look that do not look like most; the end, which nothing follows, is
            none of them.
        anything: one of those that do.
        ends: what ended the parts behind symbols of some look, and how often; None: behind any,
            parts of nothing left out.
        longest: how long the parts were between both; None: all, and the last one.
        said: what has ended parts of the answer.
        behind, length: the look behind which the last part began, and how long it is.
        coming: the draft.
        failed: whether something else was written once.
        misses: how many drafts were wrong.
    """

    def __init__(self, alike: Sequence[int], end: int | None, heard: Sequence[int]) -> None:
        symbols = {symbol: look for symbol, look in enumerate(alike) if symbol != end}
        most = max(symbols.values(), key=Counter(symbols.values()).__getitem__, default=None)
        self.end = end
        self.looks = {symbol: look for symbol, look in symbols.items() if look != most}
        self.anything = next((s for s, look in symbols.items() if look == most), 0)
        self.ends: defaultdict[int | None, Counter[int]] = defaultdict(Counter)
        self.longest: defaultdict[tuple[int, int] | None, int] = defaultdict(int)
        self.said: set[int] = set()
        self.coming: list[int] = []
        self.failed, self.misses = False, 0
        self.behind: int | None = None
        self.length = 0
        self._learn(heard)
        self.said.clear()
        self.behind, self.length = None, 0

    @property
    def parts(self) -> bool:
        """Whether answers may be parted by symbols that look otherwise."""
        return len(self.ends) > 0

    def next(self, last: list[int], size: int) -> list[list[int]]:
        """The last symbols that were written, and behind them what may be."""
        found = self.coming[: size - 1]
        behind, length = self.behind, self.length
        for symbol in found:
            behind, length = self._after(symbol, behind, length)
        found += islice(self._rooms(behind, length), size - 1 - len(found))
        return [[each, *found] for each in last]

    def _rooms(self, behind: int | None, length: int) -> Iterator[int]:
        """Parts as long as the longest of their kind, one after another."""
        while ends := self.ends.get(behind):
            _, _, end = max((symbol in self.said, count, symbol) for symbol, count in ends.items())
            longest = self.longest[None if behind is None else (behind, end)]
            if length > longest:
                break
            yield from [self.anything] * (longest - length)
            yield end
            behind, length = self._after(end, behind, length)
        yield from repeat(self.anything)

    def check(self, given: list[list[int]], written: list[list[int]]) -> int:
        """How many of the symbols are written whatever was guessed."""
        count = min(map(self._right, given, written))
        wrong = count < len(given[0])
        self.failed |= wrong
        self.misses += wrong and count <= len(self.coming)
        drafts = wrong and self.misses < MISSES
        self.coming = self._draft(given[0][1:], written[0])[count:] if drafts else []
        self._learn(written[0][:count])
        return count

    def _right(self, given: list[int], written: list[int]) -> int:
        """How many of one answer are; all, if it ends before something else was guessed."""
        for place, (symbol, guessed) in enumerate(zip(written, given[1:], strict=False), start=1):
            if symbol == self.end:
                break
            if self.looks.get(symbol) != self.looks.get(guessed):
                return place
        return len(written)

    def _draft(self, guessed: list[int], written: list[int]) -> list[int]:
        """The parts that were written, each as long as it is in its room."""
        found: list[int] = []
        place = length = 0
        while place < len(guessed) and written[place] != self.end:
            symbol, expected = written[place], guessed[place]
            look, due = self.looks.get(symbol), self.looks.get(expected)
            found.append(symbol)
            length = length + 1 if look is None else 0
            if look is None and due is not None:  # as much again may stand behind its room
                found += [*[self.anything] * length, expected]
                length = 0
            elif look != due:  # what is left of the room is left out
                ends = map(self.looks.get, guessed[place:])
                place += next((n for n, each in enumerate(ends) if each == look), len(guessed))
            place += 1
        return found

    def _learn(self, said: Sequence[int]) -> None:
        for symbol in said:
            if symbol not in self.looks:
                self.length += 1
                continue
            self.said.add(symbol)
            behind, length = self.behind, self.length
            self.longest[None] = max(length, self.longest[None])
            if length:
                self.ends[None][symbol] += 1
            if behind is not None:
                self.ends[behind][symbol] += 1
                self.longest[behind, symbol] = max(length, self.longest[behind, symbol])
            self.behind, self.length = self.looks[symbol], 0
        self.longest[None] = max(self.length, self.longest[None])

    def _after(self, symbol: int, behind: int | None, length: int) -> tuple[int | None, int]:
        """Where a symbol leaves the last part."""
        look = self.looks.get(symbol)
        return (behind, length + 1) if look is None else (look, 0)
