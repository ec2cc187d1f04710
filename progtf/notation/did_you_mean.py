"""What a misspelt name could have meant."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

MOST_KNOWN = 5000
MOST_HINTS = 50


def nearest(name: str, known: Iterable[str]) -> str:
    """``did you mean ...?`` for the closest known name, or nothing."""
    likely = [other for other in islice(known, MOST_KNOWN) if _alike(name, other)]
    close = difflib.get_close_matches(name, likely[:200], n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else ""


def _alike(name: str, other: str) -> bool:
    """Whether two names may be worth a closer look: quickly said."""
    if abs(len(name) - len(other)) > 2 + len(name) // 4:
        return False
    return name[:1] == other[:1] or name[-1:] == other[-1:] or name[1:3] == other[1:3]


@dataclass
class Hints:
    """Says what a misspelt name could have meant, for as many mistakes as anyone reads."""

    left: int = MOST_HINTS

    def among(self, known: Iterable[str]) -> Iterable[str]:
        """``known``, or nothing when there have been hints enough."""
        self.left -= 1
        return known if self.left >= 0 else ()
