"""What the layers of one program share while they are put in order."""

from collections.abc import Mapping
from dataclasses import dataclass

from progtf.building.carriers import Carriers
from progtf.building.names import Names, Reader
from progtf.building.order import Written
from progtf.building.parts import Parts
from progtf.building.settings import Settings
from progtf.notation.diagnostics import Diagnostic, Span


@dataclass(frozen=True, slots=True)
class Context:
    """What the parts of one build share.

    Attributes:
        settings: of the program.
        names: what names mean.
        written: which semes have been written up to now.
        own: token -> the seme that no other token has.
        parts: what heads and rules come to.
        carriers: which tokens may have a flag, as far as the layers have been built.
        wrong: gathers what is wrong.
    """

    settings: Settings
    names: Names
    written: Written
    own: Mapping[str, str]
    parts: Parts
    carriers: Carriers
    wrong: list[Diagnostic]

    def reader(self) -> Reader:
        """For what is read between the layers; what is wrong with it is told."""
        return self.names.reader(self.wrong)


@dataclass(frozen=True, slots=True)
class Place:
    """Which layer of which stack is built; ``later``: what all rounds that it runs in write."""

    label: str
    stack: str
    span: Span
    later: set[str] | None = None
