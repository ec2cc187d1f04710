"""What a head is built with, and what it comes to."""

from dataclasses import dataclass

from progtf.building.names import Read, Reader
from progtf.building.settings import Settings
from progtf.notation import flat as f
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.program.model import Head

Apart = tuple[tuple[str, ...], Span]
"""Flags of which no position may have two, and where that is needed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a head must know of the program around it.

    Attributes:
        settings: of the program.
        names: as the reading position reads them.
        source_names: as they are read at the positions that are read.
        ramp: the period of the slow clock that ``nearest`` uses.
        apart: gathers what must be known of flags where the head stands.
    """

    settings: Settings
    names: Reader
    source_names: Reader
    ramp: float
    apart: list[Apart]

    @property
    def length(self) -> int:
        """The longest sequence that a stack sees, special tokens included."""
        return self.settings.longest


@dataclass(frozen=True, slots=True)
class BuiltHead:
    """What one head comes to.

    Attributes:
        source: as it was written.
        head: as features and channels; None if something is wrong with it.
        reads: what it reads of its own stack, with the places.
        crossing: what it reads of the encoder, if it stands in a decoder and reads that.
        apart: flags that must never hold together where it stands.
        wrong: what is wrong with it.
    """

    source: f.Block
    head: Head | None
    reads: tuple[Read, ...]
    crossing: tuple[Read, ...]
    apart: tuple[Apart, ...]
    wrong: tuple[Diagnostic, ...]

    @property
    def writes(self) -> frozenset[str]:
        """The semes that it writes."""
        return frozenset[str]() if self.head is None else frozenset(self.head.targets)

    @property
    def span(self) -> Span:
        """Where it is written."""
        return self.source.span
