"""Which tokens may have a flag: so some flags are known never to hold together."""

from collections.abc import Iterable, Mapping
from itertools import combinations

from progtf.building.lexicon import Vector
from progtf.building.rules.logic import All, Flag, Logic, Negation

Tokens = frozenset[str] | None
"""Tokens of the lexicon; None: any."""
UNKNOWN = ""  # stands for every token that is not in the lexicon


class Carriers:
    """Which tokens may have a seme: as the lexicon says, then wherever layers write it.

    Args:
        vectors: token -> vector, that of unknown tokens under ``UNKNOWN``.
        anywhere: semes that any token may have from the beginning.
    """

    def __init__(self, vectors: Mapping[str, Vector], anywhere: Iterable[str]) -> None:
        found: dict[str, set[str]] = {}
        for token, vector in vectors.items():
            for seme in vector:
                found.setdefault(seme, set()).add(token)
        self._tokens: dict[str, Tokens] = {s: frozenset(tokens) for s, tokens in found.items()}
        self.write(anywhere)

    def write(self, semes: Iterable[str], tokens: Tokens = None) -> None:
        """Semes may be written at some tokens."""
        for seme in semes:
            before = self._tokens.get(seme, frozenset[str]())
            self._tokens[seme] = None if before is None or tokens is None else before | tokens

    def of(self, condition: Logic) -> Tokens:
        """The tokens at which a condition may hold."""
        match condition:
            case All(parts=parts):
                known = [tokens for part in parts if (tokens := self.of(part)) is not None]
                return frozenset[str].intersection(*known) if known else None
            case Flag(name=name):
                return self._tokens.get(name, frozenset())
            case Negation(part=All(parts=parts)) if all(isinstance(p, Negation) for p in parts):
                either = [self.of(p.part) for p in parts if isinstance(p, Negation)]
                known = [tokens for tokens in either if tokens is not None]
                return frozenset[str]().union(*known) if len(known) == len(either) else None
            case _:
                return None

    def apart(self, flags: tuple[str, ...]) -> bool:
        """Whether of some flags never more than one holds at a position.

        A family is one-hot by convention; of other flags no token may have two.
        """
        families = {flag.partition("[")[0] for flag in flags}
        if len(families) == 1 and all("[" in flag for flag in flags) or len(flags) == 1:
            return True
        carriers = [self._tokens.get(flag, frozenset()) for flag in flags]
        return all(
            one is not None and other is not None and not one & other
            for one, other in combinations(carriers, 2)
        )
