"""What the parts of one build share."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from progtf.building.carriers import Carriers
from progtf.building.heard import Memory
from progtf.building.lexicon import Lexicon
from progtf.building.names import Names
from progtf.building.order import Written
from progtf.building.rules.feedforward import Rules
from progtf.building.settings import Settings
from progtf.notation.diagnostics import Report, Span


@dataclass(frozen=True, slots=True)
class Context:
    """What the parts of one build share.

    Attributes:
        settings: of the program.
        names: what names mean.
        written: which semes have been written up to now.
        ramp: the period of the slow clock that ``nearest`` uses.
        lexicon: the vectors of the tokens.
        own: token -> the seme that no other token has.
        rules: what rules come to.
        carriers: which tokens may have a flag, as far as the layers have been built.
        report: told about mistakes.
        memory: what was built before, under names that mean the same.
    """

    settings: Settings
    names: Names
    written: Written
    ramp: float
    lexicon: Lexicon
    own: Mapping[str, str]
    rules: Rules
    carriers: Carriers
    report: Report
    memory: Memory

    @property
    def length(self) -> int:
        """The longest sequence that a stack sees, special tokens included."""
        return self.settings.longest

    def reading(self, stack: str) -> Names:
        """The names as this stack reads them now: what nothing has written yet is noted."""
        return replace(self.names, read=self.written.reader(stack))

    def exclusive(self, flags: tuple[str, ...]) -> bool:
        """Whether of some flags never more than one holds at a position.

        A family is one-hot by convention; of other flags no token may have two.
        """
        families = {flag.partition("[")[0] for flag in flags}
        if len(families) == 1 and all("[" in flag for flag in flags) or len(flags) == 1:
            return True
        return self.carriers.apart(flags)


@dataclass(frozen=True, slots=True)
class Setting:
    """What the heads of one sub-layer must know of the program around them.

    Attributes:
        names: what the reading position's names mean.
        source_names: what the names of the positions that are read mean.
    """

    context: Context
    names: Names
    source_names: Names


@dataclass(frozen=True, slots=True)
class Place:
    """Which layer of which stack is built."""

    label: str
    stack: str
    span: Span
