"""Texts of characters, read as people type them, by the spelling of a program.

A question as the program has it is read as it stands: only what differs from that is looked at.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from progtf.program.cutting import PLAIN
from progtf.program.spelling import ReadAs, Spelling, Token

_UNSEEN = re.compile("[\u00ad\u2060\u200c\u200d]+")
_BLANKS = re.compile("[\\s\u200b\ufeff]+")
_OPENING = re.compile("(?:^|(?<=[.?!;] ))[a-z](?=[a-z])")
_ENDS = (".", "?", "!")
# A term ends with a digit, a bracket or a letter that stands alone, and begins so.
_BEHIND_A_TERM = "(?:(?<=[0-9)])|(?<![A-Za-z][A-Za-z])(?<=[A-Za-z]))"
_BEFORE_A_TERM = r"(?=-?(?:\.?[0-9]|\(|[A-Za-z](?![A-Za-z])))"
_GROUPS = r"(?<![\d.{sign}])\d+(?:{sign}\d+)+"


@dataclass(frozen=True, slots=True)
class _Traced:
    """A text, and where each of its characters stands in what was typed."""

    text: str
    places: Sequence[int]

    def replaced(
        self, pattern: re.Pattern[str], meant: Callable[[re.Match[str]], str]
    ) -> "_Traced":
        """The text with something else for all that a pattern finds."""
        text: list[str] = []
        places: list[int] = []
        behind = 0
        for found in pattern.finditer(self.text):
            said, start = meant(found), found.start()
            text += (self.text[behind:start], said)
            places += self.places[behind:start]
            places += [self.places[min(start + n, found.end() - 1)] for n in range(len(said))]
            behind = found.end()
        if not behind:
            return self
        return _Traced("".join((*text, self.text[behind:])), [*places, *self.places[behind:]])


@dataclass(frozen=True)
class Characters:
    """Reads texts of characters by the spelling of a program."""

    spelling: Spelling

    def why_refused(self, text: str) -> str:
        """Why a text has two readings; "" if it has not."""
        if not self.spelling.thousands or not self.spelling.lists:
            return ""
        sign = self.spelling.thousands
        for found in self._groups.finditer(text):
            if self._grouped(found[0]) and not self._listed(text):
                one, two = found[0].replace(sign, ""), found[0].replace(sign, f"{sign} ")
                return f"`{found[0]}` is one number or several: write `{one}`, or `{two}`"
        return ""

    def tokens(self, text: str) -> list[str]:
        """The characters of a text; those of one that was changed know where they stood."""
        traced = _Traced(text, range(len(text)))
        before = self._folded, self._blanks, self._opened
        for step in (*before, self._read, self._whole, self._ended, self._closed):
            traced = step(traced)
        if traced.text == text:
            return list(text)
        pairs = zip(traced.text, traced.places, strict=True)
        return [Token.of(sign, (), (place, min(place + 1, len(text)))) for sign, place in pairs]

    def _folded(self, given: _Traced) -> _Traced:
        if "typography" not in self.spelling.fold or given.text.isascii():
            return given
        return _Traced(given.text.translate(_PLAIN), given.places)

    def _blanks(self, given: _Traced) -> _Traced:
        """Blanks at the ends are dropped, and of several one is left, but for what is kept."""
        if "blanks" not in self.spelling.fold:
            return given
        given = given if given.text.isascii() else given.replaced(_UNSEEN, lambda _: "")
        end = len(given.text)

        def meant(found: re.Match[str]) -> str:
            if found.start() == 0 or found.end() == end:
                return ""
            kept = (k for k in self.spelling.keep if found.string.startswith(k, found.start()))
            return found[0] if any(kept) else " "

        return given.replaced(_BLANKS, meant)

    def _opened(self, given: _Traced) -> _Traced:
        """A word of several letters at the beginning of a sentence has a capital."""
        if "opening" not in self.spelling.fold:
            return given
        return given.replaced(_OPENING, lambda found: found[0].upper())

    def _read(self, given: _Traced) -> _Traced:
        """Other signs for some signs, the longest first."""
        for said, pattern in self._patterns:
            if said.text in given.text:
                given = given.replaced(pattern, lambda _, said=said: said.meant)
        return given

    @cached_property
    def _patterns(self) -> tuple[tuple[ReadAs, re.Pattern[str]], ...]:
        said = sorted(self.spelling.read, key=lambda each: -len(each.text))
        return tuple((each, _pattern(each)) for each in said)

    def _whole(self, given: _Traced) -> _Traced:
        """Large numbers without what parts their digits."""
        sign = self.spelling.thousands
        if (
            not sign
            or sign not in given.text
            or (self.spelling.lists and not self._listed(given.text))
        ):
            return given

        def meant(found: re.Match[str]) -> str:
            return found[0].replace(sign, "") if self._grouped(found[0]) else found[0]

        return given.replaced(self._groups, meant)

    @cached_property
    def _groups(self) -> re.Pattern[str]:
        return re.compile(_GROUPS.format(sign=re.escape(self.spelling.thousands)), re.ASCII)

    def _grouped(self, number: str) -> bool:
        """Whether digits stand in threes: ``12,345``."""
        first, *more = number.split(self.spelling.thousands)
        return 1 <= len(first) <= 3 and first[0] != "0" and all(len(each) == 3 for each in more)

    def _listed(self, text: str) -> bool:
        """Whether a list of the text has blanks in it: ``1,234, 5``."""
        return f"{self.spelling.thousands} " in text

    def _ended(self, given: _Traced) -> _Traced:
        """What stops a text is left out, with the blanks before it, unless nothing is left then."""
        text, end = given.text, len(given.text)
        while stop := next((s for s in self._stops if text.endswith(s, 0, end)), ""):
            if end == len(stop):
                break
            end -= len(stop)
            while end and text[end - 1] == " ":
                end -= 1
        return given if end == len(text) else _Traced(text[:end], given.places[:end])

    @cached_property
    def _stops(self) -> tuple[str, ...]:
        return tuple(sorted(self.spelling.stops, key=len, reverse=True))

    def _closed(self, given: _Traced) -> _Traced:
        close = self.spelling.closing(given.text)
        if not close or not given.text or given.text.endswith(_ENDS) or "?" in given.text:
            return given
        end = given.places[-1] + 1
        return _Traced(given.text + close, [*given.places, *[end] * len(close)])


_PLAIN = {ord(sign): plain for sign, plain in PLAIN.items()}


def _pattern(said: ReadAs) -> re.Pattern[str]:
    """Where a sign stands for another one; between numbers with the blanks around it, but not as a
    letter in ``0x1f``; between terms where no blank parts it from them.
    """
    sign = re.escape(said.text)
    if said.where == "between terms":
        return re.compile(f"{_BEHIND_A_TERM}{sign}{_BEFORE_A_TERM}")
    if said.where != "between numbers":
        return re.compile(sign)
    behind = r"[ ]*(?=-?\.?\d)"
    alone = r"(?<!(?<!\d)0)" if said.text.isalpha() else ""
    return re.compile(rf"(?<=\d){alone}{sign}{behind}|(?<=\d)[ ]+{sign}{behind}")
