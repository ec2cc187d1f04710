"""The weights of a program as whoever answers its texts has them: what is asked first is there
first.

To answer a text takes the layout, what is proven, and of a program that uses others `when` a flag
is up the part for the kind of the text (`progtf.weights.narrow`); all of the weights are asked for
where somebody looks at them. What the first texts needed is kept on a shelf, so that the next
process begins with it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from progtf.program.outcome import Outcome, Proof
from progtf.weights.formats import Format
from progtf.weights.layout import Layout
from progtf.weights.narrow import can_be_narrowed, narrowed, written_once
from progtf.weights.weights import Weights

Kind = frozenset[str]
"""The flags that are not 0 at some token of a text."""
LIGHT = "float32"


@dataclass(frozen=True)
class First:
    """What is asked before anything is multiplied.

    Attributes:
        dtype: the format that the weights are stored in.
        outcome: what is proven of them.
        flags: by which kinds of text are told; each is answered by a part.
    """

    layout: Layout
    dtype: Format
    outcome: Outcome
    flags: tuple[str, ...]


class Shelf(Protocol):
    """Where parts of weights are kept, from one process to the next."""

    def part(self, name: str) -> Weights | None:
        """What is kept under a name; None: nothing."""
        ...

    def keep_part(self, name: str, weights: Weights) -> None:
        """Keeps a part."""
        ...


class Ready:
    """Weights that answer.

    Args:
        whole: finds all of them.
        first: what is asked first.
        proof: what is proven of them; None: nothing.
        shelf: where parts are kept; None: nowhere.
    """

    def __init__(
        self, whole: Callable[[], Weights], first: First, proof: Proof | None, shelf: Shelf | None
    ) -> None:
        self._whole, self._shelf, self._flags = whole, shelf, first.flags or None
        self.layout, self.dtype, self.proof = first.layout, first.dtype, proof

    @classmethod
    def of(cls, weights: Weights, shelf: Shelf | None = None) -> "Ready":
        """Weights that are there."""
        there = weights.as_they_are()
        first = First(there.layout, there.dtype, there.unproven, ())
        return cls(lambda: there, first, there.proof, shelf)

    @cached_property
    def whole(self) -> Weights:
        """All of them."""
        return self._whole()

    @property
    def flags(self) -> tuple[str, ...]:
        """Those by which kinds of text are told, if there are several and all that is left out of
        each is known to be proven to be 0.
        """
        if self._flags is None and self.proof is not None and self.proof.known:
            self._flags = flags_of(self.whole)
        return self._flags or ()

    @cached_property
    def asking(self) -> Weights:
        """What computes the flags behind the encoder."""
        return self._kept("asking", lambda: narrowed(self.whole, (), self.flags))

    def part(self, kind: Kind) -> Weights:
        """What answers texts of a kind."""
        return self._kept(f"part {sorted(kind)}", lambda: self._part(kind))

    def _part(self, kind: Kind) -> Weights:
        part = narrowed(self.whole, [flag for flag in self.flags if flag not in kind])
        light = self.whole.outcome.lighter
        return part.stored_as(LIGHT) if light and len(kind) <= 1 and kind <= {*light} else part

    def _kept(self, name: str, make: Callable[[], Weights]) -> Weights:
        found = None if self._shelf is None else self._shelf.part(name)
        if found is None:
            found = make()
            if self._shelf is not None:
                self._shelf.keep_part(name, found)
        return found

    def __deepcopy__(self, _memo: object) -> "Ready":
        """Itself: nothing in it can change."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return Ready.of, (self.whole,)


def flags_of(weights: Weights) -> tuple[str, ...]:
    """The flags by which kinds of text are told, if what parts leave out is proven to be 0."""
    layout, proof = weights.layout, weights.proof
    if not layout.held or layout.kind != "seq2seq" or proof is None or not proof.outcome.exact:
        return ()
    return written_once(weights, layout.held) if can_be_narrowed(weights) else ()
